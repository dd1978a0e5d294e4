import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Undo takes the server's row of an equal value for its own (`Editor.owned`: any delegate's).
@Suite("Undo leaves what the server wrote, also if it is equal")
struct UndoBesideServerTests {
  @Test func value() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.title = "A" }
    }
    _ = await app.outbox.sync()
    for title in ["B", "A"] as [Document.Value] {  // by another client, who saw A, then B
      await app.serverEdits(ScenarioNote.self, "n1", ["title": title])
      _ = await app.outbox.sync()
    }
    let undoing = try await app.store.undo(receipt)
    #expect(undoing.omissions.count == 1)
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "A")
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "A")
  }
  @Test func element() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.tags = ["x"] }
    }
    _ = await app.outbox.sync()
    for tags in [[], ["x"]] as [Document.Value] {
      await app.serverEdits(ScenarioNote.self, "n1", ["tags": tags])
      _ = await app.outbox.sync()
    }
    try await app.store.undo(receipt)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.tags == ["x"])
  }
}
