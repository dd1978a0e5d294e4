import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

// [README]
struct Errand: Replicated {
  let id: String
  var title: String
  var notes = ""
  var labels: Set<String> = []
  var urgency = 0
  var project: String?

  static let collection = "errands"
  static let rules = Rules([CodingKeys.notes: .manual, .urgency: .max], indexed: [.project])
  static let serverAccess = ServerAccess.queued  // a server is told, too; leave it out without one

  static func inProject(_ id: String) -> Store.Query<Errand> {
    Store.Query(CodingKeys.project, equals: .string(id))
  }
}
// [end]

// [README]
struct ErrandServer: Outbox.Transport {
  let http: HTTP  // yours: sends JSON and decodes the answer; what goes wrong is a RemoteError

  func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer] {
    try await http.post("operations", operations)
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    try await http.post("changes", request)
  }
}
// [end]

/// A model of a later version of an app.
struct GrownErrand: Replicated {
  let id: String
  var details = ""
  var priority = 0

  static let collection = "errands"
  // [README]
  static let rules = Rules(
    [CodingKeys.details: .manual], defaults: [.priority: 3], renamed: [.details: "note"])
  // [end]
}

/// An app's way to its server, with the server in this process.
struct HTTP {
  let transport: FakeServer

  func post<Answer: Decodable>(
    _ path: String, _ request: some Encodable
  ) async throws(RemoteError) -> Answer {
    do {
      let body = try JSONEncoder().encode(request)
      let answer: any Encodable
      if path == "operations" {
        let operations = try JSONDecoder().decode([Outbox.Envelope].self, from: body)
        answer = try await transport.push(operations)
      } else {
        answer = try await transport.pull(
          try JSONDecoder().decode(Outbox.PullRequest.self, from: body))
      }
      return try JSONDecoder().decode(Answer.self, from: try JSONEncoder().encode(answer))
    } catch let error as RemoteError {
      throw error
    } catch {
      throw RemoteError(.unknown, "\(error)")
    }
  }
}

/// What the README shows of records, built and run.
@Suite("The README's records")
struct RecordsReadmeTests {
  @Test("are written, shown, undone and sent")
  func records() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/errands.crdt"
    let transport = FakeServer()
    try await use(path, transport)
  }

  private func show(_ errands: Store.Records<Errand>) {}

  private func use(_ path: String, _ transport: FakeServer) async throws {
    // [README]
    let store = try await Store.open(at: path, for: Errand.self)

    // One commit, all or nothing; what is queued for the server is part of it.
    let receipt = try await store.write { tx in
      try tx.create(Errand(id: "t1", title: "Call the bank", project: "home"))
      try tx.create(Errand(id: "t2", title: "Buy paint", project: "home"))
      try tx.update(Errand.self, "t1") { $0.urgency = 3 }
    }
    let errand = try store.get(Errand.self, "t1")
    let home = store.all(Errand.self, where: Errand.inProject("home"))

    // What a form has changed is written, and nothing else, whatever came in meanwhile.
    var form = try store.draft(Errand.self, "t1")
    form.title = "Call the bank about the loan"
    try await store.write { try $0.commit(form) }

    // Now, and whenever one of them changes; only what has changed is read again.
    for await errands in store.observe(Errand.self, where: Errand.inProject("home")) {
      show(errands)
      if errands.count == 2 { break }
    }

    // Two values of a manual field, written at the same time: someone has to choose.
    for conflict in store.conflicts(of: Errand.self) {
      try await store.resolve(conflict, keeping: conflict.sides[0])
    }
    try await store.write { try $0.delete(Errand.self, "t2") }
    try await store.undo(receipt)
    // [end]
    #expect(errand?.urgency == 3 && home.map(\.id) == ["t1", "t2"])
    #expect(try store.get(Errand.self, "t1") == nil)
    try await store.write { try $0.create(Errand(id: "t3", title: "Rest")) }
    try await send(store, HTTP(transport: transport))
    #expect(store.status(of: Errand.self, "t3").syncStatus == .synced)
    try await test(try await Store.open(at: path + ".alone", for: Errand.self))
    // It may go to peers beside the server.
    #expect(try await store.sync(with: .folder(path + ".relay")).isSynchronized)
  }

  private func send(_ store: Store, _ http: HTTP) async throws {
    // [README]
    let outbox = store.outbox(over: ErrandServer(http: http))
    let report = await outbox.sync()  // or run(), for as long as the app does
    for letter in outbox.deadLetters {  // refused for good: the edit is still here
      try await outbox.discard(letter.id, revertingChanges: false)
    }
    let table = store.statuses  // of each collection: local, server, pending, conflicts, last sync
    // [end]
    #expect(report.isComplete && table.map(\.collection) == ["errands"])
  }

  private func test(_ store: Store) async throws {
    // [README]
    let server = FakeServer()
    let outbox = store.outbox(over: server)
    try await store.write { try $0.create(Errand(id: "t4", title: "Call the plumber")) }
    await server.setReachable(false)
    let waiting = await outbox.sync().pending  // 1
    await server.setReachable(true)
    await outbox.sync(upon: .user)
    let sent = await server.applied.map(\.record.record)  // t4
    // Another app changes it.
    await server.edit(Document.RecordID("t4", in: "errands"), ["title": "Pay the plumber"])
    let report = await outbox.sync()
    let title = try store.get(Errand.self, "t4")?.title  // Pay the plumber
    // [end]
    #expect(waiting == 1 && report.isComplete)
    #expect(sent == ["t4"] && title == "Pay the plumber")
  }
}
