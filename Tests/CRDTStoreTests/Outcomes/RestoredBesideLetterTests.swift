import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A restoration tells the whole record, the refused changes included.
///
/// The letter stays, and
/// counts again: here at the next answer of the server, there when it is retried.
@Suite("A restoration beside a dead letter counts once")
struct RestoredBesideLetterTests {
  @Test(arguments: [false, true])
  func countedTwice(_ isRetried: Bool) async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", likes: 1))
    await app.server { $0.server.rejectedFields["likes"] = "no" }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 3 } }
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 1)
    await app.server { $0.server.rejectedFields = [:] }
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    _ = await app.outbox.sync()
    try await app.store.write { try $0.restore(ScenarioNote.self, "n1") }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 4)
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 4)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 4)
    if isRetried {
      for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
      _ = await app.outbox.sync()
    } else {
      await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
      _ = await app.outbox.sync()
    }
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 4)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 4)
  }
  @Test func creation() async throws {
    let app = try await Scenario()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon", likes: 3)) }
    _ = await app.outbox.sync()
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    try await app.store.write { try $0.restore(ScenarioNote.self, "n1") }
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 3)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 3)
  }
}
