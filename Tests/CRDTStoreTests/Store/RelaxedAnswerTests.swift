import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What calls answer that read what relaxed commits wrote, or are relaxed themselves.
@Suite("Answers and relaxed commits")
struct RelaxedAnswerTests {
  private struct Refusal: Error {}

  private func open(_ files: SimulatedFileSystem) throws -> Store {
    try Store.open(at: "/s", for: ScenarioNote.self, options: TestStores(files).options)
  }

  /// How many of the images that a power cut may leave now lack the order.
  private func lackingCount(_ files: SimulatedFileSystem) throws -> Int {
    try files.imagesAfterPowerCut().count { image in
      let left = try open(SimulatedFileSystem(image))
      defer { try? left.close() }
      return try left.get(ScenarioNote.self, "order") == nil
    }
  }

  @Test("A full call that changes nothing, or throws, waits for relaxed commits before it")
  func fullAfterRelaxed() throws {
    let questions: [(Store) throws -> Void] = [
      { store in try store.write { _ = try $0.get(ScenarioNote.self, "order") } },
      { store in
        #expect(throws: RecordError.self) { try store.write { try $0.create(SlowDisk.order) } }
      },
      { store in
        let isThere = try store.edit { $0.contains("order", in: "notes") }
        #expect(isThere)
      },
      { store in #expect(throws: Refusal.self) { try store.edit { _ in throw Refusal() } } },
      { store in
        var other = Document()
        let stamp = HybridTimestamp(milliseconds: 1, replica: ReplicaID(9))
        other.edit(at: stamp) { $0.set("a", of: "r", in: "c", to: 1) }
        let gap = other.edit(at: stamp) { $0.set("a", of: "r", in: "c", to: 2) }
        #expect(throws: StoreError.self) { try store.apply(gap) }
      },
    ]
    for ask in questions {
      let files = SimulatedFileSystem()
      let store = try open(files)
      try store.write(.relaxed) { try $0.create(SlowDisk.order) }
      try ask(store)
      #expect(try lackingCount(files) == 0)
      try store.close()
    }
  }

  @Test("A relaxed call that changes nothing doesn't wait for relaxed commits")
  func relaxedAfterRelaxed() throws {
    let files = SimulatedFileSystem()
    var options = TestStores(files).options
    options.hasThreads = false
    let store = try Store.open(at: "/s", for: ScenarioNote.self, options: options)
    try store.write { try $0.set(setting: "a", to: 1) }
    let calls = files.callCount
    try store.write(.relaxed) { try $0.create(SlowDisk.order) }
    try store.write(.relaxed) { _ = try $0.get(ScenarioNote.self, "order") }
    #expect(throws: RecordError.self) {
      try store.write(.relaxed) { try $0.create(SlowDisk.order) }
    }
    #expect(files.callCount == calls, "it went to the disk")
    try store.close()
  }

  @Test("A relaxed call waits for full commits that it has read")
  func relaxedAfterFull() async throws {
    let disk = try await SlowDisk()
    let (store, files) = (disk.store, disk.files)
    let writing = try await disk.writeOrder()
    let calls = Guarded<[Int]>([])
    let asking = Task {
      try await store.write(.relaxed) { _ = try $0.get(ScenarioNote.self, "order") }
      calls.withLock { $0.append(files.callCount) }
    }
    try await disk.release { calls.withLock { !$0.isEmpty } }
    try await asking.value
    try await writing.value
    let call = try #require(calls.withLock { $0.first })
    #expect(try await disk.imagesWithoutOrder(afterCall: call) == 0)
    try await store.close()
  }
}
