import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Stores that are kept in sync")
struct KeepInSyncTests {
  let stores = TestStores()

  /// Waits until a document is as it should be.
  private func wait(
    for store: Store, until isDone: @Sendable @escaping (Document) -> Bool
  ) async {
    for await done in store.values({ isDone($0) }) where done { return }
  }

  @Test("What is committed comes to the other store, until the task ends", .timeLimit(.minutes(30)))
  func folder() async throws {
    let left = try await stores.openForTasks("/left")
    let right = try await stores.openForTasks("/right")
    let keeping = [left, right].map { store in
      Task {
        try await store.keepInSync(
          with: .folder("/relay"), every: .milliseconds(5), gathering: .milliseconds(1))
      }
    }
    for number in 0..<5 {
      let record = "r\(number)"
      try await left.edit { $0.create(record, in: "left") }
      try await right.edit { $0.create(record, in: "right") }
      await wait(for: left) { $0.contains(record, in: "right") }
      await wait(for: right) { $0.contains(record, in: "left") }
    }
    for task in keeping {
      task.cancel()
      try await task.value
    }
    #expect(left.document == right.document)
  }

  @Test(
    "Two stores in one process are kept in sync, and a closed one ends it", .timeLimit(.minutes(30))
  )
  func pair() async throws {
    let left = try await stores.openForTasks("/left")
    let right = try await stores.openForTasks("/right")
    let keeping = Task {
      try await left.keepInSync(with: .store(right), every: .milliseconds(5))
    }
    try await right.edit { $0.create("r", in: "c") }
    await wait(for: left) { $0.contains("r", in: "c") }
    try await left.close()
    try await keeping.value
  }

  @Test("A round that fails is reported, and the next one is tried", .timeLimit(.minutes(30)))
  func failures() async throws {
    let store = try await stores.openForTasks("/store")
    let rounds = Guarded<[Bool]>([])
    let keeping = Task {
      try await store.keepInSync(
        with: .folder("/outer/relay"), every: .milliseconds(2), gathering: .milliseconds(1)
      ) { round in
        rounds.withLock { $0.append((try? round.get()) != nil) }
      }
    }
    while rounds.withLock({ $0.count < 2 }) { await Task.yield() }
    #expect(rounds.withLock { $0.allSatisfy { !$0 } })
    try stores.files.makeFolder(at: "/outer")
    while rounds.withLock({ $0.last != true }) { await Task.yield() }
    keeping.cancel()
    try await keeping.value
  }
}
