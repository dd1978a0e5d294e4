import CRDTKit
import CRDTStore
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

  @Test("D13, the last writer wins: the later of both stands")
  func lastWriterWins() async throws {
    let app = try await race(["title": "theirs"]) { $0.title = "mine" }
    let note = try #require(try app.store.get(ScenarioNote.self, "n1"))
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    #expect(["theirs", "mine"].contains(note.title))
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
    _ model: Model, _ edit: @Sendable (inout Model) -> Void
  ) async throws -> Scenario where Model.ID == String {
    let app = try await Scenario()
    try await app.store.write { try $0.create(model) }
    #expect(await app.outbox.sync().isComplete)
    await app.serverEdits(Model.self, model.id, [:], isDeleted: true)
    app.pass(1_000)
    try await app.store.write { try $0.update(Model.self, model.id, edit) }
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

  @Test("Deleted at the server and edited here, where the last writer wins: both agree")
  func deletedThereLastWins() async throws {
    _ = try await deletedThere(ScenarioVisit(id: "v1")) { $0.text = "mine" }
  }

  /// Edits a record at the server and deletes it here.
  private func deletedHere<Model: Replicated>(
    _ model: Model, _ fields: [String: Document.Value]
  ) async throws -> Scenario where Model.ID == String {
    let app = try await Scenario()
    try await app.store.write { try $0.create(model) }
    #expect(await app.outbox.sync().isComplete)
    await app.serverEdits(Model.self, model.id, fields)
    app.pass(1_000)
    try await app.store.write { try $0.delete(Model.self, model.id) }
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

  @Test("Deleted here and edited at the server, where the last writer wins: both agree")
  func deletedHereLastWins() async throws {
    _ = try await deletedHere(ScenarioVisit(id: "v1"), ["text": "theirs"])
  }

  @Test("What a server adds to what it accepts is fetched")
  func normalized() async throws {
    let transport = FakeTransport()
    let record = Document.RecordID("n1", in: "notes")
    // The server trims titles, and says so by the version that it accepts.
    let trimming = ScriptedTransport(
      inner: transport,
      afterPush: { (answers) throws(RemoteError) in
        await transport.change { $0.server.edit(record, ["title": "Moon"]) }
        return answers.map { OperationAnswer($0.id, .accepted(serverVersion: "2")) }
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
    let transport = FakeTransport()
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
