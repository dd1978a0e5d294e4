import CRDTKit
import CRDTStore
import Testing

/// What is left of models that were purged.
@Suite("Orphaned models")
struct OrphanedModelTests {
  struct Memo: Replicated, Codable, Identifiable, Equatable {
    static let collection = "memos"
    var id: String
    var title: String
    var body: String
  }

  /// A memo that a server is told of.
  struct SentMemo: Replicated, Codable, Identifiable {
    static let collection = "memos"
    static let serverAccess = ServerAccess.queued
    var id: String
    var title: String
    var body: String
  }

  private let stores = TestStores()

  /// A store that holds what is left of a memo: its body, or all of it.
  private func store(
    isWhole: Bool, for type: (some Replicated).Type = Memo.self
  ) throws -> Store {
    let (one, two) = (ReplicaID(51), ReplicaID(52))
    let at = { (time: UInt64, replica: ReplicaID) in
      HybridTimestamp(milliseconds: time, replica: replica)
    }
    var document = Document()
    try document.edit(at: at(1, one)) { edit in
      try edit.write(Memo(id: "m", title: "old", body: "old"), to: "m", in: "memos")
    }
    var away = document
    away.edit(at: at(2, two)) { edit in
      edit.set("body", of: "m", in: "memos", to: "mine")
      if isWhole {
        edit.set("id", of: "m", in: "memos", to: "m")
        edit.set("title", of: "m", in: "memos", to: "mine")
      }
    }
    document.edit(at: at(3, one)) { $0.delete("m", in: "memos") }
    document.edit(at: at(4, one)) { $0.purge(retention: .zero) }
    document.merge(away)
    let store = try Store.open(at: "/store", for: type, options: stores.options)
    try store.apply(document.delta(since: [:]))
    return store
  }

  @Test("what is whole is restored, and the restoration is undone by deleting")
  func restored() throws {
    let store = try store(isWhole: true)
    let orphan = try #require(store.document.orphanedRecords.first)
    #expect(orphan.fields == ["id": "m", "title": "mine", "body": "mine"])
    let receipt = try store.write { try $0.restore(orphan) }
    let read = { try store.document.read(Memo.self, "m", in: "memos") }
    #expect(try read() == Memo(id: "m", title: "mine", body: "mine"))
    #expect(receipt.records == [orphan.id])
    #expect(throws: RecordError.noOrphan(orphan.id)) { try store.write { try $0.restore(orphan) } }
    #expect(throws: RecordError.noOrphan(orphan.id)) { try store.write { try $0.discard(orphan) } }
    try store.write { try $0.undo(receipt) }
    #expect(try read() == nil)
    #expect(store.document.deletedRecords(in: "memos") == ["m"])
  }

  @Test("what changes together with a restoration is told with it") func changed() throws {
    let store = try store(isWhole: true, for: SentMemo.self)
    let orphan = try #require(store.document.orphanedRecords.first)
    try store.write { tx in
      try tx.restore(orphan)
      try tx.update(SentMemo.self, "m") { $0.title = "after" }
    }
    try store.close()
    let again = try Store.open(at: "/store", for: SentMemo.self, options: stores.options)
    let told = SteppedOutbox(again).pending
    #expect(told.map(\.kind) == [.create])
    let titles = told.flatMap(\.changes).filter { $0.path == "title" }.map(\.change)
    #expect(titles == [.assign("after", before: nil)])
  }

  @Test("what is no whole model is refused, and created from its fields") func partial() throws {
    let store = try store(isWhole: false)
    let orphan = try #require(store.document.orphanedRecords.first)
    #expect(orphan.fields == ["body": "mine"])
    #expect(throws: DecodingError.self) { try store.write { try $0.restore(orphan) } }
    #expect(store.document.orphanedRecords == [orphan], "nothing has changed")
    guard case .string(let body)? = orphan.fields["body"] else { return }
    try store.write { try $0.create(Memo(id: "m", title: "anew", body: body)) }
    #expect(
      try store.document.read(Memo.self, "m", in: "memos")
        == Memo(id: "m", title: "anew", body: "mine"))
    #expect(store.document.orphanedRecords == [])
  }

  @Test("what is discarded is gone, also where the transaction restores it after that")
  func discarded() throws {
    let store = try store(isWhole: true)
    let orphan = try #require(store.document.orphanedRecords.first)
    #expect(throws: RecordError.noOrphan(orphan.id)) {
      try store.write { tx in
        try tx.discard(orphan)
        try tx.restore(orphan)
      }
    }
    #expect(store.document.orphanedRecords == [orphan])
    let receipt = try store.write { try $0.discard(orphan) }
    #expect(store.document.orphanedRecords == [])
    #expect(store.document._table.rowCount == 0)
    try store.write { try $0.undo(receipt) }
    #expect(store.document._table.rowCount == 0, "it can't be undone")
  }
}
