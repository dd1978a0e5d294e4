import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Found by seeds 38,191 and 59,160 of the storm: what a letter had written came back when a
/// later one was reverted, and stayed when it was reverted itself.
@Suite("Dead letters are reverted in any order")
struct LettersInAnyOrderTests {
  /// Each change replaces what the one before has written.
  private static let changes: [@Sendable (inout ScenarioNote) -> Void] = [
    { ($0.title, $0.tags) = ("1", ["a"]) },
    { ($0.title, $0.tags) = ("2", ["a", "b"]) },
    { ($0.title, $0.tags) = ("3", ["b"]) },
  ]

  @Test(
    "The record is as the server has it",
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [false, true])
  func anyOrder(order: [Int], isReopened: Bool) async throws {
    var app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "0"))
    await app.server {
      ($0.server.rejectedFields["title"], $0.server.rejectedFields["tags"]) = ("no", "no")
    }
    for change in Self.changes {
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { change(&$0) } }
      _ = await app.outbox.sync()
    }
    try await app.store.flush()
    let letters = app.outbox.deadLetters
    #expect(letters.count == Self.changes.count)
    for place in order {
      if isReopened { app = try await app.killed() }
      _ = try await app.outbox.discard(letters[place].id, revertingChanges: true)
    }
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.title == "0" && note?.tags == [])
  }
}
