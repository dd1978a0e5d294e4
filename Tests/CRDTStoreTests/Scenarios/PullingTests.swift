import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Pulling pages from a server")
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

  @Test("A page moves the cursor only from where it began, whatever order pages come in")
  func pagesOutOfOrder() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<50 {
      let store = try Store.open(
        at: "/store", for: ScenarioNote.self, options: TestStores().options)
      let outbox = SteppedOutbox(store)
      func cursor() -> [UInt8]? { outbox.beginPage(of: ScenarioNote.collection).request.cursor }
      var model: [UInt8]?
      // Pages that were asked for, each after a cursor, and not all in the order they come in.
      var asked: [(number: Int, start: [UInt8]?)] = []
      for next in 1...40 as ClosedRange<UInt8> {
        let start = Bool.random(using: &random) ? model : [UInt8.random(in: 1...40, using: &random)]
        let (request, number) = outbox.beginPage(of: ScenarioNote.collection, after: start)
        #expect(request.cursor == start ?? model)
        asked.append((number, request.cursor))
        guard let place = asked.indices.randomElement(using: &random) else { continue }
        let page = asked.remove(at: place)
        try outbox.takeIn(
          Outbox.PullPage(records: [], cursor: [next], hasMore: next % 2 == 0), page.number,
          of: ScenarioNote.collection)
        if page.start == model { model = [next] }
        #expect(cursor() == model)
      }
    }
  }
}
