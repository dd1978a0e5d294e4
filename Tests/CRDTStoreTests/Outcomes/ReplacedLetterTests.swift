import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A dead letter, long since replaced by accepted writes, hides what the server changes:
/// `StoreCore.base(of:without:)` reverses it as if it were still what is shown.
@Suite("A dead letter that later writes have replaced hides nothing")
struct ReplacedLetterTests {
  private func upd(_ app: Scenario, _ body: @escaping @Sendable (inout ScenarioNote) -> Void)
    async throws
  {
    try await app.store.write { try $0.update(ScenarioNote.self, "n1", body) }
    _ = await app.outbox.sync()
  }
  @Test(arguments: ReferenceServer.Times.allCases)
  func value(_ times: ReferenceServer.Times) async throws {
    let app = try await Scenario()
    await app.serverSays(times)
    try await app.syncedNote()  // "Moon"
    app.pass(10)
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await upd(app) { $0.title = "A" }  // refused
    await app.server { $0.server.rejectedFields = [:] }
    app.pass(10)
    try await upd(app) { $0.title = "B" }  // accepted
    app.pass(10)
    // Later than B, having seen it.
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "Moon"])
    app.pass(10)
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
  }
  /// The later edit is not sent, because a pull brings an equal one of another client's.
  @Test func valueThatAPullBrought() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await upd(app) { $0.title = "A" }  // refused
    await app.server { $0.server.rejectedFields = [:] }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "B" } }
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "B"])
    _ = await app.outbox.pull()
    #expect(app.outbox.pending.isEmpty && app.outbox.deadLetters.isEmpty)
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "Moon"])
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Moon")
  }
  @Test func element() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["tags"] = "no" }
    try await upd(app) { $0.tags = ["a"] }  // refused
    await app.server { $0.server.rejectedFields = [:] }
    try await upd(app) { $0.tags = [] }
    try await upd(app) { $0.tags = ["a"] }  // accepted
    await app.serverEdits(ScenarioNote.self, "n1", ["tags": []])  // another client, who saw it
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.tags == [])
    // "Elements that were removed or inserted again" are superseded; this one is sent:
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["tags"] == [])
  }
  private struct Scored: Codable, Identifiable, Replicated {
    let id: String
    var score: Int?
    static let collection = "scored"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules([CodingKeys.score: .counter])
  }
  @Test func removedCounter() async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    let store = try await Store.open(at: "/s", for: Scored.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await store.write { try $0.create(Scored(id: "r", score: 5)) }
    _ = await outbox.sync()
    await transport.change { $0.server.rejectedFields["score"] = "no" }
    try await store.write { try $0.update(Scored.self, "r") { $0.score = 7 } }  // +2, refused
    _ = await outbox.sync()
    await transport.change { $0.server.rejectedFields = [:] }
    for score in [nil, 1] {
      try await store.write { try $0.update(Scored.self, "r") { $0.score = score } }
      _ = await outbox.sync()
    }
    #expect(try store.get(Scored.self, "r")?.score == 1)
    for letter in outbox.deadLetters { try await outbox.retry(letter.id) }
    _ = await outbox.sync()
    let record = await transport.service.server.record(Document.RecordID("r", in: "scored"))
    #expect(record?.fields["score"] == 1)
  }
}
