import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What was decided where the sources contradict each other, or are wrong.
@Suite("Decisions on sending and taking in")
struct DecisionTests {
  @Test("D1: pushes have 50 operations at most, pages 200 records")
  func sizes() async throws {
    let app = try await Scenario()
    try await app.store.write { tx in
      for number in 0..<120 { try tx.create(ScenarioNote(id: "n\(number)")) }
    }
    await app.server { service in
      for number in 0..<450 {
        let record = Document.RecordID("c\(number)", in: "contacts")
        service.server.edit(
          record, ["id": .string("c\(number)"), "name": "x", "email": "", "phone": ""])
      }
    }
    let report = await app.outbox.sync()
    #expect(await app.transport.pushSizes == [50, 50, 20])
    #expect(report.isComplete && report.changed == 450)
    #expect(app.store.all(ScenarioContact.self).count == 450)
  }

  @Test("D4: being offline for a day burns no attempt")
  func offlineForLong() async throws {
    let app = try await Scenario()
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    await app.goOffline()
    for _ in 0..<200 {
      _ = await app.outbox.sync()
      app.pass(8 * 60_000)
    }
    let operation = try #require(app.outbox.pending.first)
    #expect(operation.attempts == 0 && app.outbox.deadLetters.isEmpty)
    await app.goOnline()
    #expect(await app.outbox.sync().isComplete)
  }

  @Test("D4: a server that can't do it is tried after 1, 2, 4, 8 and 16 seconds, give or take")
  func backoff() async throws {
    let app = try await Scenario()
    let record = Document.RecordID("n1", in: "notes")
    await app.server { $0.server.delaysLeft[record] = 99 }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    for seconds in [1.0, 2, 4, 8, 16] {
      _ = await app.outbox.sync()
      let next = try #require(app.outbox.nextAttemptMilliseconds)
      let wait = Double(next - app.stores.clock.milliseconds) / 1_000
      #expect(wait >= seconds * 0.74 && wait <= seconds * 1.26, "\(wait) for \(seconds)")
      // Nothing is sent before its time.
      #expect(await app.outbox.drain().sent == 0)
      app.stores.clock.milliseconds = next
    }
    #expect(await app.outbox.sync().deadLettered == 1)
    #expect(app.outbox.deadLetters.first?.failure?.cause == .attemptsExhausted)
  }

  @Test("D4: a server's hint for the next try is honoured")
  func hint() async throws {
    let app = try await Scenario()
    let record = Document.RecordID("n1", in: "notes")
    await app.server { service in
      service.server.delaysLeft[record] = 1
      service.server.delayHint = .seconds(90)
    }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    _ = await app.outbox.sync()
    let next = try #require(app.outbox.nextAttemptMilliseconds)
    #expect(next >= app.stores.clock.milliseconds + 90_000)
    try await app.store.flush()
    let again = try await app.killed()
    #expect(again.outbox.nextAttemptMilliseconds == next)
  }

  @Test("D5: equal increments are two, A to B to A ends at A, assignments become one")
  func coalescing() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    for _ in 0..<2 {
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 1 } }
    }
    #expect(app.outbox.pending.count == 2)
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 2)
    for title in ["B", "C", "Moon"] {
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } }
    }
    #expect(app.outbox.pending.count == 1)
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Moon")
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("D5: a dead letter swallows no later edit that is equal")
  func notAcrossDeadLetters() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "Sun" } }
    #expect(await app.outbox.sync().deadLettered == 1)
    await app.server { $0.server.rejectedFields = [:] }
    for title in ["Star", "Sun"] {
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } }
    }
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Sun")
    // The server has the later edit, which has replaced the refused one.
    #expect(app.outbox.deadLetters.isEmpty)
  }

  @Test("D8: an edit online is queued in its commit first, and the order is kept")
  func queuedFirst() async throws {
    let queued = Guarded<[Int]>([])
    let transport = FakeServer()
    let app = try await Scenario(TestStores(), transport)
    for title in ["1", "2", "3"] {
      try await app.store.write { try $0.create(ScenarioNote(id: "n\(title)", title: title)) }
      queued.withLock { $0.append(app.outbox.pending.count) }
      if title == "1" { await app.goOffline() }
      _ = await app.outbox.sync()
    }
    #expect(queued.withLock { $0 } == [1, 2, 3])
    await app.goOnline()
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.effects.map(\.record.record) == ["n1", "n2", "n3"])
  }

  @Test("D9: a server's whole list erases no edit that waits, nor a record that it lacks")
  func pullKeepsEdits() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "mine"
        note.likes += 1
        note.tags.insert("mine")
      }
      try tx.create(ScenarioNote(id: "new"))
    }
    await app.serverEdits(ScenarioNote.self, "n1", ["body": "theirs"])
    let report = await app.outbox.pull()
    #expect(report.interruption == nil)
    let note = try #require(try app.store.get(ScenarioNote.self, "n1"))
    #expect(note.title == "mine" && note.likes == 1 && note.tags == ["mine"])
    #expect(note.body == "theirs")
    #expect(try app.store.get(ScenarioNote.self, "new") != nil)
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "mine")
  }

  @Test("D9: the same page twice changes nothing the second time")
  func pageTwice() async throws {
    let app = try await Scenario()
    await app.serverEdits(
      ScenarioNote.self, "n1",
      [
        "id": "n1", "title": "t", "body": "b", "tags": ["a"], "likes": 4, "stage": "s",
        "nickname": "",
      ])
    let page = try await app.transport.pull(Outbox.PullRequest(collection: "notes"))
    let fixed = ScriptedPull(page: page)
    let outbox = app.store.outbox(over: fixed)
    #expect(await outbox.pull(["notes"]).changed == 1)
    let version = app.store.document.version
    #expect(await outbox.pull(["notes"]).changed == 0)
    #expect(app.store.document.version == version)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 4)
  }

  /// A transport that gives the same page each time.
  private struct ScriptedPull: Outbox.Transport {
    let page: Outbox.PullPage

    func push(
      _ operations: [Outbox.Envelope]
    ) async throws(RemoteError) -> [Outbox.Answer] { [] }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage { page }
  }

  @Test("D10: an edit that is made while an older one is on its way is not acknowledged with it")
  func editInFlight() async throws {
    let stores = TestStores()
    let transport = FakeServer()
    let made = Guarded<[Store]>([])
    let scripted = ScriptedTransport(
      inner: transport,
      beforePush: { (operations) async throws(RemoteError) in
        guard operations.first?.kind == .create, let store = made.withLock({ $0.first }) else {
          return
        }
        do {
          try await store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "later" } }
        } catch {
          throw RemoteError(.unknown, "\(error)")
        }
      })
    let app = try await Scenario(stores, transport, over: scripted)
    made.withLock { $0 = [app.store] }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "first")) }
    let report = await app.outbox.drain()
    #expect(report.accepted == 2 && report.isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "later")
    made.withLock { $0 = [] }
  }

  @Test("D11: dead letters are listed and exported, and discarded with or without their edits")
  func deadLetters() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 3))
    try await app.syncedNote(ScenarioNote(id: "n2", title: "Sun"))
    await app.server { service in
      service.server.rejectedFields = ["title": "no", "likes": "no"]
    }
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "mine"
        note.likes += 2
      }
      try tx.update(ScenarioNote.self, "n2") { $0.title = "mine" }
      try tx.create(ScenarioNote(id: "n3", title: "mine"))
    }
    #expect(await app.outbox.sync().deadLettered == 3)
    try await app.store.flush()
    let again = try await app.killed()
    let letters = again.outbox.deadLetters
    #expect(letters.map(\.record.record) == ["n1", "n2", "n3"])
    let exported = try JSONEncoder().encode(letters)
    #expect(try JSONDecoder().decode([Outbox.Operation].self, from: exported) == letters)
    #expect(again.store.all(ScenarioNote.self).map(\.title) == ["mine", "mine", "mine"])

    #expect(try await again.outbox.discard(letters[0].id, revertingChanges: true) == letters[0])
    let restored = ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 3)
    #expect(try again.store.get(ScenarioNote.self, "n1") == restored)
    try await again.outbox.discard(letters[1].id, revertingChanges: false)
    #expect(try again.store.get(ScenarioNote.self, "n2")?.title == "mine")
    try await again.outbox.discard(letters[2].id, revertingChanges: true)
    #expect(try again.store.get(ScenarioNote.self, "n3") == nil)
    #expect(again.outbox.deadLetters.isEmpty && again.outbox.pending.isEmpty)
    #expect(try await again.outbox.discard(letters[2].id, revertingChanges: true) == nil)
    await again.server { $0.server.rejectedFields = [:] }
    #expect(await again.outbox.sync().isComplete)
    #expect(await again.remote(ScenarioNote.self, "n1") == again.local(ScenarioNote.self, "n1"))
  }

  @Test("D11: a record that the server has deleted goes with the last dead letter taken back")
  func deadLettersOfDeleted() async throws {
    let stores = TestStores()
    let app = try await Scenario(stores, hasPeers: true)
    let peer = try await Scenario(stores, path: "/peer", hasPeers: true)
    for name in ["n1", "n2", "n3"] { try await app.syncedNote(ScenarioNote(id: name)) }
    try await app.store.sync(with: .store(peer.store))
    await app.server { $0.server.rejectedFields = ["title": "no", "body": "no"] }
    for name in ["n1", "n2", "n3"] {
      try await app.store.write { try $0.update(ScenarioNote.self, name) { $0.title = "mine" } }
      _ = await app.outbox.sync()
    }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.body = "mine" } }
    _ = await app.outbox.sync()
    let letters = app.outbox.deadLetters
    #expect(letters.map(\.record.record) == ["n1", "n2", "n3", "n1"])
    for name in ["n1", "n2", "n3"] {
      await app.serverEdits(ScenarioNote.self, name, [:], isDeleted: true)
    }
    #expect(await app.outbox.sync().isComplete)
    // What a peer has changed, and the server hasn't heard of, is kept as before.
    try await peer.store.write { try $0.update(ScenarioNote.self, "n3") { $0.nickname = "x" } }
    try await app.store.sync(with: .store(peer.store))
    #expect(app.store.all(ScenarioNote.self).map(\.id) == ["n1", "n2", "n3"])

    try await app.outbox.discard(letters[0].id, revertingChanges: true)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.body == "mine")
    try await app.outbox.discard(letters[3].id, revertingChanges: true)
    #expect(try app.store.get(ScenarioNote.self, "n1") == nil)
    try await app.outbox.discard(letters[1].id, revertingChanges: false)
    #expect(try app.store.get(ScenarioNote.self, "n2")?.title == "mine")
    try await app.outbox.discard(letters[2].id, revertingChanges: true)
    #expect(
      try app.store.get(ScenarioNote.self, "n3") == ScenarioNote(id: "n3", nickname: "x"))
    let again = try await app.killed()
    #expect(again.store.all(ScenarioNote.self).map(\.id) == ["n2", "n3"])
    #expect(again.outbox.deadLetters.isEmpty && again.outbox.pending.isEmpty)
  }

  @Test("D11: what is refused holds up no other record, nor later edits of its own")
  func deadLettersDontBlock() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "bad" } }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 1 } }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.body = "good" } }
    let report = await app.outbox.sync()
    // What gives a field its value is sent along with the count before it.
    #expect(report.deadLettered == 1 && report.accepted == 1)
    #expect(await app.remote(ScenarioNote.self, "n1")?["body"] == "good")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "bad")
    // What the server says of it later is taken in beside it.
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    #expect(await app.outbox.sync().pending == 0)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "bad")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.nickname == "x")
  }

  @Test("D12: answers that are lost after a success make no dead letter, and no second effect")
  func lostAnswers() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 5 } }
    await app.server { $0.answersToLose = 8 }
    for _ in 0..<12 {
      _ = await app.outbox.sync()
      app.pass(60_000)
    }
    #expect(app.outbox.deadLetters.isEmpty && app.outbox.pending.isEmpty)
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 5)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    #expect(await app.effects.count == 2)
  }

  @Test("D12: a pull between a lost answer and the next one counts nothing twice")
  func pullInDoubt() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.likes += 5
        note.tags.insert("a")
      }
    }
    await app.server { $0.answersToLose = 1 }
    _ = await app.outbox.drain()
    _ = await app.outbox.pull()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    app.pass(60_000)
    for _ in 0..<2 { _ = await app.outbox.sync() }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 5)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("D12: nor does a pull after a crash before the answer")
  func pullAfterCrash() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 5 } }
    await app.server { $0.answersToLose = 1 }
    _ = await app.outbox.drain()
    let again = try await app.killed()
    _ = await again.outbox.pull()
    #expect(try again.store.get(ScenarioNote.self, "n1")?.likes == 5)
    for _ in 0..<2 { _ = await again.outbox.sync() }
    #expect(try again.store.get(ScenarioNote.self, "n1")?.likes == 5)
    #expect(await again.remote(ScenarioNote.self, "n1")?["likes"] == 5)
  }

  @Test("D14: what must not wait is refused offline, and made at the server first online")
  func onlineOnly() async throws {
    let app = try await Scenario()
    await #expect(throws: RecordError.onlineOnly(collection: "payments")) {
      try await app.store.write { try $0.create(ScenarioPayment(id: "p1", cents: 500)) }
    }
    await app.goOffline()
    await #expect(throws: RemoteError.self) {
      try await app.outbox.performOnline { try $0.create(ScenarioPayment(id: "p1", cents: 500)) }
    }
    #expect(app.local(ScenarioPayment.self, "p1") == nil && app.outbox.pending.isEmpty)
    await app.goOnline()
    try await app.outbox.performOnline { try $0.create(ScenarioPayment(id: "p1", cents: 500)) }
    #expect(await app.remote(ScenarioPayment.self, "p1") == app.local(ScenarioPayment.self, "p1"))
    #expect(app.outbox.pending.isEmpty)
    // What was made online can be changed online.
    try await app.outbox.performOnline { tx in
      try tx.update(ScenarioPayment.self, "p1") { $0.memo = "rent" }
    }
    #expect(await app.remote(ScenarioPayment.self, "p1")?["memo"] == "rent")
    await app.server { $0.server.rejectedFields["memo"] = "is too long" }
    await #expect(throws: Outbox.Failure.self) {
      try await app.outbox.performOnline { tx in
        try tx.update(ScenarioPayment.self, "p1") { $0.memo = "xxx" }
      }
    }
    #expect(try app.store.get(ScenarioPayment.self, "p1")?.memo == "rent")
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioPayment.self, "p1") == app.local(ScenarioPayment.self, "p1"))
  }

  @Test("D15: values that should be unique and came together are reported, not dropped")
  func unique() async throws {
    let app = try await Scenario()
    try await app.store.write { try $0.create(ScenarioContact(id: "c1", email: "a@x")) }
    await app.serverEdits(
      ScenarioContact.self, "c2", ["id": "c2", "name": "", "email": "a@x", "phone": ""])
    #expect(await app.outbox.sync().isComplete)
    #expect(app.store.all(ScenarioContact.self).count == 2)
    let violations = app.store.violations(in: ScenarioContact.self)
    #expect(violations == [.duplicate(field: "email", records: ["c1", "c2"])])
  }
}
