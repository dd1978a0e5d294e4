import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What an app asks of its outbox besides sending: who has what, how fresh it is, how
/// much waits, and how long it may take.
@Suite("Receipts, freshness, backlogs and deadlines")
struct UpkeepScenarioTests {
  @Test("A receipt tells when the server has the commit, or refused it")
  func receiptForServer() async throws {
    let app = try await Scenario()
    let receipt = try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n1"))
      try tx.create(ScenarioNote(id: "n2"))
    }
    #expect(receipt.operations.count == 2)
    #expect(app.store.delivery(of: receipt, to: .server) == .pending)
    let store = app.store
    let waiting = Task { await store.waitForDelivery(of: receipt, to: .server) }
    #expect(await app.outbox.sync().isComplete)
    #expect(await waiting.value == .delivered)
    await app.server { $0.server.rejectedFields["title"] = "no" }
    let refused = try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.title = "x" }
    }
    _ = await app.outbox.sync()
    guard case .refused(let failures) = app.store.delivery(of: refused, to: .server) else {
      Issue.record("it isn't failed")
      return
    }
    #expect(failures.map(\.issues) == [[Outbox.FieldIssue("title", "no")]])
  }

  @Test("A receipt that was kept across a kill tells when the server has the commit")
  func receiptAfterKill() async throws {
    let app = try await Scenario()
    await app.goOffline()
    let receipt = try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let kept = try JSONEncoder().encode(receipt)
    let again = try await app.killed()
    let decoded = try JSONDecoder().decode(Store.Receipt.self, from: kept)
    #expect(again.store.delivery(of: decoded, to: .server) == .pending)
    let store = again.store
    let waiting = Task { await store.waitForDelivery(of: decoded, to: .server) }
    await again.goOnline()
    #expect(await again.outbox.sync().isComplete)
    #expect(await waiting.value == .delivered)
  }

  @Test("A receipt tells when a peer has the commit")
  func receiptForPeer() async throws {
    let stores = TestStores()
    let app = try await Scenario(stores, hasPeers: true)
    let peer = try await Scenario(stores, path: "/peer", hasPeers: true)
    let receipt = try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let recipient = Store.Recipient.peer(peer.store.replica)
    #expect(app.store.delivery(of: receipt, to: recipient) == .pending)
    try await app.store.sync(with: .store(peer.store))
    #expect(app.store.delivery(of: receipt, to: recipient) == .delivered)
    #expect(try peer.store.get(ScenarioNote.self, "n1") != nil)
  }

  @Test("What a peer wrote is the peer's to send, and not sent twice")
  func peersEdits() async throws {
    let stores = TestStores()
    let (transport, events) = (FakeServer(), Guarded<[Store.Event]>([]))
    let app = try await Scenario(stores, transport, hasPeers: true, events: events)
    let peer = try await Scenario(stores, transport, path: "/peer", hasPeers: true, events: events)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "a", likes: 2)) }
    try await app.store.sync(with: .store(peer.store))
    #expect(peer.outbox.pending.isEmpty)
    #expect(await app.outbox.sync().isComplete)
    #expect(await peer.outbox.sync().isComplete)
    try await peer.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "b"
        note.likes += 3
      }
    }
    #expect(await peer.outbox.sync().isComplete)
    try await app.store.sync(with: .store(peer.store))
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.effects.count == 2)
    for each in [app, peer] {
      #expect(try each.store.get(ScenarioNote.self, "n1")?.likes == 5)
      let local = each.local(ScenarioNote.self, "n1")
      #expect(await each.remote(ScenarioNote.self, "n1") == local)
    }
  }

  @Test("A count that comes by the server doesn't come by its peer as well, and is right")
  func countByTwoWays() async throws {
    let stores = TestStores()
    let transport = FakeServer()
    let app = try await Scenario(stores, transport)
    let peer = try await Scenario(stores, transport, path: "/peer")
    try await app.syncedNote(ScenarioNote(id: "n1", likes: 2))
    let refusal = StoreError.countedTwice(collection: "notes", field: "likes")
    await #expect(throws: refusal) { try await app.store.sync(with: .store(peer.store)) }
    #expect(await peer.outbox.sync().isComplete)
    try await peer.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.likes += 3 }
    }
    #expect(await peer.outbox.sync().isComplete)
    #expect(await app.outbox.sync().isComplete)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    await #expect(throws: refusal) { try await app.store.sync(with: .store(peer.store)) }
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    for each in [app, peer] {
      #expect(await each.outbox.sync().isComplete)
      #expect(try each.store.get(ScenarioNote.self, "n1")?.likes == 5)
    }
  }

  @Test("A record that is kept here alone is sent when it is published, and not before")
  func localOnly() async throws {
    let app = try await Scenario()
    try await app.store.write { try $0.createLocally(ScenarioNote(id: "n1", title: "x")) }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "draft" } }
    #expect(app.store.status(of: ScenarioNote.self, "n1").isLocalOnly)
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .pending)
    #expect(await app.outbox.sync().sent == 0)
    let again = try await app.killed()
    #expect(try again.store.get(ScenarioNote.self, "n1")?.title == "draft")
    try await again.store.write { try $0.publish(ScenarioNote.self, "n1") }
    #expect(await again.outbox.sync().isComplete)
    #expect(await again.remote(ScenarioNote.self, "n1")?["title"] == "draft")
    #expect(again.store.status(of: ScenarioNote.self, "n1").syncStatus == .synced)
  }

  @Test("What is shown is fresh for a while after all of it was fetched, and not before")
  func freshness() async throws {
    let app = try await Scenario()
    func status() throws -> Store.CollectionStatus {
      try #require(app.store.statuses.first { $0.collection == "notes" })
    }
    #expect(try status().isStale(at: app.stores.clock.milliseconds))
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    _ = await app.outbox.drain()
    // What others have done at the server isn't known yet.
    #expect(try status().isStale(at: app.stores.clock.milliseconds))
    _ = await app.outbox.sync()
    #expect(try !status().isStale(at: app.stores.clock.milliseconds))
    app.pass(301_000)
    #expect(try status().isStale(at: app.stores.clock.milliseconds))
    #expect(try !status().isStale(after: .seconds(600), at: app.stores.clock.milliseconds))
    try await app.store.flush()
    let again = try await app.killed()
    #expect(again.store.statuses == app.store.statuses)
  }

  @Test("R161: the status of collections counts what is here, there, pending and in conflict")
  func statusTable() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", body: "x"))
    await app.serverEdits(ScenarioNote.self, "n2", ["id": "n2", "title": "", "body": ""])
    await app.serverEdits(ScenarioNote.self, "n1", ["body": "theirs"])
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.body = "mine" } }
    _ = await app.outbox.sync()
    try await app.store.write { try $0.create(ScenarioNote(id: "n3")) }
    let status = try #require(app.store.statuses.first { $0.collection == "notes" })
    #expect(status.serverCount == 2 && status.localCount == 3)
    #expect(status.pendingCount == 1 && status.conflictCount == 1 && status.failedCount == 0)
  }

  @Test("Five hundred operations that wait are told of, once each time")
  func backlog() async throws {
    let app = try await Scenario()
    await app.goOffline()
    for start in stride(from: 0, to: 600, by: 100) {
      try await app.store.write(.relaxed) { tx in
        for number in start..<start + 100 { try tx.create(ScenarioNote(id: "n\(number)")) }
      }
    }
    let events = app.events
    @Sendable func count() -> Int {
      events.withLock { events in
        events.count { if case .backlog(count: 500) = $0 { true } else { false } }
      }
    }
    #expect(await Scenario.until { count() == 1 })
    await app.goOnline()
    #expect(await app.outbox.sync().isComplete)
    #expect(count() == 1)
  }

  @Test("A drain with a deadline stops cleanly, and the next goes on where it stopped")
  func deadline() async throws {
    let clock = ManualClock()
    let transport = FakeServer()
    var options = Outbox.Options()
    options.clock = clock
    // Each push takes ten seconds.
    let slow = ScriptedTransport(
      inner: transport, beforePush: { (_) throws(RemoteError) in clock.advance(by: .seconds(10)) })
    let app = try await Scenario(TestStores(), transport, outbox: options, over: slow)
    try await app.store.write { tx in
      for number in 0..<200 { try tx.create(ScenarioNote(id: "n\(number)")) }
    }
    let report = await app.outbox.drain(within: .seconds(25))
    #expect(report.interruption == .deadline)
    #expect(report.accepted >= 100 && report.accepted < 200)
    #expect(report.pending == 200 - report.accepted)
    #expect(await app.outbox.drain(within: .zero).sent == 0)
    app.pass(60_000)
    #expect(await app.outbox.drain().isComplete)
    #expect(await app.effects.count == 200)
  }

  @Test("A drain whose task is cancelled while the server is silent ends, and nothing is lost")
  func cancelled() async throws {
    let app = try await Scenario()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    await app.transport.setLatency(.seconds(600))
    let draining = Task { [outbox = app.outbox] in await outbox.drain() }
    try await Task.sleep(for: .milliseconds(20))
    draining.cancel()
    #expect(await draining.value.pending == 1)
    await app.transport.setLatency(.zero)
    #expect(await app.outbox.drain().isComplete)
  }

  @Test("Pages go on after their cursors, which survive a kill in between")
  func cursors() async throws {
    let app = try await Scenario()
    await app.server { service in
      for number in 0..<450 {
        let record = Document.RecordID("c\(number)", in: "contacts")
        service.server.edit(
          record, ["id": .string("c\(number)"), "name": "x", "email": "", "phone": ""])
      }
    }
    // The network is lost after the first page.
    let pages = Guarded(0)
    let failing = PageLimit(inner: app.transport, pages: pages, max: 1)
    let report = await app.store.outbox(over: failing).pull(["contacts"])
    #expect(report.pulled == 200 && report.interruption != nil)
    try await app.store.flush()
    let again = try await app.killed()
    #expect(again.store.all(ScenarioContact.self).count == 200)
    let rest = await again.outbox.pull(["contacts"])
    #expect(rest.pulled == 250)
    #expect(again.store.all(ScenarioContact.self).count == 450)
    #expect(await again.outbox.pull(["contacts"]).pulled == 0)
  }

  /// A transport that is down after some pages.
  private struct PageLimit: Outbox.Transport {
    let inner: FakeServer
    let pages: Guarded<Int>
    let max: Int

    func push(
      _ operations: [Outbox.Envelope]
    ) async throws(RemoteError) -> [Outbox.Answer] { try await inner.push(operations) }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      let count = pages.withLock { pages in
        pages += 1
        return pages
      }
      guard count <= max else { throw RemoteError(.networkUnavailable) }
      return try await inner.pull(request)
    }
  }

  @Test("D7: a deletion is kept for a peer that is away, and purged when it knows of it")
  func purge() async throws {
    let stores = TestStores()
    let app = try await Scenario(stores, hasPeers: true)
    let peer = try await Scenario(stores, path: "/peer", hasPeers: true)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    try await app.store.sync(with: .store(peer.store))
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    app.pass(29 * 86_400_000)
    try await app.store.compact()
    #expect(app.store.deleted(ScenarioNote.self).count == 1)
    // A peer that was away for less than its retention makes it stay, however old it is.
    app.pass(86_400_000 - 60_000)
    try await app.store.compact()
    #expect(app.store.deleted(ScenarioNote.self).count == 1)
    try await app.store.sync(with: .store(peer.store))
    app.pass(2 * 86_400_000)
    try await app.store.compact()
    #expect(app.store.deleted(ScenarioNote.self).isEmpty)
  }

  @Test("D7: a peer that was retired comes back with the edits that it had not sent")
  func retired() async throws {
    let stores = TestStores()
    let app = try await Scenario(stores, hasPeers: true)
    let peer = try await Scenario(stores, path: "/peer", hasPeers: true)
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n1"))
      try tx.create(ScenarioNote(id: "n2", title: "old"))
    }
    try await app.store.sync(with: .store(peer.store))
    try await peer.store.write { tx in
      try tx.update(ScenarioNote.self, "n2") { $0.title = "edited while away" }
      try tx.create(ScenarioNote(id: "n3", title: "made while away"))
    }
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    try await app.store.forget(peer: peer.store.replica)
    app.pass(40 * 86_400_000)
    try await app.store.compact()
    #expect(app.store.deleted(ScenarioNote.self).isEmpty)
    try await peer.store.sync(with: .store(app.store))
    #expect(app.store.all(ScenarioNote.self).map(\.id) == ["n2", "n3"])
    #expect(try app.store.get(ScenarioNote.self, "n2")?.title == "edited while away")
    #expect(peer.store.document == app.store.document)
  }
}
