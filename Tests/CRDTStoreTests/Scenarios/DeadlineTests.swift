import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What an outbox does where a transport doesn't answer, or never ends.
@Suite("Deadlines of an outbox")
struct DeadlineTests {
  /// A transport whose calls never end, whatever happens.
  private struct Deaf: Outbox.Transport {
    let calls = Recorded<String>()

    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
      calls.append("push")
      await Self.never()
      return []
    }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      calls.append("pull")
      await Self.never()
      return Outbox.PullPage(records: [], cursor: nil, hasMore: false)
    }

    static func never() async {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        // Kept by nobody: the call is never gone on with.
        _ = continuation
      }
    }
  }

  /// An outbox over a transport that never ends, by a clock that a test moves.
  private func deaf(
    _ clock: ManualClock, _ change: (inout Outbox.Options) -> Void = { _ in }
  ) async throws -> (app: Scenario, transport: Deaf) {
    var options = Outbox.Options()
    options.clock = clock
    options.callLimit = .seconds(20)
    change(&options)
    let transport = Deaf()
    return (try await Scenario(outbox: options, over: transport), transport)
  }

  /// Lets time go by until something has come to its end.
  private func passing<Value>(
    _ clock: ManualClock, _ body: () async throws -> Value
  ) async rethrows -> Value {
    let ticking = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(20))
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { ticking.cancel() }
    return try await body()
  }

  @Test("A push and a pull that never end are given up, and count as no answer")
  func calls() async throws {
    let clock = ManualClock()
    let (app, transport) = try await deaf(clock)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let outbox = app.outbox
    for call in ["push", "pull"] {
      let report = await passing(clock) {
        call == "push" ? await outbox.drain() : await outbox.pull()
      }
      guard case .remote(let error)? = report.interruption else {
        Issue.record("\(report)")
        continue
      }
      #expect(error.kind == .timeout && error.message.contains("20"))
      #expect(report.pending == 1 && outbox.pending.map(\.attempts) == [0])
    }
    #expect(transport.calls.values == ["push", "pull"])
  }

  @Test("A payment and a renewal of credentials that never end are given up")
  func online() async throws {
    let clock = ManualClock()
    let (app, _) = try await deaf(clock)
    let outbox = app.outbox
    let error = await #expect(throws: RemoteError.self) {
      try await passing(clock) {
        _ = try await outbox.performOnline { try $0.create(ScenarioPayment(id: "p", cents: 5)) }
      }
    }
    #expect(error?.kind == .timeout && app.local(ScenarioPayment.self, "p") == nil)

    let transport = FakeServer()
    await transport.change { $0.wantsCredentials = true }
    var options = Outbox.Options()
    options.clock = clock
    options.callLimit = .seconds(20)
    let renewals = Recorded<Int>()
    options.credentials = SharedCredentials(Credential("old")) { _ in
      renewals.append(1)
      await Deaf.never()
      return Credential("new")
    }
    let other = try await Scenario(TestStores(), transport, outbox: options)
    try await other.store.write { try $0.create(ScenarioNote(id: "n1")) }
    // No time goes by before the renewal, so that it is that which takes it.
    let draining = Task { await other.outbox.drain() }
    #expect(await eventually { renewals.values.count == 1 })
    let report = await passing(clock) { await draining.value }
    #expect(report.interruption == .remote(RemoteError(.unauthorized, "the token has expired")))
    #expect(report.pending == 1)
  }

  @Test("Running ends when it is cancelled, whatever the transport does", .timeLimit(.minutes(10)))
  func running() async throws {
    let clock = ManualClock()
    let (app, transport) = try await deaf(clock)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let running = Task { await app.outbox.run() }
    #expect(await eventually { transport.calls.values == ["push"] })
    running.cancel()
    await running.value
    let report = await passing(clock) { await app.outbox.sync(within: .seconds(5)) }
    #expect(report.interruption == .deadline)
  }

  @Test("Pages that go round in a circle end, of whatever length it is")
  func circles() async throws {
    for (lead, length) in [(0, 1), (0, 2), (1, 2), (3, 3), (5, 7), (2, 20)] {
      let pages = Recorded<Int>()
      let circle = Circle(lead: lead, length: length, pages: pages)
      let app = try await Scenario(over: circle)
      let report = await app.outbox.pull(["notes"])
      // One that doesn't move at all says that there is no more, as far as that goes.
      #expect((report.interruption == nil) == (length == 1))
      #expect(pages.values.count <= 3 * (lead + length) + 3, "\(lead) and \(length)")
      if length > 1 {
        #expect("\(String(describing: report.interruption))".contains("go round in a circle"))
      }
    }
    // What doesn't come back goes on.
    let pages = Recorded<Int>()
    let app = try await Scenario(over: Circle(lead: 300, length: 1, pages: pages))
    #expect(await app.outbox.pull(["notes"]).interruption == nil)
    #expect(pages.values.count == 302)
  }

  /// A server whose cursors come back.
  private struct Circle: Outbox.Transport {
    let lead: Int
    let length: Int
    let pages: Recorded<Int>

    func push(
      _ operations: [Outbox.Envelope]
    ) async throws(RemoteError) -> [Outbox.Answer] { [] }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      let place = pages.values.count
      pages.append(place)
      guard place < 1_000 else { throw RemoteError(.networkUnavailable, "it goes on for ever") }
      let cursor = place < lead ? place : lead + (place - lead) % length
      let bytes = [UInt8(cursor % 256), UInt8(cursor / 256)]
      return Outbox.PullPage(records: [], cursor: bytes, hasMore: true)
    }
  }
}
