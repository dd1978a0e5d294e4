import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What becomes of an edit here and another one at the server, by the rules.
@Suite("Edits here and at the server")
struct ServerRuleTests {
  /// Edits here and at the server, and syncs.
  private func race(
    _ fields: [String: Document.Value], isLaterHere: Bool = true,
    _ edit: @Sendable (inout ScenarioNote) -> Void
  ) async throws -> Scenario {
    let app = try await Scenario()
    try await app.syncedNote(
      ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 3, nickname: "M"))
    await app.serverEdits(ScenarioNote.self, "n1", fields)
    if !isLaterHere { app.pass(5_000) }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1", edit) }
    app.pass(5_000)
    let report = await app.outbox.sync()
    #expect(report.isComplete && report.conflicts == 1)
    #expect(await app.effects.count == Set(app.effects).count)
    return app
  }

  @Test("R118: an email changed here and a phone changed there are both changed in the end")
  func fieldMerge() async throws {
    let app = try await Scenario()
    let contact = ScenarioContact(id: "c1", name: "Ada", email: "old@x", phone: "1")
    try await app.store.write { try $0.create(contact) }
    #expect(await app.outbox.sync().isComplete)
    await app.serverEdits(ScenarioContact.self, "c1", ["phone": "2"])
    try await app.store.write { tx in
      try tx.update(ScenarioContact.self, "c1") { $0.email = "new@x" }
    }
    #expect(await app.outbox.sync().isComplete)
    let merged = ScenarioContact(id: "c1", name: "Ada", email: "new@x", phone: "2")
    #expect(try app.store.get(ScenarioContact.self, "c1") == merged)
    #expect(await app.remote(ScenarioContact.self, "c1") == app.local(ScenarioContact.self, "c1"))
  }

  @Test("D13, server wins: what the server has stands, here too, even if it is older")
  func serverWins() async throws {
    for isLaterHere in [true, false] {
      let app = try await race(["stage": "paid"], isLaterHere: isLaterHere) { $0.stage = "open" }
      #expect(try app.store.get(ScenarioNote.self, "n1")?.stage == "paid")
      #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
      // A later write by someone who saw it is another matter.
      try await app.store.write { tx in
        try tx.update(ScenarioNote.self, "n1") { $0.stage = "closed" }
      }
      #expect(await app.outbox.sync().isComplete)
      #expect(await app.remote(ScenarioNote.self, "n1")?["stage"] == "closed")
    }
  }

  @Test("D13, client wins: what was written here stands, and the server is told so")
  func clientWins() async throws {
    let app = try await race(["nickname": "theirs"]) { $0.nickname = "mine" }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.nickname == "mine")
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("D13, the last writer wins: the later of both stands", arguments: LastWriterCase.all)
  func lastWriterWins(_ one: LastWriterCase) async throws {
    let app = try await Scenario()
    await app.serverSays(one.times)
    try await app.syncedNote()
    app.pass(5_000)
    let base = app.stores.clock.milliseconds
    // Whatever happens first here, the times are those of the case.
    app.stores.clock.milliseconds = base + (one.order == .server ? 1_000 : 2_000)
    if one.order == .same { app.stores.clock.milliseconds = base + 1_000 }
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.title = "mine" }
    }
    let mine = app.stores.clock.milliseconds
    app.stores.clock.milliseconds = one.order == .app ? base + 1_000 : base + 2_000
    if one.order == .same { app.stores.clock.milliseconds = mine }
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "theirs"])
    app.stores.clock.milliseconds = base + 9_000
    if one.isPulledFirst {
      _ = await app.outbox.pull()
      #expect(try app.store.get(ScenarioNote.self, "n1")?.title == one.winner)
    }
    #expect(await app.outbox.sync().isComplete)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == one.winner)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == .string(one.winner))
    let isMine = one.winner == "mine"
    #expect(
      app.store.delivery(of: receipt, to: .server) == (isMine ? .delivered : .superseded))
    if !isMine {
      let isTold = await app.hasEvent { event in
        guard case .superseded(let operation) = event else { return false }
        return operation.id == receipt.operations.first
          && operation.changes.map(\.path) == ["title"]
      }
      #expect(isTold)
    }
    // Both values can still be read, until the next write.
    let explanation = try #require(
      app.store.document.explain("title", of: "n1", in: "notes"))
    let values = Set(
      ([explanation.winner].compactMap(\.self) + explanation.losers).map(\.value))
    #expect(values == ["mine", "theirs"])
    // It is the same after the store was opened anew.
    try await app.store.flush()
    let again = try await app.killed()
    #expect(
      again.store.delivery(of: receipt, to: .server) == (isMine ? .delivered : .superseded))
  }

  /// Who writes last, what a server says of that, and how it comes.
  struct LastWriterCase: CustomTestStringConvertible, Sendable {
    enum Order: CaseIterable { case server, app, same }
    let order: Order
    let times: ReferenceServer.Times
    let isPulledFirst: Bool

    /// Without times, what waits is the later one; of one millisecond, the server's is.
    var winner: String { order == .app || times == .none ? "mine" : "theirs" }

    var testDescription: String {
      "\(order) last, \(times), \(isPulledFirst ? "pulled" : "in conflict")"
    }

    static let all: [LastWriterCase] = Order.allCases.flatMap { order in
      ReferenceServer.Times.allCases.flatMap { times in
        [true, false].map { LastWriterCase(order: order, times: times, isPulledFirst: $0) }
      }
    }
  }

  @Test("A server whose clock is far ahead wins what it changed, and nothing that is written later")
  func serverAhead() async throws {
    let app = try await Scenario()
    await app.serverSays(.ofFields)
    try await app.syncedNote()
    await app.server { server in
      server.server.now += 86_400_000
      server.server.edit(Document.RecordID("n1", in: "notes"), ["title": "theirs"])
    }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "mine" } }
    app.pass(1_000)
    #expect(await app.outbox.sync().isComplete)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "theirs")
    // No stamp is ahead of the clock here, so that peers take what it is.
    let latest = try #require(app.store.document.latestTimestamp)
    #expect(latest.milliseconds <= app.stores.clock.milliseconds)
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "later" } }
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "later")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "later")
  }

  @Test("What the server has acknowledged is older than what it says next, without times too")
  func acknowledged() async throws {
    for times in ReferenceServer.Times.allCases {
      let app = try await Scenario()
      await app.serverSays(times)
      try await app.syncedNote()
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "mine" } }
      #expect(await app.outbox.sync().isComplete)
      await app.serverEdits(ScenarioNote.self, "n1", ["title": "theirs"])
      #expect(await app.outbox.sync().isComplete)
      #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "theirs", "\(times)")
    }
  }

  @Test("A field that loses lets the others of its operation be sent, and says so")
  func lostInPart() async throws {
    let app = try await Scenario()
    await app.serverSays(.ofFields)
    try await app.syncedNote()
    let receipt = try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { note in
        note.title = "mine"
        note.nickname = "mine"
        note.likes += 2
      }
    }
    app.pass(1_000)
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "theirs"])
    #expect(await app.outbox.sync().isComplete)
    let note = ScenarioNote(id: "n1", title: "theirs", likes: 2, nickname: "mine")
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    #expect(app.store.delivery(of: receipt, to: .server) == .superseded)
  }

  @Test("What is counted and what sets get is added on both sides")
  func counters() async throws {
    let app = try await race(["likes": 10, "tags": ["a", "b"]]) { note in
      note.likes += 5
      note.tags.insert("c")
      note.tags.remove("a")
    }
    let note = try #require(try app.store.get(ScenarioNote.self, "n1"))
    #expect(note.likes == 15)
    #expect(note.tags == ["b", "c"])
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("Ask the user: a conflict that the server answers keeps both, and the choice is pushed")
  func manual() async throws {
    let app = try await race(["body": "theirs", "title": "Sun"]) { $0.body = "mine" }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Sun")
    let conflict = try #require(app.store.conflicts(of: ScenarioNote.self).first)
    #expect(Set(conflict.sides.map(\.value)) == ["mine", "theirs"])
    #expect(await app.remote(ScenarioNote.self, "n1")?["body"] == "theirs")
    // Another edit of the record is sent meanwhile.
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 1 } }
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 4)
    try await app.store.resolve(conflict, with: "both")
    #expect(await app.outbox.sync().isComplete)
    #expect(app.store.conflicts(of: ScenarioNote.self).isEmpty)
    #expect(await app.remote(ScenarioNote.self, "n1")?["body"] == "both")
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("A conflict that is settled by the server's value needs nothing to be sent but that")
  func manualTheirs() async throws {
    let app = try await race(["body": "theirs"]) { $0.body = "mine" }
    let conflict = try #require(app.store.conflicts(of: ScenarioNote.self).first)
    try await app.store.resolve(conflict, with: "theirs")
    #expect(await app.outbox.sync().isComplete)
    #expect(app.store.status(of: ScenarioNote.self, "n1").syncStatus == .synced)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  /// Deletes a record at the server and edits it here.
  private func deletedThere<Model: Replicated>(
    _ model: Model, isLaterHere: Bool = true, _ edit: @Sendable (inout Model) -> Void
  ) async throws -> Scenario where Model.ID == String {
    let app = try await Scenario()
    await app.serverSays(.ofRecords)
    try await app.store.write { try $0.create(model) }
    #expect(await app.outbox.sync().isComplete)
    app.pass(1_000)
    if isLaterHere { await app.serverEdits(Model.self, model.id, [:], isDeleted: true) }
    app.pass(1_000)
    try await app.store.write { try $0.update(Model.self, model.id, edit) }
    app.pass(1_000)
    if !isLaterHere { await app.serverEdits(Model.self, model.id, [:], isDeleted: true) }
    app.pass(1_000)
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(Model.self, model.id) == app.local(Model.self, model.id))
    return app
  }

  @Test("Deleted at the server and edited here, where edits win: it is there again, whole")
  func deletedThereUpdateWins() async throws {
    let app = try await deletedThere(ScenarioNote(id: "n1", title: "Moon", tags: ["a"])) {
      $0.body = "There was a lake."
    }
    let note = ScenarioNote(id: "n1", title: "Moon", body: "There was a lake.", tags: ["a"])
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Moon")
  }

  @Test("Deleted at the server and edited here, where deletions win: it is gone")
  func deletedThereDeleteWins() async throws {
    let app = try await deletedThere(ScenarioTask(id: "t1")) { $0.text = "mine" }
    #expect(app.local(ScenarioTask.self, "t1") == nil)
    #expect(app.outbox.pending.isEmpty && app.outbox.deadLetters.isEmpty)
  }

  @Test("Deleted at the server and edited here, where the last writer wins: the later stands")
  func deletedThereLastWins() async throws {
    for isLaterHere in [true, false] {
      let app = try await deletedThere(ScenarioVisit(id: "v1"), isLaterHere: isLaterHere) {
        $0.text = "mine"
      }
      let wanted = isLaterHere ? ScenarioVisit(id: "v1", text: "mine") : nil
      #expect(try app.store.get(ScenarioVisit.self, "v1") == wanted)
    }
  }

  /// Edits a record at the server and deletes it here.
  private func deletedHere<Model: Replicated>(
    _ model: Model, isLaterHere: Bool = true, _ fields: [String: Document.Value]
  ) async throws -> Scenario where Model.ID == String {
    let app = try await Scenario()
    await app.serverSays(.ofRecords)
    try await app.store.write { try $0.create(model) }
    #expect(await app.outbox.sync().isComplete)
    app.pass(1_000)
    if isLaterHere { await app.serverEdits(Model.self, model.id, fields) }
    app.pass(1_000)
    try await app.store.write { try $0.delete(Model.self, model.id) }
    app.pass(1_000)
    if !isLaterHere { await app.serverEdits(Model.self, model.id, fields) }
    app.pass(1_000)
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(Model.self, model.id) == app.local(Model.self, model.id))
    return app
  }

  @Test("Deleted here and edited at the server, where edits win: it is kept")
  func deletedHereUpdateWins() async throws {
    let app = try await deletedHere(ScenarioNote(id: "n1"), ["title": "theirs"])
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "theirs")
  }

  @Test("Deleted here and edited at the server, where deletions win: it is gone there")
  func deletedHereDeleteWins() async throws {
    let app = try await deletedHere(ScenarioTask(id: "t1"), ["text": "theirs"])
    #expect(app.local(ScenarioTask.self, "t1") == nil)
  }

  @Test("Deleted here and edited at the server, where the last writer wins: the later stands")
  func deletedHereLastWins() async throws {
    for isLaterHere in [true, false] {
      let app = try await deletedHere(
        ScenarioVisit(id: "v1"), isLaterHere: isLaterHere, ["text": "theirs"])
      let wanted = isLaterHere ? nil : ScenarioVisit(id: "v1", text: "theirs")
      #expect(try app.store.get(ScenarioVisit.self, "v1") == wanted)
    }
  }

  @Test("What a server adds to what it accepts is fetched")
  func normalized() async throws {
    let transport = FakeServer()
    let record = Document.RecordID("n1", in: "notes")
    // The server trims titles, and says so by the version that it accepts.
    let trimming = ScriptedTransport(
      inner: transport,
      afterPush: { (answers) throws(RemoteError) in
        await transport.change { $0.server.edit(record, ["title": "Moon"]) }
        return answers.map { Outbox.Answer($0.id, .accepted(serverVersion: "2")) }
      })
    let app = try await Scenario(TestStores(), transport, over: trimming)
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: " Moon ")) }
    #expect(await app.outbox.sync().isComplete)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Moon")
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }

  @Test("A server's old value reverts no edit of a peer that the server hasn't heard of")
  func peersEdit() async throws {
    let stores = TestStores()
    let transport = FakeServer()
    let app = try await Scenario(stores, transport, hasPeers: true)
    let peer = try await Scenario(stores, transport, path: "/peer", hasPeers: true)
    try await app.syncedNote()
    #expect(await peer.outbox.sync().isComplete)
    await app.goOffline()
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { $0.title = "Full moon" }
    }
    try await app.store.sync(with: .store(peer.store))
    await app.goOnline()
    // The server's record changes elsewhere, and the peer hears of it first.
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "x"])
    app.pass(1_000)
    #expect(await peer.outbox.sync().isComplete)
    #expect(try peer.store.get(ScenarioNote.self, "n1")?.title == "Full moon")
    try await app.store.sync(with: .store(peer.store))
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Full moon")
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Full moon")
  }

  @Test("R120: a read-only collection is filled by the server, and refuses writes")
  func readOnly() async throws {
    let app = try await Scenario()
    await app.serverEdits(ScenarioPrice.self, "1", ["id": 1, "cents": 250])
    #expect(await app.outbox.sync().changed == 1)
    #expect(try app.store.get(ScenarioPrice.self, 1)?.cents == 250)
    await #expect(throws: RecordError.readOnly(collection: "prices")) {
      try await app.store.write { try $0.update(ScenarioPrice.self, 1) { $0.cents = 0 } }
    }
    await app.serverEdits(ScenarioPrice.self, "1", ["cents": 300])
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioPrice.self, 1)?.cents == 300)
    await app.serverEdits(ScenarioPrice.self, "1", [:], isDeleted: true)
    _ = await app.outbox.sync()
    #expect(try app.store.get(ScenarioPrice.self, 1) == nil)
  }
}
