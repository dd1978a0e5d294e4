import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Edits of documents of which a server is told")
struct EditAccessTests {
  @Test("An edit of a queued collection tells the server as a write does, in one commit")
  func queued() async throws {
    let app = try await Scenario()
    try await app.store.edit { edit in
      edit.set("id", of: "n1", in: "notes", to: "n1")
      edit.set("title", of: "n1", in: "notes", to: "Moon")
      try? edit.increment("likes", of: "n1", in: "notes", by: 2)
      edit.insert("x", into: "tags", of: "n1", in: "notes")
      edit.set("anything", of: "r", in: "others", to: 1)
    }
    #expect(app.outbox.pending.map(\.kind) == [.create])
    #expect(await app.outbox.drain().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    try await app.store.edit { edit in
      try? edit.increment("likes", of: "n1", in: "notes", by: 3)
      edit.remove("x", from: "tags", of: "n1", in: "notes")
      edit.insert("y", into: "tags", of: "n1", in: "notes")
    }
    #expect(
      app.outbox.pending.first?.changes.contains(
        Document.FieldChange("likes", .increment(3))) == true)
    #expect(await app.outbox.drain().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 5)
    #expect(await app.remote(ScenarioNote.self, "n1")?["tags"] == ["y"])
    try await app.store.edit { $0.delete("n1", in: "notes") }
    #expect(await app.outbox.drain().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == nil)
    try await app.store.edit { $0.restore("n1", in: "notes") }
    #expect(await app.outbox.drain().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    // An edit that changes nothing tells nothing, and neither does one of another collection.
    try await app.store.edit { $0.set("anything", of: "r", in: "others", to: 2) }
    #expect(app.outbox.pending.isEmpty)
  }

  /// A model whose sets have no rule, and with numbers that may be none.
  private struct Plain: Codable, Identifiable, Replicated {
    let id: String
    var tags: Set<String> = []
    var degrees = 0.0
    var price = Decimal(0)

    static let collection = "plain"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules()
  }

  @Test("An edit, and an undo, tell elements of a set that has no rule, as a write does")
  func setsWithoutRule() async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    let store = try await Store.open(at: "/store", for: Plain.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await store.write { try $0.create(Plain(id: "p", tags: ["a"])) }
    #expect(await outbox.sync().isComplete)
    try await store.edit { $0.insert("b", into: "tags", of: "p", in: "plain") }
    let inserting = Document.FieldChange("tags", .insert(["b"]))
    #expect(outbox.pending.map(\.changes) == [[inserting]])
    #expect(await outbox.sync().isComplete)
    let receipt = try await store.write { tx in
      try tx.update(Plain.self, "p") { $0.tags = ["a", "b", "c"] }
    }
    #expect(await outbox.sync().isComplete)
    try await store.undo(receipt)
    #expect(outbox.pending.map(\.changes) == [[Document.FieldChange("tags", .take(["c"]))]])
    try await store.close()
  }

  @Test("Numbers that JSON can't say are refused, by a write and by an edit")
  func noNumbers() async throws {
    let store = try await Store.open(
      at: "/store", for: Plain.self, options: TestStores().options)
    try await store.write { try $0.create(Plain(id: "p")) }
    let record = Document.RecordID("p", in: "plain")
    for number in [Double.nan, .infinity] {
      await #expect(throws: StoreError.refused(.notFinite(record, "degrees"))) {
        try await store.edit { $0.set("degrees", of: "p", in: "plain", to: .double(number)) }
      }
      await #expect(throws: EncodingError.self) {
        try await store.write { try $0.update(Plain.self, "p") { $0.degrees = number } }
      }
    }
    await #expect(throws: EncodingError.self) {
      try await store.write { try $0.update(Plain.self, "p") { $0.price = .nan } }
    }
    await #expect(throws: EncodingError.self) {
      try await store.write { try $0.create(Plain(id: "q", price: .nan)) }
    }
    #expect(try store.get(Plain.self, "p")?.price == 0 && store.get(Plain.self, "q") == nil)
    try await store.close()
  }

  @Test("An edit of the server's own collections is refused, and nothing of it is done")
  func refused() async throws {
    let app = try await Scenario()
    let (price, payment) = (ScenarioPrice.collection, ScenarioPayment.collection)
    let before = app.store.document
    await #expect(throws: StoreError.refused(.readOnly(collection: price))) {
      try await app.store.edit { edit in
        edit.set("title", of: "n1", in: "notes", to: "Moon")
        edit.set("cents", of: "1", in: price, to: 5)
      }
    }
    await #expect(throws: StoreError.refused(.onlineOnly(collection: payment))) {
      try await app.store.edit { edit throws -> Void in
        edit.set("cents", of: "1", in: payment, to: 5)
      }
    }
    #expect(app.store.document == before)
    #expect(app.outbox.pending.isEmpty)
    // What comes from peers is no write of the app's.
    var other = Document(schema: Schema([ScenarioPrice.self]))
    other.edit(at: HybridTimestamp(time: 1, replica: ReplicaID(99))) { edit in
      edit.set("cents", of: "1", in: price, to: 5)
    }
    let reader = try await Store.open(
      at: "/reader", for: ScenarioPrice.self, options: TestStores().options)
    try await reader.apply(other.delta(since: [:]))
    #expect(reader.document.contains("1", in: price))
    try await reader.close()
  }

  @Test("What an undo uncovers is what the server is told")
  func uncovered() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    let receipt = try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "Sun"
        note.likes += 2
        note.tags.insert("x")
      }
    }
    #expect(await app.outbox.sync().isComplete)
    try await app.store.undo(receipt)
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 0)
  }
}

@Suite("Reading where it is written, and what isn't known")
struct ReadingInWriteTests {
  @Test("The body of a write may read its store, which is as before, and not change it")
  func inBody() throws {
    let stores = TestStores()
    let store = try Store.open(at: "/store", for: Leaf.self, options: stores.options)
    try store.write { try $0.create(Leaf(id: "a")) }
    try store.write { tx in
      try tx.update(Leaf.self, "a") { $0.title = "new" }
      #expect(try store.get(Leaf.self, "a")?.title == "")
      #expect(store.all(Leaf.self).map(\.title) == [""])
      #expect(store.document.records(in: "leaves") == ["a"])
      #expect(try tx.get(Leaf.self, "a")?.title == "new")
      #expect(throws: StoreError.writing(path: "/store")) {
        try store.write { try $0.create(Leaf(id: "b")) }
      }
      #expect(throws: StoreError.writing(path: "/store")) {
        try store.edit { $0.create("b", in: "leaves") }
      }
    }
    #expect(store.all(Leaf.self).map(\.title) == ["new"])
    try store.close()
  }

  @Test("A model that the store wasn't opened for is refused by reads as by writes")
  func unknown() async throws {
    let store = try await Store.open(at: "/store", for: Leaf.self, options: TestStores().options)
    let error = RecordError.unknownModel(collection: "cards")
    #expect(throws: error) { try store.get(Card.self, "a") }
    #expect(throws: error) { try store.draft(Card.self, "a") }
    #expect(store.all(Card.self).error == error && store.all(Card.self).isEmpty)
    #expect(store.all(Leaf.self).error == nil)
    try await store.write { tx in
      #expect(throws: error) { try tx.get(Card.self, "a") }
      #expect(throws: error) { try tx.all(Card.self) }
      #expect(throws: error) { try tx.create(Card(id: "a")) }
    }
    try await store.close()
  }

  @Test("What came of things is said in words")
  func descriptions() async throws {
    let store = try await Store.open(at: "/store", for: Leaf.self, options: TestStores().options)
    let receipt = try await store.write { try $0.create(Leaf(id: "a")) }
    #expect("\(receipt)" == "commit \(try #require(receipt.dot)): created a in leaves")
    #expect("\(try await store.write { _ in })" == "no commit")
    #expect(store.statuses.map(\.description) == ["leaves: 1 here"])
    var report = Outbox.Report()
    #expect("\(report)" == "nothing to do")
    report.sent = 2
    report.pending = 1
    report.interruption = .deadline
    #expect("\(report)" == "2 sent, 1 still waiting, ended early: the time was over")
    let failure = Outbox.Failure(
      .rejected, message: "no", issues: [Outbox.FieldIssue("title", "too long")])
    #expect("\(failure)" == "the server refused it: no; title: too long")
    try await store.close()
  }
}
