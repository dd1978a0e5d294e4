import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Observing a store")
struct ObservingTests {
  let stores = TestStores()

  @Test("A change says which records a commit has changed, removals too")
  func records() async throws {
    let store = try await stores.openForTasks()
    let changes = store.changes.makeAsyncIterator()
    try await store.edit { $0.set("a", of: "r1", in: "c", to: .int(1)) }
    #expect(await changes.next()?.records == [Document.RecordID("r1", in: "c")])
    try await store.edit {
      $0.remove("a", of: "r1", in: "c")
      $0.create("r2", in: "d")
    }
    let change = await changes.next()
    #expect(change?.mayAffect("r1", in: "c") == true)
    #expect(change?.mayAffect("r2", in: "d") == true)
    #expect(change?.mayAffect("r2", in: "c") == false)
    #expect(change?.mayAffect(collection: "d") == true)
    try await store.close()
    #expect(await changes.next() == nil)
  }

  @Test("Who is slow gets one change for all that was committed; too many are any")
  func coalescing() async throws {
    let store = try await stores.openForTasks()
    let changes = store.changes.makeAsyncIterator()
    for number in 0..<10 {
      try await store.edit(.relaxed) { $0.create("r\(number)", in: "c") }
    }
    #expect(await changes.next()?.records?.count == 10)
    for number in 0..<Store.Change.maximumRecords + 1 {
      try await store.edit(.relaxed) { $0.create("s\(number)", in: "c") }
    }
    let change = await changes.next()
    #expect(change?.records == nil)
    #expect(change?.mayAffect("anything", in: "anywhere") == true)
    try await store.close()
  }

  @Test("A delta from elsewhere is a change of the records whose rows it removes")
  func appliedDelta() async throws {
    let store = try await stores.openForTasks()
    try await store.edit { $0.set("a", of: "r1", in: "c", to: .int(1)) }
    var other = store.document
    let before = other.version
    other.edit(at: HybridTimestamp(milliseconds: stores.clock.milliseconds, replica: ReplicaID(77)))
    { $0.remove("a", of: "r1", in: "c") }
    let changes = store.changes.makeAsyncIterator()
    #expect(try await store.apply(other.delta(since: before)))
    #expect(await changes.next()?.records == [Document.RecordID("r1", in: "c")])
    #expect(try await store.apply(other.delta(since: before)) == false)
    try await store.close()
  }

  @Test("Values come at once, when they are others, and not otherwise")
  func values() async throws {
    let store = try await stores.openForTasks()
    var values = store.values { $0.records(in: "c").count }.makeAsyncIterator()
    #expect(await values.next() == 0)
    try await store.edit { $0.create("r1", in: "c") }
    #expect(await values.next() == 1)
    try await store.edit { $0.set("a", of: "r1", in: "c", to: .int(1)) }
    try await store.edit { $0.create("r2", in: "c") }
    #expect(await values.next() == 2)
    var fields = store.values(of: "r1", in: "c").makeAsyncIterator()
    #expect(await fields.next() == ["a": .int(1)])
    try await store.edit { $0.delete("r1", in: "c") }
    #expect(await fields.next() == .some(nil))
    try await store.close()
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
  }

  @Test("A cancelled task's loop ends")
  func cancellation() async throws {
    let store = try await stores.openForTasks()
    let task = Task {
      var count = 0
      for await _ in store.changes { count += 1 }
      return count
    }
    try await store.edit { $0.create("r1", in: "c") }
    task.cancel()
    #expect(await task.value <= 1)
    try await store.close()
  }

  @Test("Readers don't see a commit that the disk refused")
  func refusedCommit() throws {
    let store = try stores.open()
    try store.put(.int(1))
    stores.files.schedule(DiskFault(.fails(5), kind: .synchronize, isForever: true))
    #expect(throws: StoreError.self) { try store.put(.int(2)) }
    #expect(store.document.value(of: "value", of: "r", in: "c") == .int(1))
    #expect(throws: StoreError.self) { try store.put(.int(3)) }
    #expect(throws: StoreError.self) { try store.close() }
    stores.files.clearFaults()
    let again = try stores.open()
    let value = again.document.value(of: "value", of: "r", in: "c")
    #expect(value == .int(1) || value == .int(2))
    try again.close()
  }
}
