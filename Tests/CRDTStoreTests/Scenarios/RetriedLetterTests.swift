import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Testing

/// Dead letters beside later edits of the same record: whatever order the server does
/// them in, it comes to have what is shown here.
@Suite("Dead letters and later edits of the same record")
struct RetriedLetterTests {
  @Test("Several that are retried undo nothing that the server was told since")
  func retriedAfterLaterEdit() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { note in
        note.likes += 2
        note.title = "Sun"
      }
    }
    _ = await app.outbox.sync()
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 2)
    await app.server { $0.server.rejectedFields = [:] }
    try await retitle("Venus", in: app)
    #expect(await app.outbox.sync().accepted == 1)
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Venus", likes: 2)
  }

  @Test("One that is refused again lets none after it undo what the server was told since")
  func refusedAgain() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server {
      $0.server.rejectedFields["title"] = "no"
      $0.server.rejectedFields["likes"] = "no"
    }
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 2 } }
    _ = await app.outbox.sync()
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields["title"] = nil }
    try await retitle("Venus", in: app)
    #expect(await app.outbox.sync().accepted == 1)
    try await retryAll(of: app)
    #expect(app.outbox.deadLetters.count == 1)
    await app.server { $0.server.rejectedFields = [:] }
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Venus", likes: 2)
  }

  @Test("An edit that makes a record anew tells what it changed over a dead letter's change")
  func madeAnewBesideLetter() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await retitle("Sun", in: app)
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.count == 1)
    await app.server { $0.server.rejectedFields = [:] }
    await app.serverEdits(ScenarioNote.self, "n1", [:], isDeleted: true)
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["title"] == "Mars")
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Mars", likes: 0)
  }

  @Test("Letters that something later replaced are superseded, and the later edit stands")
  func retriedLate() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    var receipts: [Store.Receipt] = []
    for title in ["28", "34"] {
      receipts.append(
        try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } })
      _ = await app.outbox.sync()
    }
    await app.server { $0.server.rejectedFields = [:] }
    try await retitle("49", in: app)
    _ = await app.outbox.sync()
    try await retryAll(of: app)
    try await expectAgreement(app, title: "49", likes: 0)
    for receipt in receipts {
      #expect(app.store.delivery(of: receipt, to: .server) == .superseded)
    }
    let last = receipts[1].operations.first
    let told = await app.hasEvent { event in
      guard case .superseded(let operation) = event else { return false }
      return operation.id == last
    }
    #expect(told)
  }

  @Test("A record made again under an identifier used before is its own")
  func madeAgain() async throws {
    let app = try await Scenario()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    let first = try await app.store.write {
      try $0.create(ScenarioNote(id: "n1", title: "old", tags: ["old"], likes: 3))
    }
    _ = await app.outbox.sync()
    try await app.store.write { try $0.delete(ScenarioNote.self, "n1") }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "new")) }
    _ = await app.outbox.sync()
    try await retitle("58", in: app)
    _ = await app.outbox.sync()
    let again = try await app.killed()
    try await retryAll(of: again)
    try await expectAgreement(again, title: "58", likes: 0)
    #expect(again.store.delivery(of: first, to: .server) == .superseded)
  }

  @Test("Taking back what was refused leaves the record alone that was made anew under its name")
  func revertedAfterMadeAgain() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n2", title: "Moon"))
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write { try $0.create(ScenarioNote(id: "n1", title: "old", likes: 3)) }
    try await app.store.write { try $0.update(ScenarioNote.self, "n2") { $0.title = "Sun" } }
    _ = await app.outbox.sync()
    try await app.store.write { tx in
      for name in ["n1", "n2"] { try tx.delete(ScenarioNote.self, name) }
    }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    let anew = [ScenarioNote(id: "n1", title: "new"), ScenarioNote(id: "n2", title: "Moon anew")]
    try await app.store.write { tx in for note in anew { try tx.create(note) } }
    _ = await app.outbox.sync()
    #expect(app.outbox.deadLetters.map(\.kind).contains(.create))
    for letter in app.outbox.deadLetters {
      try await app.outbox.discard(letter.id, revertingChanges: true)
    }
    for note in anew { #expect(try app.store.get(ScenarioNote.self, note.id) == note) }
    #expect(try await app.heal() == nil)
    let records = anew.map { Document.RecordID($0.id, in: "notes") }
    #expect(await app.discrepancy(of: records) == nil)
  }

  @Test("A letter sends elements that are still there, and takes those that are still gone")
  func elements() async throws {
    let app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", tags: ["a", "b"]))
    await app.server { $0.server.rejectedFields["tags"] = "no" }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.tags = ["b", "c", "d"] }
    }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields = [:] }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { $0.tags = ["a", "b", "d"] }
    }
    _ = await app.outbox.sync()
    try await retryAll(of: app)
    try await expectAgreement(app, title: "Moon", likes: 0)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.tags == ["a", "b", "d"])
  }

  @Test("What was discarded says so, also after the store was opened anew; what is older, nothing")
  func discarded() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    var receipts: [Store.Receipt] = []
    for number in 0..<1_030 {
      receipts.append(
        try await app.store.write(.relaxed) {
          try $0.update(ScenarioNote.self, "n1") { $0.title = "\(number)" }
        })
      _ = await app.outbox.drain()
      let letter = try #require(app.outbox.deadLetters.first)
      guard case .refused = app.store.delivery(of: receipts[number], to: .server) else {
        Issue.record("\(number) is not refused")
        return
      }
      try await app.outbox.discard(letter.id, revertingChanges: false)
    }
    let again = try await app.killed()
    for store in [app.store, again.store] {
      #expect(store.delivery(of: receipts[5], to: .server) == .unknown)
      #expect(store.delivery(of: receipts[6], to: .server) == .discarded)
      #expect(store.delivery(of: receipts[1_029], to: .server) == .discarded)
    }
  }

  @Test(
    "What the server does only when the network repeats a refused request counts once",
    arguments: [false, true], [1, 2])
  func repeatedAfterRefusal(isRestarted: Bool, otherEdits: Int) async throws {
    var app = try await Scenario()
    try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", likes: 1))
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await app.store.write {
      try $0.update(ScenarioNote.self, "n1") { note in
        note.likes += 2
        note.title = "Sun"
      }
    }
    _ = await app.outbox.sync()
    let letter = try #require(app.outbox.deadLetters.first)
    await repeatRequest(of: letter, in: app)
    // The record may have changed again since, and then has another version.
    for number in 1..<otherEdits {
      await app.serverEdits(ScenarioNote.self, "n1", ["title": .string("Mars \(number)")])
    }
    _ = await app.outbox.sync()
    if isRestarted { app = try await app.killed() }
    try await retryAll(of: app)
    try await expectAgreement(app, title: otherEdits > 1 ? "Mars 1" : "Sun", likes: 3)
  }

  @Test("Of several that the network repeats each counts once, also if the app restarts between")
  func repeatedInParts() async throws {
    for isRestarted in [false, true] {
      var app = try await Scenario()
      try await app.syncedNote(ScenarioNote(id: "n1", title: "Moon", likes: 1))
      await app.server { $0.server.rejectedFields = ["title": "no", "likes": "no"] }
      try await retitle("Sun", in: app)
      _ = await app.outbox.sync()
      try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.likes += 2 } }
      _ = await app.outbox.sync()
      let letter = try #require(app.outbox.deadLetters.last)
      await repeatRequest(of: letter, in: app)
      await app.serverEdits(ScenarioNote.self, "n1", ["title": "Sun"])
      _ = await app.outbox.sync()
      for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
      if isRestarted { app = try await app.killed() }
      for _ in 0..<3 { _ = await app.outbox.sync() }
      try await expectAgreement(app, title: "Sun", likes: 3)
    }
  }

  @Test("What was discarded but kept stays, whatever is pulled again")
  func keptStays() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await app.server { $0.server.rejectedFields["title"] = "no" }
    try await retitle("Mars", in: app)
    _ = await app.outbox.sync()
    await app.serverEdits(ScenarioNote.self, "n1", [:], isDeleted: true)
    _ = await app.outbox.sync()
    let letter = try #require(app.outbox.deadLetters.first)
    _ = try await app.outbox.discard(letter.id, revertingChanges: false)
    for _ in 0..<3 { _ = await app.outbox.sync() }
    #expect(try app.store.get(ScenarioNote.self, "n1")?.title == "Mars")
    let again = try await app.killed()
    for _ in 0..<3 { _ = await again.outbox.sync() }
    #expect(try again.store.get(ScenarioNote.self, "n1")?.title == "Mars")
  }

  /// Lets the server, which refuses nothing any more, get a request again.
  private func repeatRequest(of letter: Outbox.Operation, in app: Scenario) async {
    await app.server {
      $0.server.rejectedFields = [:]
      _ = $0.server.push([letter.envelope])
    }
  }

  private func retitle(_ title: String, in app: Scenario) async throws {
    try await app.store.write { try $0.update(ScenarioNote.self, "n1") { $0.title = title } }
  }

  private func retryAll(of app: Scenario) async throws {
    for letter in app.outbox.deadLetters { try await app.outbox.retry(letter.id) }
    _ = await app.outbox.sync()
    _ = await app.outbox.sync()
  }

  private func expectAgreement(_ app: Scenario, title: String, likes: Int) async throws {
    #expect(app.outbox.pending.isEmpty && app.outbox.deadLetters.isEmpty)
    let note = try app.store.get(ScenarioNote.self, "n1")
    #expect(note?.title == title && note?.likes == likes)
    #expect(await app.remote(ScenarioNote.self, "n1") == app.local(ScenarioNote.self, "n1"))
  }
}
