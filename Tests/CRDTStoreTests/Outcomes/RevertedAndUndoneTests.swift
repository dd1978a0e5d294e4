import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A refused count that is undone and reverted, in whichever order, is taken back twice;
/// and undoing one that the server never did tells the server to count back.
@Suite("A refused count is taken back once")
struct RevertedAndUndoneTests {
  private func refused() async throws -> (Scenario, Store.Receipt) {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", likes: 5))
    await app.server { $0.server.rejectedFields["likes"] = "no" }
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.likes += 1 }
    }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    return (app, receipt)
  }
  private func expectFive(_ app: Scenario) async throws {
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 5)
  }
  @Test func revertedThenUndone() async throws {
    let (app, receipt) = try await refused()
    for letter in app.outbox.deadLetters {
      _ = try await app.outbox.discard(letter.id, revertingChanges: true)
    }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    _ = try? await app.store.undo(receipt)
    try await expectFive(app)
  }
  @Test(arguments: [true, false])
  func undoneThenDiscarded(isReverting: Bool) async throws {
    let (app, receipt) = try await refused()
    try await app.store.undo(receipt)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    for letter in app.outbox.deadLetters {
      _ = try await app.outbox.discard(letter.id, revertingChanges: isReverting)
    }
    try await expectFive(app)
  }
}
