import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Operations that the server did, but whose answers were lost, and whose batches it
/// postpones when they are sent again.
@Suite("Postponed operations that were done before")
struct PostponedInDoubtTests {
  /// An app whose count the server has done or not, and postpones from now on.
  private func counted(isDone: Bool) async throws -> (Scenario, Store.Receipt) {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", likes: 1))
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.likes += 2 }
    }
    if isDone {
      await app.server { $0.answersToLose = 1 }
      _ = await app.outbox.drain()
    }
    await app.server {
      $0.failures = Array(repeating: RemoteError(.serverRejected, "too busy"), count: 1_000)
    }
    return (app, receipt)
  }

  /// Sends until the operation is a dead letter.
  private func exhaust(_ app: Scenario) async throws -> Outbox.Operation {
    for _ in 0..<20 where app.outbox.deadLetters.isEmpty {
      app.outbox.retryWaiting()
      _ = await app.outbox.drain()
    }
    return try #require(app.outbox.deadLetters.first)
  }

  /// Lets the server answer all, and says what is counted here and there.
  private func counts(of app: Scenario) async -> [Document.Value?] {
    await app.server { $0.failures = [] }
    app.outbox.retryWaiting()
    for _ in 0..<3 { _ = await app.outbox.sync() }
    return [
      app.local(ScenarioNote.self, "n1")?["likes"],
      await app.remote(ScenarioNote.self, "n1")?["likes"],
    ]
  }

  @Test("count once, if the app is killed while they wait")
  func killed() async throws {
    let (app, _) = try await counted(isDone: true)
    app.outbox.retryWaiting()
    _ = await app.outbox.sync()
    #expect(app.outbox.pending.first.map { $0.nextAttemptMilliseconds > 0 } == true)
    try await app.store.flush()
    let again = try await app.killed()
    #expect(await again.outbox.pull().changed == 0)
    #expect(await counts(of: again) == [.int(3), .int(3)])
  }

  @Test("count once, if they become dead letters and are sent again")
  func deadLetters() async throws {
    let (app, _) = try await counted(isDone: true)
    let letter = try await exhaust(app)
    #expect(letter.failure?.cause == .attemptsExhausted)
    await app.server { $0.failures = [] }
    app.outbox.retryWaiting()
    _ = await app.outbox.pull()
    try await app.outbox.retry(letter.id)
    #expect(await counts(of: app) == [.int(3), .int(3)])
  }

  @Test("are taken back by an undo where they were not done, and else show what the server has")
  func undone() async throws {
    for isDone in [false, true] {
      let (app, receipt) = try await counted(isDone: isDone)
      _ = try await exhaust(app)
      try await app.store.undo(receipt)
      let counts = await counts(of: app)
      #expect(counts == (isDone ? [.int(3), .int(3)] : [.int(1), .int(1)]), "\(isDone)")
      #expect(app.outbox.deadLetters.isEmpty && app.outbox.pending.isEmpty)
    }
  }
}
