import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The scenarios that every app without a network meets.
@Suite("Offline scenarios")
struct OfflineTests {
  @Test("R147: the app is launched offline: it shows what it had, and waits for nothing")
  func launch() async throws {
    let first = try await Scenario()
    try await first.syncedNote()
    // That the server has it is kept a little later, or asked for again.
    try await first.store.flush()
    await first.goOffline()
    let again = try await first.killed()
    #expect(try again.store.get(ScenarioNote.self, "n1")?.title == "Moon")
    #expect(again.store.status(of: ScenarioNote.self, "n1").syncStatus == .synced)
    let report = await again.outbox.sync(upon: .launch)
    #expect(report.interruption == .remote(RemoteError(.networkUnavailable, "the server is down")))
    #expect(try again.store.get(ScenarioNote.self, "n1")?.title == "Moon")
  }

  @Test("R148: creates, edits and deletes offline are shown at once, and queued")
  func edits() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.syncedNote(ScenarioNote(id: "n2", title: "Sun"))
    await app.goOffline()
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n3", title: "Star"))
      try tx.update(ScenarioNote.self, "n1") { $0.title = "Full moon" }
      try tx.delete(ScenarioNote.self, "n2")
    }
    #expect(app.store.all(ScenarioNote.self).map(\.title) == ["Full moon", "Star"])
    let queued = app.outbox.pending.map { "\($0.kind) \($0.record.record)" }
    #expect(queued == ["create n3", "update n1", "delete n2"])
    #expect(await app.outbox.sync().pending == 3)
  }

  @Test("R149: going online after edits offline uploads them all")
  func online() async throws {
    let app = try await Scenario()
    await app.goOffline()
    for number in 1...120 {
      try await app.store.write(.relaxed) {
        try $0.create(ScenarioNote(id: "n\(number)", title: "Note \(number)", likes: number % 3))
      }
    }
    for number in 1...40 {
      try await app.store.write(.relaxed) { tx in
        try tx.update(ScenarioNote.self, "n\(number)") {
          $0.likes += 2
          $0.tags.insert("story")
        }
      }
    }
    try await app.store.write { try $0.delete(ScenarioNote.self, "n120") }
    _ = await app.outbox.sync()
    await app.goOnline()
    let report = await app.outbox.sync()
    #expect(report.isComplete && report.conflicts == 0 && report.deadLettered == 0)
    for number in 1...120 {
      let name = "n\(number)"
      #expect(await app.remote(ScenarioNote.self, name) == app.local(ScenarioNote.self, name))
    }
    let sizes = await app.transport.pushSizes
    #expect(sizes.allSatisfy { $0 <= 50 })
  }

  @Test("R150: a conflict during a sync is shown, and resolved for the server as well")
  func conflict() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.serverEdits(ScenarioNote.self, "n1", ["body": "There was a sea."])
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.body = "There was a lake." }
    }
    let report = await app.outbox.sync()
    #expect(report.conflicts == 1 && report.isComplete)
    let conflict = try #require(app.store.conflicts(of: ScenarioNote.self).first)
    #expect(
      Set(conflict.sides.map(\.value)) == ["There was a lake.", "There was a sea."])
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .conflict)
    #expect(await app.remote(ScenarioNote.self, "n1")?["body"] == "There was a sea.")
    let mine = try #require(conflict.sides.first { $0.value == "There was a lake." })
    try await app.store.resolve(conflict, keeping: mine)
    #expect(await app.outbox.sync().isComplete)
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .synced)
    #expect(await app.remote(ScenarioNote.self, "n1")?["body"] == "There was a lake.")
  }

  @Test("R151: what the server rejects is shown, and can be corrected, retried or discarded")
  func rejection() async throws {
    let app = try await Scenario()
    await app.server { $0.server.rejectedFields["title"] = "is taken" }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    let report = await app.outbox.sync()
    #expect(report.deadLettered == 1 && report.pending == 0 && report.interruption == nil)
    let status = app.store.status(of: ScenarioNote.self, "n1")
    #expect(status.syncStatus == .failed)
    #expect(status.failures.first?.issues == [Outbox.FieldIssue("title", "is taken")])
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
    let isTold = await app.hasEvent { if case .deadLettered = $0 { true } else { false } }
    #expect(isTold)

    await app.server { $0.server.rejectedFields = [:] }
    try await app.outbox.retry(try #require(app.outbox.deadLetters.first?.id))
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .pending)
    #expect(await app.outbox.sync().isComplete)
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .synced)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("R152: what was queued offline survives a kill")
  func kill() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.goOffline()
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.likes += 1 }
      try tx.create(ScenarioNote(id: "n2"))
    }
    let pending = app.outbox.pending
    _ = await app.outbox.sync()
    let again = try await app.killed()
    #expect(again.outbox.pending == pending)
    #expect(again.store.status(of: ScenarioNote.self, "n1").syncStatus == .pending)
    await again.goOnline()
    #expect(await again.outbox.sync().isComplete)
    #expect(await again.remote(ScenarioNote.self, "n1")?["likes"] == 1)
    #expect(await again.remote(ScenarioNote.self, "n2") != nil)
  }

  @Test("A user who asks for it doesn't wait as the app does after a failure")
  func userSync() async throws {
    let app = try await Scenario()
    await app.goOffline()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    #expect(await app.outbox.sync().pending == 1)
    await app.server { $0.isDown = false }
    #expect(await app.outbox.sync(upon: .timer).pending == 1)
    #expect(await app.outbox.sync(upon: .user).isComplete)
  }

  @Test("R153: a sync in the background needs no user")
  func background() async throws {
    let app = try await Scenario()
    let scheduler = FakeScheduler { [outbox = app.outbox] _ in
      await outbox.sync(upon: .timer, within: .seconds(30))
    }
    let answer = await scheduler.schedule(
      ScheduledJob("sync", .periodic(every: .seconds(900)), constraints: [.network]))
    #expect(answer == .scheduled)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    await app.serverEdits(
      ScenarioContact.self, "c1", ["id": "c1", "name": "Ada", "email": "", "phone": ""])
    await scheduler.advance(by: .seconds(900))
    await scheduler.waitUntilIdle()
    #expect(app.outbox.pending.isEmpty)
    #expect(await app.remote(ScenarioNote.self, "n1") != nil)
    #expect(try app.store.get(ScenarioContact.self, "c1")?.name == "Ada")
  }

  @Test("R154: a token that expires during a sync is renewed, and the sync goes on")
  func token() async throws {
    let transport = FakeServer()
    let renewals = Guarded(0)
    var options = Outbox.Options()
    options.credentials = SharedCredentials(Credential("0")) { refused in
      let number = renewals.withLock { number in
        #expect(refused == Credential("\(number)"))
        number += 1
        return number
      }
      await transport.change { $0.wantsCredentials = false }
      return Credential("\(number)")
    }
    let app = try await Scenario(TestStores(), transport, outbox: options)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    await app.server { $0.wantsCredentials = true }
    #expect(await app.outbox.sync().isComplete)
    #expect(renewals.withLock { $0 } == 1)
    await app.server { $0.wantsCredentials = true }
    #expect(await app.outbox.pull().interruption == nil)
    #expect(renewals.withLock { $0 } == 2)
  }

  @Test("R154: without another token nothing is lost or sent, until there is one")
  func tokenMissing() async throws {
    let app = try await Scenario()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    await app.server { $0.wantsCredentials = true }
    let report = await app.outbox.sync()
    #expect(report.interruption == .remote(RemoteError(.unauthorized, "the token has expired")))
    #expect(report.pending == 1)
    let isTold = await app.hasEvent { if case .credentialsNeeded = $0 { true } else { false } }
    #expect(isTold)
    await app.server { $0.wantsCredentials = false }
    #expect(await app.outbox.sync().sent == 0)
    app.outbox.credentialsRenewed()
    #expect(await app.outbox.sync().isComplete)
    #expect(app.outbox.deadLetters.isEmpty)
    #expect(await app.effects.count == 1)
  }

  @Test("R155: an edit's badge goes from pending to none, to a conflict, to failed")
  func badges() async throws {
    let app = try await Scenario()
    func badge(_ name: String) -> Store.SyncStatus {
      app.store.status(of: ScenarioNote.self, name).syncStatus
    }
    await app.goOffline()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "Moon")) }
    #expect(badge("n1") == .pending)
    await app.goOnline()
    #expect(await app.outbox.sync().isComplete)
    #expect(badge("n1") == .synced)

    await app.serverEdits(ScenarioNote.self, "n1", ["body": "theirs"])
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.body = "mine" }
    }
    #expect(badge("n1") == .pending)
    _ = await app.outbox.sync()
    #expect(badge("n1") == .conflict)

    // A server's error: the badge stays pending, and the next try has a time.
    try await app.store.write { try $0.create(ScenarioNote(id: "n2")) }
    await app.server { $0.server.delaysLeft[Document.RecordID("n2", in: "notes")] = 1 }
    _ = await app.outbox.sync()
    #expect(badge("n2") == .pending)
    let next = try #require(app.outbox.nextAttemptMilliseconds)
    #expect(next > app.stores.clock.milliseconds)
    app.pass(next - app.stores.clock.milliseconds)
    #expect(await app.outbox.sync().isComplete)
    #expect(badge("n2") == .synced)

    await app.server { $0.server.rejectedFields["title"] = "is too short" }
    try await app.store.write { try $0.create(ScenarioNote(id: "n3")) }
    _ = await app.outbox.sync()
    #expect(badge("n3") == .failed)
  }

  @Test("R155: the badge's changes are told")
  func badgeUpdates() async throws {
    let app = try await Scenario()
    let seen = Guarded<[Store.SyncStatus]>([])
    let store = app.store
    let watching = Task {
      for await status in store.statusUpdates(of: ScenarioNote.self, "n1") {
        seen.withLock { $0.append(status.syncStatus) }
      }
    }
    func waitFor(_ statuses: [Store.SyncStatus]) async -> Bool {
      await Scenario.until { seen.withLock { $0 } == statuses }
    }
    #expect(await waitFor([.synced]))
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    #expect(await waitFor([.synced, .pending]))
    _ = await app.outbox.sync()
    #expect(await waitFor([.synced, .pending, .synced]))
    watching.cancel()
    await watching.value
  }

  @Test("R156: connectivity that comes and goes lets what waits be sent", .timeLimit(.minutes(30)))
  func connectivity() async throws {
    let connectivity = ConnectivityReporter(.offline)
    var options = Outbox.Options()
    options.connectivity = connectivity
    let app = try await Scenario(outbox: options)
    await app.goOffline()
    let running = Task { [outbox = app.outbox] in await outbox.run() }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    for state in [ConnectivityState.captive, .offline, .captive] { connectivity.report(state) }
    #expect(await app.transport.pushSizes.isEmpty)
    await app.server { $0.isDown = false }
    connectivity.report(.online)
    #expect(await Scenario.until { app.outbox.pending.isEmpty })
    try await app.store.write { try $0.create(ScenarioNote(id: "n2")) }
    #expect(await Scenario.until { app.outbox.pending.isEmpty })
    #expect(await app.remote(ScenarioNote.self, "n2") != nil)
    running.cancel()
    await running.value
  }
}
