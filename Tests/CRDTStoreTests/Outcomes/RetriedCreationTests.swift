import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A refused creation is retried with values that later writes have replaced.
@Suite("A refused creation is retried with what is shown")
struct RetriedCreationTests {
  @Test func retried() async throws {
    let app = try await Scenario()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "old")) }
    _ = await app.outbox.sync()
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "new" } }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    for letter in app.outbox.deadLetters where letter.kind == .update {
      _ = try await app.outbox.discard(letter.id, revertingChanges: false)  // the edit stays here
    }
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "new")
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "new")
  }
}
