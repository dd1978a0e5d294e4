import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A record made anew after its deletion was refused gets the old record's contents, here and
/// at the server; the letter of the deletion can't be retried any more.
@Suite("A record made anew whose deletion the server has refused is the new one")
struct KeptAtServerTests {
  @Test func mixed() async throws {
    let transport = FakeServer()
    let isRefusing = Guarded(false)
    let app = try await Scenario(
      TestStores(), transport, over: Refuser(inner: transport, isRefusing: isRefusing))
    try await app.syncedNote(ScenarioNote(id: "n1", title: "old", tags: ["old"], likes: 2))
    isRefusing.withLock { $0 = true }
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.map(\.kind) == [.delete])
    isRefusing.withLock { $0 = false }
    let note = ScenarioNote(id: "n1", title: "new", likes: 1)
    try await app.store.write { try $0.create(note) }
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    for _ in 0..<3 {
      app.pass(60_000)
      _ = await app.outbox.sync()
    }
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    #expect(await app.remote(ScenarioNote.self, "n1")?["tags"] == [])
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 1)
  }
  /// A server that may refuse deletions.
  private struct Refuser: Outbox.Transport {
    let inner: FakeServer
    let isRefusing: Guarded<Bool>
    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
      if isRefusing.withLock({ $0 }), operations.contains(where: { $0.kind == .delete }) {
        return operations.map { Outbox.Answer($0.id, .rejected(message: "no", issues: [])) }
      }
      return try await inner.push(operations)
    }
    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      try await inner.pull(request)
    }
  }
}
