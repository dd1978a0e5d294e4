import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// A transport that sends what a server is sent as JSON, as most do.
private struct JSONTransport: Outbox.Transport {
  let inner: FakeServer

  func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    let sent: [Outbox.Envelope]
    do {
      let bytes = try JSONEncoder().encode(operations)
      sent = try JSONDecoder().decode([Outbox.Envelope].self, from: bytes)
    } catch {
      throw RemoteError(.serverRejected, "\(error)")
    }
    return try await inner.push(sent)
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    try await inner.pull(request)
  }
}

/// Changes of one field that are staged apart and told as one.
@Suite("Several changes of a field in one commit reach the server")
struct JoinedChangesTests {
  private func makeApp() async throws -> Scenario {
    let transport = FakeServer()
    return try await Scenario(TestStores(), transport, over: JSONTransport(inner: transport))
  }

  /// Syncs, and expects the server to have what is here.
  private func expectSame(
    _ app: Scenario, likes: Int, tags: Set<String>,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let report = await app.outbox.sync()
    #expect(report.isComplete, "\(report)", sourceLocation: location)
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.likes == likes, sourceLocation: location)
    #expect(note?.tags == tags, sourceLocation: location)
    let (remote, local) = (
      await app.remote(ScenarioNote.self, "n1"), app.local(ScenarioNote.self, "n1")
    )
    #expect(remote == local, sourceLocation: location)
  }

  @Test("A draft's counts and elements, and those of a change after it")
  func draft() async throws {
    let app = try await makeApp()
    try await app.syncedNote()
    var form = try app.store.draft(ScenarioNote.self, "n1")
    form.likes += 1
    form.tags.insert("a")
    let saved = form
    try await app.store.write { tx in
      try tx.commit(saved)
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 2
        $0.tags.insert("b")
      }
    }
    try await expectSame(app, likes: 3, tags: ["a", "b"])
  }

  @Test("Elements that a draft inserts, and a change takes out again")
  func inAndOut() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", tags: ["x", "z"]))
    var form = try app.store.draft(ScenarioNote.self, "n1")
    form.tags = ["y", "z"]
    let saved = form
    try await app.store.write { tx in
      try tx.commit(saved)
      try tx.update(ScenarioNote.self, "n1") { $0.tags = ["x"] }
    }
    try await expectSame(app, likes: 0, tags: ["x"])
  }

  @Test("A record that is published and counted up")
  func publishing() async throws {
    let app = try await makeApp()
    try await app.store.write {
      try $0.createLocally(ScenarioNote(id: "n1", tags: ["x"], likes: 5))
    }
    try await app.store.write { tx in
      try tx.publish(ScenarioNote.self, "n1")
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 1
        $0.tags.insert("y")
      }
    }
    try await expectSame(app, likes: 6, tags: ["x", "y"])
  }

  @Test("A record that is restored and counted up")
  func restoring() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", tags: ["x"], likes: 5))
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    #expect(await app.outbox.sync().isComplete)
    try await app.store.write { tx in
      try tx.restore(ScenarioNote.self, "n1")
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 1
        $0.tags = ["y"]
      }
    }
    try await expectSame(app, likes: 6, tags: ["y"])
  }

  @Test("A record that is restored and changed, where another client changed it meanwhile")
  func restoringBesideOthers() async throws {
    let app = try await makeApp()
    try await app.syncedNote(
      ScenarioNote(id: "n1", title: "Moon", tags: ["a", "b", "c"], likes: 5))
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    try await app.store.write { tx in
      try tx.restore(ScenarioNote.self, "n1")
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 1
        $0.tags.remove("a")
        $0.tags.insert("x")
      }
    }
    await app.serverEdits(
      ScenarioNote.self, "n1", ["title": "Sun", "likes": 7, "tags": ["a", "c", "y"]])
    try await expectSame(app, likes: 8, tags: ["c", "x", "y"])
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Sun")
  }

  @Test("What a commit makes and deletes again is told where a deletion from before loses")
  func passing() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 5))
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = "Sun" } }
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n1", title: "Star", tags: ["x"], likes: 1))
      try tx.delete(ScenarioNote.self, "n1")
    }
    #expect(app.outbox.pending.map(\.kind) == [.update, .delete])
    await app.serverEdits(ScenarioNote.self, "n1", ["nickname": "s"])
    try await expectSame(app, likes: 6, tags: ["a", "x"])
    // And where it is restored and deleted again.
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    try await app.store.write { tx in
      try tx.restore(ScenarioNote.self, "n1")
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 2
        $0.tags = ["x", "y"]
      }
      try tx.delete(ScenarioNote.self, "n1")
    }
    await app.serverEdits(ScenarioNote.self, "n1", ["likes": 7])
    try await expectSame(app, likes: 9, tags: ["x", "y"])
    // Where no deletion waits, there is nothing to be told.
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    #expect(await app.outbox.sync().isComplete)
    let receipt = try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "n1", title: "Star", tags: ["x"], likes: 1))
      try tx.delete(ScenarioNote.self, "n1")
    }
    #expect(receipt.operations.isEmpty && app.outbox.pending.isEmpty)
  }

  @Test("A change before a deletion is told where the deletion may lose")
  func changeBeforeDeletion() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", tags: ["a"], likes: 5))
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") {
        $0.likes += 1
        $0.tags = ["x"]
      }
    }
    await app.serverEdits(ScenarioNote.self, "n1", [:])
    _ = await app.outbox.pull()
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    // Another version with nothing new: the deletion neither loses nor can be done as it is.
    await app.serverEdits(ScenarioNote.self, "n1", [:])
    for _ in 0..<3 {
      app.pass(60_000)
      _ = await app.outbox.sync()
    }
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
    #expect(app.local(ScenarioNote.self, "n1") == nil)
  }

  @Test("A record that waits to be made anew isn't mixed with what it was at the server")
  func pullingBeforeReplacing() async throws {
    let app = try await makeApp()
    try await app.store.write {
      try $0.create(ScenarioNote(id: "n1", title: "Moon", tags: ["a"], likes: 5))
    }
    #expect(await app.outbox.drain().isComplete)
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    let note = ScenarioNote(id: "n1", title: "Sun", tags: ["b"], likes: 1)
    try await app.store.write { try $0.create(note) }
    _ = await app.outbox.pull()
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
    try await expectSame(app, likes: 1, tags: ["b"])
    #expect(try app.store.get(ScenarioNote.self, "n1") == note)
  }

  @Test("Two commits that are undone by one")
  func undoing() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", likes: 5))
    let receipts = [
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 1 } },
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 2 } },
    ]
    #expect(await app.outbox.sync().isComplete)
    try await app.store.write { tx in for receipt in receipts { try tx.undo(receipt) } }
    try await expectSame(app, likes: 5, tags: [])
  }

  @Test("A record that is deleted and made anew in one commit is replaced")
  func replacing() async throws {
    let app = try await makeApp()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "a", tags: ["x", "z"], likes: 5))
    try await app.store.write { tx in
      try tx.delete(ScenarioNote.self, "n1")
      try tx.create(ScenarioNote(id: "n1", body: "b", tags: ["y", "z"], likes: 3))
      try tx.update(ScenarioNote.self, "n1") { $0.likes += 1 }
    }
    try await expectSame(app, likes: 4, tags: ["y", "z"])
    // And where it is deleted in the end, nothing else is told.
    try await app.store.write { tx in
      try tx.delete(ScenarioNote.self, "n1")
      try tx.create(ScenarioNote(id: "n1"))
      try tx.delete(ScenarioNote.self, "n1")
    }
    #expect(await app.outbox.sync().isComplete)
    #expect(await app.remote(ScenarioNote.self, "n1") == nil)
  }

  @Test("What is restored online has what it held, and what was changed beside")
  func restoringOnline() async throws {
    let app = try await makeApp()
    let payment = ScenarioPayment(id: "p", cents: 7, memo: "m")
    try await app.outbox.performOnline { try $0.create(payment) }
    try await app.outbox.performOnline { try $0.delete(ScenarioPayment.self, "p") }
    #expect(await app.remote(ScenarioPayment.self, "p") == nil)
    try await app.outbox.performOnline { tx in
      try tx.restore(ScenarioPayment.self, "p")
      try tx.update(ScenarioPayment.self, "p") { $0.cents = 8 }
    }
    #expect(await app.remote(ScenarioPayment.self, "p")?["cents"] == 8)
    #expect(await app.remote(ScenarioPayment.self, "p") == app.local(ScenarioPayment.self, "p"))
  }

  @Test("What was refused is taken back as it was made, in order")
  func discards() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "t", tags: ["x"], likes: 4))
    await app.server { $0.server.rejectedFields = ["title": "no", "likes": "no", "tags": "no"] }
    var form = try app.store.draft(ScenarioNote.self, "n1")
    form.likes += 1
    form.tags = ["y"]
    let saved = form
    try await app.store.write { tx in
      try tx.commit(saved)
      try tx.update(ScenarioNote.self, "n1") {
        $0.likes += 2
        $0.tags = ["z"]
        $0.title = "u"
      }
    }
    #expect(await app.outbox.sync().deadLettered == 1)
    try await app.store.flush()
    let again = try await app.killed()
    let letter = try #require(again.outbox.deadLetters.first)
    try await again.outbox.discard(letter.id, revertingChanges: true)
    let note = try again.store.get(ScenarioNote.self, "n1")
    #expect(note?.title == "t" && note?.likes == 4)
    #expect(note?.tags == ["x"])
    await again.server { $0.server.rejectedFields = [:] }
    #expect(await again.outbox.sync().isComplete)
    #expect(await again.remote(ScenarioNote.self, "n1") == again.local(ScenarioNote.self, "n1"))
  }
}
