import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

// [README]
struct Errand: Codable, Identifiable, Sendable {
  let id: String
  var title: String
  var notes = ""
  var labels: Set<String> = []
  var votes = 0
  var project: String?
}

extension Errand: Replicated {
  static let collection = "errands"
  static let rules = Rules(
    [CodingKeys.notes: .manual, .labels: .set, .votes: .counter], indexed: [.project])
  static let serverAccess = ServerAccess.queued  // a server is told, too; leave it out without one
}

extension Errand {
  static func inProject(_ id: String) -> Query<Errand> {
    Query(CodingKeys.project, equals: .string(id))
  }
}
// [end]

/// What the README shows of records, built and run.
@Suite("The README's records")
struct RecordsReadmeTests {
  @Test("are written, shown, undone and sent")
  func records() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/errands.crdt"
    let transport = FakeTransport()
    try await use(path, transport)
  }

  private func show(_ errands: Records<Errand>) {}

  private func use(_ path: String, _ transport: FakeTransport) async throws {
    // [README]
    let store = try await Store.open(at: path, for: Errand.self)

    // One commit, all or nothing; what is queued for the server is part of it.
    let receipt = try await store.write { tx in
      try tx.create(Errand(id: "t1", title: "Call the bank", project: "home"))
      try tx.create(Errand(id: "t2", title: "Buy paint", project: "home"))
      try tx.update(Errand.self, "t1") { $0.votes += 1 }
    }
    let errand = try store.get(Errand.self, "t1")

    // What a form has changed is written, and nothing else, whatever came in meanwhile.
    var form = try store.draft(Errand.self, "t1")
    form.title = "Call the bank about the loan"
    let saved = form
    try await store.write { try $0.commit(saved) }

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
    #expect(errand?.votes == 1)
    #expect(try store.get(Errand.self, "t1") == nil)
    try await store.write { try $0.create(Errand(id: "t3", title: "Rest")) }
    try await send(store, transport)
    #expect(store.status(of: Errand.self, "t3").syncStatus == .synced)
  }

  private func send(_ store: Store, _ transport: FakeTransport) async throws {
    // [README]
    let outbox = store.outbox(over: transport)
    let report = await outbox.sync()  // or run(), for as long as the app does
    for letter in outbox.deadLetters {  // refused for good: the edit is still here
      try await outbox.discard(letter.id, .keeping)
    }
    let table = store.statuses  // of each collection: local, server, pending, conflicts, last sync
    // [end]
    #expect(report.isComplete && table.map(\.collection) == ["errands"])
  }
}
