import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What servers and apps do that is seldom, and must do no harm.
@Suite("Seldom answers and failures on the way to a server")
struct SeldomAnswerTests {
  @Test("Credentials that are there later let operations go that waited for them")
  func renewal() async throws {
    let answers = Guarded<[Bool]>([false, true])
    let transport = FakeServer()
    var options = Outbox.Options()
    options.credentials = SharedCredentials(Credential("old")) { _ throws(CredentialError) in
      let isRenewed = answers.withLock { $0.isEmpty ? true : $0.removeFirst() }
      guard isRenewed else { throw .unavailable(reason: "not now") }
      await transport.change { $0.wantsCredentials = false }
      return Credential("new")
    }
    let app = try await Scenario(TestStores(), transport, outbox: options)
    await app.server { $0.wantsCredentials = true }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    let first = await app.outbox.sync()
    #expect(first.interruption != nil)
    for _ in 0..<3 {
      app.pass(60_000)
      _ = await app.outbox.sync()
    }
    #expect(app.outbox.pending.isEmpty)
    #expect(await app.remote(ScenarioNote.self, "n1") != nil)
  }

  @Test("A user who signs in again meanwhile is not asked for another credential")
  func signedInMeanwhile() async throws {
    let (provider, transport) = (FakeCredentials(), FakeServer())
    var options = Outbox.Options()
    options.credentials = provider
    let app = try await Scenario(TestStores(), transport, outbox: options)
    await app.server { $0.wantsCredentials = true }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    provider.failure = .signedOut
    #expect(await app.outbox.sync().pending == 1)
    provider.failure = nil
    // The app replaces it for something else.
    let refused = try await provider.credential()
    _ = try await provider.credential(replacing: refused)
    await app.server { $0.wantsCredentials = false }
    #expect(await app.outbox.sync().isComplete)
    #expect(provider.replacedCount == 1)
  }

  @Test("A conflict that can't be taken in leaves no other record's lane blocked")
  func twoConflicts() async throws {
    let transport = FakeServer()
    let scripted = ScriptedTransport(
      inner: transport,
      afterPush: { (answers) throws(RemoteError) in
        answers.map { answer in
          let server = Outbox.ServerRecord(
            record: answer.id.record, version: "9", fields: ["title": "theirs"])
          return Outbox.Answer(answer.id, .conflict(server: server))
        }
      })
    let app = try await Scenario(
      TestStores(), transport, store: { $0.hardLimitBytes = 20_000 }, over: scripted)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    try await app.store.write { try $0.create(ScenarioNote(id: "n2")) }
    try await fill(app)
    let first = await app.outbox.drain()
    #expect(first.interruption != nil)
    app.pass(100_000)
    let second = await app.outbox.drain()
    #expect(second.sent == first.sent)
  }

  @Test("A dead letter whose reversal fails is still there")
  func discardFails() async throws {
    let app = try await Scenario(store: { $0.hardLimitBytes = 20_000 })
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "Sun" } }
    #expect(await app.outbox.sync().deadLettered == 1)
    try await fill(app)
    let letter = try #require(app.outbox.deadLetters.first)
    await #expect(throws: (any Error).self) {
      try await app.outbox.discard(letter.id, revertingChanges: true)
    }
    #expect(app.outbox.deadLetters.map(\.id) == [letter.id])
  }

  @Test("A conflict with another record is no conflict, and is not taken in")
  func otherRecord() async throws {
    let transport = FakeServer()
    let scripted = ScriptedTransport(
      inner: transport,
      afterPush: { (answers) throws(RemoteError) in
        answers.map { answer in
          Outbox.Answer(
            answer.id,
            .conflict(
              server: Outbox.ServerRecord(
                record: Document.RecordID("p1", in: "private"), version: "9",
                fields: ["title": "theirs"])))
        }
      })
    let app = try await Scenario(TestStores(), transport, over: scripted)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "mine")) }
    _ = await app.outbox.drain()
    #expect(app.store.document.fields(of: "p1", in: "private") == nil)
    #expect(app.outbox.pending.count + app.outbox.deadLetters.count == 1)
  }

  @Test("A record that comes twice on a page is taken in once, as it came last")
  func twiceOnAPage() async throws {
    let transport = FakeServer()
    struct Doubling: Outbox.Transport {
      let inner: FakeServer
      let page: Guarded<Outbox.PullPage?>
      func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
        try await inner.push(operations)
      }
      func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
        if request.collection == "notes", let page = page.withLock({ $0 }) { return page }
        return try await inner.pull(request)
      }
    }
    let page = Guarded<Outbox.PullPage?>(nil)
    let app = try await Scenario(
      TestStores(), transport, over: Doubling(inner: transport, page: page))
    try await app.syncedNote()
    let id = Document.RecordID("n1", in: "notes")
    let base = try #require(await app.remote(ScenarioNote.self, "n1"))
    page.withLock {
      $0 = Outbox.PullPage(
        records: [
          Outbox.ServerRecord(
            record: id, version: "2", fields: base.merging(["likes": 1, "title": "A"]) { $1 }),
          Outbox.ServerRecord(
            record: id, version: "3", fields: base.merging(["likes": 2, "title": "B"]) { $1 }),
        ], cursor: nil, hasMore: false)
    }
    _ = await app.outbox.pull()
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.likes == 2 && note?.title == "B")
  }

  @Test("What is fetched while a change is made online is counted once")
  func onlineAndPull() async throws {
    let transport = FakeServer()
    let outboxes = Guarded<Outbox?>(nil)
    struct Pulling: Outbox.Transport {
      let inner: FakeServer
      let outbox: Guarded<Outbox?>
      func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
        let answers = try await inner.push(operations)
        _ = await outbox.withLock { $0 }?.pull()
        return answers
      }
      func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
        try await inner.pull(request)
      }
    }
    let stores = TestStores()
    let store = try await Store.open(at: "/store", for: Paid.self, options: stores.options)
    let outbox = store.outbox(over: Pulling(inner: transport, outbox: outboxes))
    try await outbox.performOnline { try $0.create(Paid(id: "p", count: 1)) }
    outboxes.withLock { $0 = outbox }
    try await outbox.performOnline { try $0.update(Paid.self, "p") { $0.count += 1 } }
    outboxes.withLock { $0 = nil }
    #expect(try store.get(Paid.self, "p")?.count == 2)
    _ = await outbox.sync()
    #expect(try store.get(Paid.self, "p")?.count == 2)
    try await store.close()
  }

  struct Paid: Codable, Identifiable, Sendable, Replicated {
    let id: String
    var count = 0
    static let collection = "paid"
    static let serverAccess = ServerAccess.onlineOnly
    static let rules = Rules([CodingKeys.count: .counter])
  }

  @Test("A page that was on its way when a push was answered takes nothing back")
  func overtakenPage() async throws {
    let outbox = Guarded<Outbox?>(nil)
    let scripted = ScriptedTransport(
      inner: FakeServer(),
      afterPull: { request in
        guard request.collection == "notes" else { return }
        let outbox = outbox.withLock { outbox in
          defer { outbox = nil }
          return outbox
        }
        _ = await outbox?.drain()
      })
    let app = try await Scenario(over: scripted)
    try await app.store.write {
      try $0.create(ScenarioNote(id: "n1", title: "Moon", tags: ["x"], likes: 2))
    }
    #expect(await app.outbox.drain().isComplete)
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") {
        $0.title = "Sun"
        $0.tags.insert("y")
        $0.likes += 1
      }
    }
    outbox.withLock { $0 = app.outbox }
    _ = await app.outbox.pull()
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.title == "Sun" && note?.tags == ["x", "y"] && note?.likes == 3)
    #expect(app.outbox.pending.isEmpty)
    // It is asked for again.
    _ = await app.outbox.pull()
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    #expect(app.store.status(of: ScenarioNote.self, "n1").serverVersion == "2")
    #expect(await app.outbox.pull().pulled == 0)
  }

  @Test("Of two pages on their way at once, the older one takes nothing back")
  func overtakenByPage() async throws {
    let outbox = Guarded<Outbox?>(nil)
    let transport = FakeServer()
    let scripted = ScriptedTransport(
      inner: transport,
      afterPull: { request in
        guard request.collection == "notes" else { return }
        let outbox = outbox.withLock { outbox in
          defer { outbox = nil }
          return outbox
        }
        guard let outbox else { return }
        await transport.change {
          $0.server.edit(Document.RecordID("n1", in: "notes"), ["title": "B"])
        }
        _ = await outbox.pull()
      })
    let app = try await Scenario(TestStores(), transport, over: scripted)
    try await app.syncedNote(ScenarioNote(id: "n1"))
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "A"])
    outbox.withLock { $0 = app.outbox }
    _ = await app.outbox.pull()
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "B")
  }

  @Test("A dead letter that is retried doesn't overtake what the server may have done")
  func retryBesideDoubt() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", likes: 1))
    await app.server { $0.server.rejectedFields["title"] = "no" }
    for title in ["Sun", "Star"] {
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } }
      #expect(await app.outbox.sync().deadLettered == 1)
    }
    await app.server {
      $0.server.rejectedFields = [:]
      $0.answersToLose = 1
    }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") {
        $0.stage = "A"
        $0.title = "Comet"
        $0.likes += 2
      }
    }
    #expect(await app.outbox.sync().interruption != nil)
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.stage = "B" } }
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    for _ in 0..<4 {
      app.pass(120_000)
      _ = await app.outbox.sync()
    }
    #expect(app.outbox.pending.isEmpty)
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.stage == "B" && note?.likes == 3 && note?.title == "Comet")
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("What the user asks for while many commits are made is done")
  func crowdedOut() async throws {
    let transport = FakeServer()
    let isBlocked = Guarded(true)
    let pulls = Guarded(0)
    struct Blocking: Outbox.Transport {
      let inner: FakeServer
      let isBlocked: Guarded<Bool>
      let pulls: Guarded<Int>
      func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
        while isBlocked.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
        return try await inner.push(operations)
      }
      func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
        pulls.withLock { $0 += 1 }
        return try await inner.pull(request)
      }
    }
    var options = Outbox.Options()
    options.policy.mutationDelay = .milliseconds(1)
    let app = try await Scenario(
      TestStores(), transport, outbox: options,
      over: Blocking(inner: transport, isBlocked: isBlocked, pulls: pulls))
    isBlocked.withLock { $0 = false }
    let (triggers, trigger) = AsyncStream.makeStream(of: SyncPolicy.Trigger.self)
    let outbox = app.outbox
    let running = Task { await outbox.run(triggers: triggers) }
    _ = await Scenario.until { pulls.withLock { $0 } >= 4 }
    isBlocked.withLock { $0 = true }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    try await Task.sleep(for: .milliseconds(100))
    let before = pulls.withLock { $0 }
    trigger.yield(.user)
    try await Task.sleep(for: .milliseconds(20))
    for number in 0..<200 {
      try await app.store.write(.relaxed) { try $0.create(ScenarioNote(id: "m\(number)")) }
      try await Task.sleep(for: .milliseconds(1))
    }
    isBlocked.withLock { $0 = false }
    _ = await Scenario.until { app.outbox.pending.isEmpty }
    try await Task.sleep(for: .milliseconds(300))
    #expect(pulls.withLock { $0 } > before)
    running.cancel()
    await running.value
  }

  /// Writes until the store takes no more.
  private func fill(_ app: Scenario) async throws {
    for number in 0..<100 {
      let contact = ScenarioContact(id: "c\(number)", name: String(repeating: "x", count: 900))
      do { try await app.store.write { try $0.create(contact) } } catch { return }
    }
  }

  @Test("What two commits count in a record that the server has deleted is counted once")
  func deletedThere() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", tags: ["a"], likes: 1))
    await app.serverEdits(ScenarioNote.self, "n1", [:], isDeleted: true)
    for amount in [1, 2] {
      try await app.store.write {
        try $0.update(ScenarioNote.self, "n1") {
          $0.likes += amount
          $0.tags = ["b\(amount)"]
        }
      }
    }
    let report = await app.outbox.sync()
    #expect(report.isComplete, "\(report)")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 4)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.tags == ["b2"])
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("A deletion that loses tells the server what its commit had changed before")
  func lostDeletion() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "Sun"
        note.likes += 2
      }
      try tx.delete(ScenarioNote.self, "n1")
    }
    #expect(await app.outbox.sync().isComplete)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Sun")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 2)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }
}
