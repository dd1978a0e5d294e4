import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("A server in memory, for an app's tests")
struct FakeServerTests {
  @Test("Records of others come, and their deletions; records from here are there, once")
  func exchange() async throws {
    let app = try await Scenario()
    let (server, id) = (app.transport, Document.RecordID("n1", in: ScenarioNote.collection))
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    await server.loseNextAnswers(1)
    #expect(await app.outbox.sync().pending == 1)
    // It did it, and is asked again after a restart.
    let again = try await app.killed()
    #expect(await again.outbox.sync(upon: .user).isComplete)
    #expect(await server.applied.map(\.record) == [id])
    #expect(await server.record(id)?.fields["title"] == "Moon")
    await server.edit(id, ["title": "Sun"])
    #expect(await again.outbox.sync().isComplete)
    #expect(try again.store.get(ScenarioNote.self, "n1")?.title == "Sun")
    await server.delete(id)
    #expect(await again.outbox.sync().isComplete)
    #expect(try again.store.get(ScenarioNote.self, "n1") == nil)
    #expect(await server.record(id)?.isDeleted == true)
  }

  @Test("It fails, rejects and can't be reached as it is told")
  func faults() async throws {
    let app = try await Scenario()
    let server = app.transport
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    let failure = RemoteError(.timeout, "no answer")
    await server.failNextPushes(with: [failure])
    #expect(await app.outbox.sync(upon: .user).interruption == .remote(failure))
    #expect(await server.applied.isEmpty)
    await server.setReachable(false)
    #expect(await app.outbox.sync(upon: .user).pending == 1)
    await server.setReachable(true)
    await server.reject("title", because: "is taken")
    #expect(await app.outbox.sync(upon: .user).deadLettered == 1)
    await server.reject("title", because: nil)
    try await app.outbox.retry(try #require(app.outbox.deadLetters.first?.id))
    #expect(await app.outbox.sync().isComplete)
    #expect(await server.applied.count == 1)
  }
}
