import CRDTKit
import CRDTStore
import Testing

/// Dead letters beside later edits of the same record: whatever order the server does
/// them in, it comes to have what is shown here.
@Suite("Dead letters and later edits of the same record")
struct RetriedLetterTests {
  @Test("Several that are retried undo nothing that the server was told since")
  func retriedAfterLaterEdit() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { note in
        note.likes += 2
        note.title = "Sun"
      }
    }
    _ = await app.outbox.sync()
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 2)
    await app.server { $0.server.rejectedFields = [:] }
    try await retitle("Venus", in: app)
    #expect(await app.outbox.sync().accepted == 1)
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Venus", likes: 2)
  }

  @Test("One that is refused again lets none after it undo what the server was told since")
  func refusedAgain() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server {
      $0.server.rejectedFields["title"] = "no"
      $0.server.rejectedFields["likes"] = "no"
    }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 2 } }
    _ = await app.outbox.sync()
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields["title"] = nil }
    try await retitle("Venus", in: app)
    #expect(await app.outbox.sync().accepted == 1)
    try await retryAll(of: app)
    #expect(app.outbox.deadLetters.count == 1)
    await app.server { $0.server.rejectedFields = [:] }
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Venus", likes: 2)
  }

  @Test("An edit that makes a record anew tells what it changed over a dead letter's change")
  func madeAnewBesideLetter() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await retitle("Sun", in: app)
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 1)
    await app.server { $0.server.rejectedFields = [:] }
    await app.serverEdits(ScenarioNote.self, "n1", [:], isDeleted: true)
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Mars")
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Mars", likes: 0)
  }

  private func retitle(_ title: String, in app: Scenario) async throws {
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } }
  }

  private func retryAll(of app: Scenario) async throws {
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    _ = await app.outbox.sync()
    _ = await app.outbox.sync()
  }

  private func expectAgreement(_ app: Scenario, title: String, likes: Int) async throws {
    #expect(app.outbox.pending.isEmpty && app.outbox.deadLetters.isEmpty)
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.title == title && note?.likes == likes)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }
}
