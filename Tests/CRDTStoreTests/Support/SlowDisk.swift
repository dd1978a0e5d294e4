import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// A store with a note that was written and changed, on a disk that is held up at will.
struct SlowDisk {
  /// The record that is written while the disk is held up.
  static let order = ScenarioNote(id: "order", title: "one")

  let files = SimulatedFileSystem()
  /// Whether synchronizations of files wait.
  let isHeld = Guarded(false)
  let store: Store
  let receipt: Store.Receipt
  let draft: Store.Draft<ScenarioNote>

  init() async throws {
    let stores = TestStores(files)
    var options = stores.options
    options.fileSystem = GatedFileSystem(base: files) { [isHeld] in
      while isHeld.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
    }
    store = try await Store.open(at: "/store", for: ScenarioNote.self, options: options)
    try await store.write { try $0.create(ScenarioNote(id: "n", title: "old")) }
    receipt = try await store.write { try $0.update(ScenarioNote.self, "n") { $0.title = "new" } }
    try await store.write { try $0.update(ScenarioNote.self, "n") { $0.title = "newer" } }
    draft = try store.draft(ScenarioNote.self, "n")
  }

  /// Begins to write the order; gives who writes once the disk is waited for.
  func writeOrder() async throws -> Task<Void, any Error> {
    let store = store
    isHeld.withLock { $0 = true }
    let writing = Task { _ = try await store.write { try $0.create(Self.order) } }
    #expect(await Scenario.until { store.statistics.pendingCommits > 0 })
    return writing
  }

  /// Lets the disk go on; before that, gives those some time who don't wait for it.
  func release(after isDone: () -> Bool) async throws {
    for _ in 0..<100 where !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    isHeld.withLock { $0 = false }
  }

  /// How many of the images that a power cut may leave after a call lack the order.
  func imagesWithoutOrder(afterCall call: Int) async throws -> Int {
    var count = 0
    for image in files.imagesAfterPowerCut(afterCall: call) {
      let options = TestStores(SimulatedFileSystem(image)).options
      let left = try await Store.open(at: "/store", for: ScenarioNote.self, options: options)
      if try left.get(ScenarioNote.self, "order") != Self.order { count += 1 }
      try await left.close()
    }
    return count
  }
}
