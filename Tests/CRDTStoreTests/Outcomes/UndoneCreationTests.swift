import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Undoing a creation deletes what other clients of the server have written in the record.
@Suite("Undoing a creation leaves a record in which others have written")
struct UndoneCreationTests {
  @Test(arguments: ["title", "tags", "likes", "unknown"])
  func creation(_ field: String) async throws {
    let app = try await Scenario()
    let receipt = try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    _ = await app.outbox.sync()
    let theirs: Document.Value = field == "tags" ? ["t"] : field == "likes" ? 3 : "theirs"
    await app.serverEdits(ScenarioNote.self, "n1", [field: theirs])
    _ = await app.outbox.sync()
    let undoing = try await app.store.undo(receipt)
    #expect(undoing.omissions.count == 1)
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1") != nil)
    #expect(await app.remote(ScenarioNote.self, "n1") != nil)
  }
}
