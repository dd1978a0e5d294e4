import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@Suite("Pulling from a server that never ends")
struct PullingTests {
  /// A server that always says that there is more, and goes around in circles.
  private struct Circling: Outbox.Transport {
    /// How many pages there are before the circle, and in it.
    let before: Int
    let length: Int
    let asked = Guarded(0)

    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
      []
    }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      let count = asked.withLock {
        $0 += 1
        return $0
      }
      guard count < 10_000 else { throw RemoteError(.unknown, "this would go on for ever") }
      let place = (request.cursor?.first).map { Int($0) + 1 } ?? 0
      let next = place < before + length ? place : before
      return Outbox.PullPage(records: [], cursor: [UInt8(next)], hasMore: true)
    }
  }

  @Test("A cursor that comes again ends it, after a few rounds of the circle at the most")
  func circles() async throws {
    for (before, length) in [(0, 1), (0, 2), (1, 2), (7, 3), (3, 100), (100, 1), (90, 60)] {
      let server = Circling(before: before, length: length)
      let app = try await Scenario(over: server)
      let report = await app.outbox.pull(["notes"])
      #expect((report.interruption == nil) == (length == 1))
      let asked = server.asked.withLock { $0 }
      #expect(
        asked >= before + length && asked <= 4 * (before + length) + 4,
        "\(before) before \(length): \(asked)")
    }
  }
}
