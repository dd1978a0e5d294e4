import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A pull rebases waiting operations from stale copies: the previous values that were
/// passed on from a superseded operation are overwritten (`rebaseWaiting`).
@Suite("A pull keeps the previous values that reverting needs")
struct PullBesideLettersTests {
  @Test func reverted() async throws {
    let app = try await Scenario()
    try await app.syncedNote()  // "Moon"
    for title in ["A", "B"] {  // counts, so the two aren't joined
      try await app.store.write {
        try $0.update(ScenarioNote.self, "n1") {
          $0.title = title
          $0.likes += 1
        }
      }
    }
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    _ = await app.outbox.pull()  // "A" is superseded by "B"; the server never hears of it
    await app.server { $0.server.rejectedFields["title"] = "no" }
    _ = await app.outbox.sync()
    for letter in app.outbox.deadLetters {
      _ = try await app.outbox.discard(letter.id, revertingChanges: true)
    }
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Moon")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
  }
}
