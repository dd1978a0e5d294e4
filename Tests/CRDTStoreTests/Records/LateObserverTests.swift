import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// Observers that begin while a commit is on its way to the disk.
@Suite("Observing while a commit is on its way")
struct LateObserverTests {
  @Test("Who begins to observe before a commit is durable sees it when it is")
  func lateObserver() async throws {
    let (stores, isHeld) = (TestStores(), Guarded(false))
    var options = stores.options
    options.fileSystem = GatedFileSystem(base: stores.files) {
      while isHeld.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
    }
    let store = try await Store.open(at: "/store", for: Card.self, options: options)
    isHeld.withLock { $0 = true }
    let writing = Task { try await store.write { try $0.create(Card(id: "a", title: "t")) } }
    _ = await Scenario.until { store.statistics.pendingCommits > 0 }
    var values = store.observe(Card.self).makeAsyncIterator()
    #expect(await values.next()?.count == 0)
    #expect(store.all(Card.self, where: Card.titled("t")).isEmpty)
    isHeld.withLock { $0 = false }
    _ = try await writing.value
    #expect(store.all(Card.self, where: Card.titled("t")).count == 1)
    let watching = Task { [values] in
      var values = values
      return await values.next()?.count
    }
    let ending = Task {
      try await Task.sleep(for: .seconds(20))
      watching.cancel()
    }
    #expect(await watching.value == 1)
    ending.cancel()
    try await store.close()
  }
}
