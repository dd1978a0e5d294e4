import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Undo reaches into a record that another client of the server made anew.
@Suite("A record that others made anew is another one")
struct MadeAnewAtServerTests {
  @Test func madeAnew() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") {
        $0.likes += 2
        $0.title = "A"
        $0.tags = ["x"]
      }
    }
    _ = await app.outbox.sync()
    await app.serverEdits(ScenarioNote.self, "n1", [:], isDeleted: true)
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1") == nil)
    await app.serverEdits(ScenarioNote.self, "n1", ["likes": 7, "title": "A", "tags": ["x"]])
    _ = await app.outbox.sync()
    let undoing = try await app.store.undo(receipt)
    #expect(!undoing.omissions.isEmpty)
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.likes == 7 && note?.title == "A" && note?.tags == ["x"])
  }

  /// What is equal in both is told by neither, and stays all the same.
  @Test func madeAnewHere() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", tags: ["c", "x"], likes: 1))
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "other"])
    try await app.store.write {
      try $0.delete(ScenarioNote.self, "n1")
      try $0.create(ScenarioNote(id: "n1", title: "New", tags: ["c", "x"]))
    }
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.tags == ["c", "x"])
    #expect(await app.remote(ScenarioNote.self, "n1")?["tags"] == ["c", "x"])
  }
}
