import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What an app sees of a server that fails, and what it can do.
@Suite("What an app sees where it can't sync")
struct CouldNotSyncTests {
  @Test("A change over which the server always fails is a dead letter, told as an event")
  func deadLetter() async throws {
    let transport = FakeServer()
    let failing = ScriptedTransport(
      inner: transport,
      beforePush: { (operations) throws(RemoteError) in
        guard operations.contains(where: { $0.record.record == "bad" }) else { return }
        throw RemoteError(.serverFailed, "status 500")
      })
    let app = try await Scenario(TestStores(), transport, over: failing)
    try await app.store.write { try $0.create(ScenarioNote(id: "bad", title: "x")) }
    for number in 0..<20 where app.outbox.deadLetters.isEmpty {
      try await app.store.write { try $0.create(ScenarioNote(id: "good \(number)")) }
      await app.serverEdits(ScenarioNote.self, "theirs \(number)", ["id": "t", "title": "t"])
      for _ in 0..<4 {
        let report = await app.outbox.sync()
        // The server's changes come all the same.
        #expect(report.answers > 0)
        app.pass(60_000)
      }
      #expect(app.local(ScenarioNote.self, "theirs \(number)") != nil)
      #expect(await app.remote(ScenarioNote.self, "good \(number)") != nil)
    }
    #expect(app.outbox.deadLetters.map(\.record.record) == ["bad"])
    #expect(app.outbox.deadLetters.first?.failure?.cause == .serverFailed)
    #expect(
      await app.hasEvent { event in
        if case .deadLettered(let letter) = event { letter.record.record == "bad" } else { false }
      })
    #expect(app.store.status(of: ScenarioNote.self, "bad").syncStatus == .failed)
    // The edit is still here.
    #expect(try app.store.get(ScenarioNote.self, "bad")?.title == "x")
  }

  @Test("What running does is told: that it couldn't sync, when it tries again, that it could")
  func activities() async throws {
    let clock = ManualClock()
    var options = Outbox.Options()
    options.clock = clock
    let app = try await Scenario(outbox: options)
    let outbox = app.outbox
    #expect(outbox.activity == Outbox.Activity())
    await app.goOffline()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let seen = Recorded<Outbox.Activity>()
    let watching = Task { for await activity in outbox.activities { seen.append(activity) } }
    #expect(await eventually { seen.values == [Outbox.Activity()] })
    let running = Task { await outbox.run() }
    let down = RemoteError(.networkUnavailable, "the server is down")
    #expect(
      await eventually { outbox.activity.failure == .remote(down) && !outbox.activity.isSyncing })
    #expect(outbox.activity.report?.pending == 1)
    let retry = try #require(outbox.activity.retryMilliseconds)
    #expect(retry > app.stores.clock.milliseconds)
    // An exchange that asks nothing makes nothing better.
    _ = await outbox.drain()
    #expect(outbox.activity.failure == .remote(down) && outbox.activity.report?.interruption == nil)
    await app.goOnline()
    #expect(await outbox.sync().isComplete)
    #expect(outbox.activity.failure == nil && outbox.activity.retryMilliseconds == nil)
    #expect(await eventually { seen.values.last == outbox.activity })
    #expect(seen.values.contains { $0.isSyncing } || seen.values.contains { $0.failure != nil })
    running.cancel()
    await running.value
    watching.cancel()
    await watching.value
  }

  @Test("It is told that an exchange is under way for as long as it is")
  func syncing() async throws {
    let gate = Gate()
    let transport = FakeServer()
    let waiting = ScriptedTransport(
      inner: transport, beforePush: { (_) throws(RemoteError) in await gate.wait() })
    let app = try await Scenario(TestStores(), transport, over: waiting)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let outbox = app.outbox
    let syncing = Task { await outbox.sync() }
    #expect(await eventually { outbox.activity.isSyncing && gate.waitingCount == 1 })
    gate.open()
    let report = await syncing.value
    #expect(!outbox.activity.isSyncing && outbox.activity.report == report)
  }

  @Test("A payment is tried again under its key, and paid once")
  func idempotencyKey() async throws {
    let app = try await Scenario()
    let payment = ScenarioPayment(id: "p1", cents: 500)
    await app.server { $0.answersToLose = 1 }
    await #expect(throws: RemoteError(.timeout, "the answer was lost")) {
      try await app.outbox.performOnline(idempotencyKey: "order-1") { try $0.create(payment) }
    }
    #expect(app.local(ScenarioPayment.self, "p1") == nil)
    try await app.outbox.performOnline(idempotencyKey: "order-1") { try $0.create(payment) }
    #expect(app.local(ScenarioPayment.self, "p1") != nil && app.outbox.pending.isEmpty)
    try await app.outbox.performOnline(idempotencyKey: "order-2") { tx in
      try tx.create(ScenarioPayment(id: "p2", cents: 1))
      try tx.create(ScenarioPayment(id: "p3", cents: 1))
    }
    try await app.outbox.performOnline { try $0.create(ScenarioPayment(id: "p4", cents: 1)) }
    let effects = await app.transport.service.server.effects
    #expect(effects.map(\.idempotencyKey) == ["order-1", "order-2", "order-2", nil])
    #expect(Set(effects.map(\.id.dot)).count == 3)
    let sent = try JSONEncoder().encode(effects)
    #expect(try JSONDecoder().decode([Outbox.Envelope].self, from: sent) == effects)
  }

  @Test("A payment that meets an expired token asks for another one, once")
  func renewal() async throws {
    let transport = FakeServer()
    let (renewals, isTaken) = (Recorded<Int>(), Guarded(true))
    var options = Outbox.Options()
    options.credentials = SharedCredentials(Credential("0")) { _ in
      renewals.append(1)
      let isTaken = isTaken.withLock { $0 }
      await transport.change { $0.wantsCredentials = !isTaken }
      return Credential("\(renewals.values.count)")
    }
    let app = try await Scenario(TestStores(), transport, outbox: options)
    await app.server { $0.wantsCredentials = true }
    try await app.outbox.performOnline { try $0.create(ScenarioPayment(id: "p1", cents: 500)) }
    #expect(renewals.values.count == 1 && app.local(ScenarioPayment.self, "p1") != nil)
    isTaken.withLock { $0 = false }
    await app.server { $0.wantsCredentials = true }
    await #expect(throws: RemoteError(.unauthorized, "the token has expired")) {
      try await app.outbox.performOnline { try $0.create(ScenarioPayment(id: "p2", cents: 500)) }
    }
    #expect(renewals.values.count == 2 && app.local(ScenarioPayment.self, "p2") == nil)
  }
}
