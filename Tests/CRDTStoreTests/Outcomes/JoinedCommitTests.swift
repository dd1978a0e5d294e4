import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Commits that are joined are told with the time of the first (`createdAtMillis`): with a
/// server that keeps those times, as the article asks, an earlier edit wins over a later one.
@Suite("Commits that are joined lose no time that decides")
struct JoinedCommitTests {
  private actor KeepingServer: Outbox.Transport {
    var server = ReferenceServer()
    init() { server.times = .ofFields }
    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
      operations.flatMap { operation in
        server.now = operation.createdMilliseconds
        return server.push([operation])
      }
    }
    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      guard let page = server.pull(request) else { throw RemoteError(.serverRejected) }
      return page
    }
  }
  @Test func later() async throws {
    let p = try await TwoApps(over: KeepingServer())
    try await p.start()
    p.pass(1_000)
    _ = try await p.write(p.a) { $0.note = "x" }
    p.pass(1_000)
    _ = try await p.write(p.b) { $0.title = "b's, earlier" }
    p.pass(1_000)
    _ = try await p.write(p.a) { $0.title = "a's, later" }
    await p.sync()
    #expect(try p.doc(p.a)?.title == "a's, later")
    #expect(try p.doc(p.b)?.title == "a's, later")
  }
}
