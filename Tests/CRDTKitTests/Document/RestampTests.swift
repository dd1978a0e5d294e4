import CRDTKit
import CRDTTestSupport
import Testing

/// What is written anew with other stamps reads as before, whatever it was.
@Suite("Rows that get other stamps")
struct RestampTests {
  private static let own = ReplicaID(77)

  /// All that a document shows, but for who wrote it when.
  private struct Contents: Equatable {
    var collections: [String]
    var deleted: [String: [String]]
    var fields: [String: [String: Document.Value]]
    var deletedFields: [String: [String: Document.Value]] = [:]
    var alternatives: [String: [Document.Value]]
    var conflicts: [[Document.Value]]
    var ancestors: [Document.Alternative?]

    init(_ document: Document) {
      let reading = DocumentReading(document)
      collections = reading.collections
      deleted = reading.deleted
      fields = reading.fields
      alternatives = reading.alternatives.mapValues { $0.map(\.value) }
      conflicts = reading.conflicts.map { $0.sides.map(\.value) }
      ancestors = reading.conflicts.map(\.ancestor)
      for (collection, names) in reading.deleted {
        for name in names {
          deletedFields["\(collection)/\(name)"] = document.deletedFields(of: name, in: collection)
        }
      }
    }
  }

  /// A schema under which it doesn't matter which plain replica wrote a value.
  private static let schema: Schema = {
    var schema = DocumentSamples.schema
    for name in schema.collections.keys {
      for field in ["server", "client"] as [FieldPath] {
        schema.collections[name]?.fields[field] = .lastWriterWins
      }
    }
    return schema
  }()

  @Test("reads as before, on the copies that take it in too")
  func random() throws {
    var (moved, whole, conflicts, deletions) = (0, 0, 0, 0)
    for seed in 0..<UInt64(isLongRun ? 20_000 : 150) {
      let documents = relatedDocuments(count: 3, stepCount: 60, seed: seed)
      var document = documents[0]
      document.schema = Self.schema
      for other in documents { document.merge(other) }
      let (before, copy) = (Contents(document), document)
      let limit: UInt64 = seed % 3 == 0 ? 0 : (10 + seed % 20) << 16
      let writer = seed % 2 == 0 ? Self.own : DocumentSamples.replicas[0]
      let counts = document.foreignCounts(after: limit, of: writer)
      guard
        let restamped = document.restamp(
          after: limit, at: HybridTimestamp(time: limit / 2, replica: writer))
      else {
        #expect(document.version == copy.version)
        continue
      }
      moved += restamped.moves.count
      conflicts += before.conflicts.count
      deletions += before.deletedFields.count
      #expect(Contents(document) == before, "seed \(seed)")
      try document._table.checkSoundness()
      // No more than a place for each row that was written, beyond those that stayed.
      let latest = max(limit, limit / 2) + UInt64(restamped.moves.count)
      #expect(restamped.latest <= latest && restamped.latest >= limit / 2)
      if counts.isEmpty {
        whole += 1
        #expect(document.latestTimestamp?.time ?? 0 <= latest, "seed \(seed)")
      }
      var other = copy
      let isNew = try other.apply(restamped.delta)
      #expect(isNew)
      #expect(other == document && other.encoded() == document.encoded(), "seed \(seed)")
      var anew = Document(schema: Self.schema)
      try anew.apply(decoding: document.delta(since: [:]).encoded())
      #expect(Contents(anew) == before, "seed \(seed)")
      let stamp = HybridTimestamp(time: 0, replica: writer)
      let isDone = document.restamp(after: latest, at: stamp) == nil
      #expect(isDone)
    }
    #expect(moved > 1_000)
    #expect(whole > 10)
    #expect(conflicts > 20)
    #expect(deletions > 5)
  }

  @Test("A record that only the last change keeps, or deletes, waits for counts of others")
  func waiting() throws {
    let (a, b) = (ReplicaID(1), ReplicaID(2))
    let schema = Schema(collections: [
      "c": Schema.Collection(fields: ["n": .counter], deletion: .lastWriterWins)
    ])
    var mine = Document(schema: schema)
    mine.edit(at: HybridTimestamp(time: 900, replica: a)) { $0.create("r", in: "c") }
    var theirs = mine
    try theirs.edit(at: HybridTimestamp(time: 901, replica: b)) {
      try $0.increment("n", of: "r", in: "c")
    }
    mine.edit(at: HybridTimestamp(time: 902, replica: a)) { edit in
      edit.delete("r", in: "c")
      edit.create("s", in: "c")
    }
    mine.merge(theirs)
    #expect(mine.records(in: "c") == ["s"] && mine.deletedRecords(in: "c") == ["r"])
    let isDone = mine.restamp(after: 100, at: HybridTimestamp(time: 50, replica: a)) != nil
    #expect(isDone && mine.foreignCounts(after: 100, of: a) == [b: 1])
    #expect(mine.records(in: "c") == ["s"] && mine.deletedRecords(in: "c") == ["r"])
    // Who counted can write all of it anew.
    let isDoneThere = mine.restamp(after: 100, at: HybridTimestamp(time: 60, replica: b)) != nil
    #expect(isDoneThere && mine.latestTimestamp?.time ?? 0 < 100)
    #expect(mine.records(in: "c") == ["s"] && mine.deletedRecords(in: "c") == ["r"])
  }

  @Test("A deletion has seen what it had seen, and not a change made beside it")
  func deletion() throws {
    let (a, b) = (ReplicaID(1), ReplicaID(2))
    let far: UInt64 = 1_000 << 16
    func stamp(_ time: UInt64, _ replica: ReplicaID) -> HybridTimestamp {
      HybridTimestamp(time: time, replica: replica)
    }
    var mine = Document()
    mine.edit(at: stamp(far, a)) { $0.set("x", of: "r", in: "c", to: 1) }
    var theirs = mine
    // With a stamp that stays, beside the deletion: the record lives on.
    mine.edit(at: stamp(5, a)) { $0.set("y", of: "r", in: "c", to: 2) }
    theirs.edit(at: stamp(far + 1, b)) { $0.delete("r", in: "c") }
    mine.merge(theirs)
    #expect(mine.fields(of: "r", in: "c") == ["x": 1, "y": 2])
    let isDone1 = mine.restamp(after: 100, at: stamp(50, a)) != nil
    #expect(isDone1)
    #expect(mine.fields(of: "r", in: "c") == ["x": 1, "y": 2])
    // Without that change the record is deleted, and comes back with what it had.
    theirs.edit(at: stamp(far + 2, b)) { $0.set("z", of: "s", in: "c", to: 3) }
    let isDone2 = theirs.restamp(after: 100, at: stamp(50, b)) != nil
    #expect(isDone2)
    #expect(!theirs.contains("r", in: "c"))
    #expect(theirs.deletedFields(of: "r", in: "c") == ["x": 1])
    theirs.edit(at: stamp(60, b)) { $0.restore("r", in: "c") }
    #expect(theirs.fields(of: "r", in: "c") == ["x": 1])
  }

  @Test("What an authority wrote is its own still, and counts stay whose they are")
  func writers() throws {
    let server = ReplicaID.authority(named: "server")
    let (a, b) = (ReplicaID(1), ReplicaID(2))
    let schema = Schema(collections: [
      "c": Schema.Collection(fields: ["stage": .preferring([server]), "n": .counter])
    ])
    var document = Document(schema: schema)
    document.edit(at: HybridTimestamp(time: 1, replica: a)) { $0.create("r", in: "c") }
    var other = document
    document.edit(at: HybridTimestamp(time: 900, replica: server.delegate(for: b))) {
      $0.set("stage", of: "r", in: "c", to: "server's")
    }
    try document.edit(at: HybridTimestamp(time: 901, replica: b)) {
      try $0.increment("n", of: "r", in: "c", by: 2)
    }
    try other.edit(at: HybridTimestamp(time: 902, replica: a)) { edit in
      edit.set("stage", of: "r", in: "c", to: "mine")
      try edit.increment("n", of: "r", in: "c", by: 3)
    }
    document.merge(other)
    let before = Contents(document)
    #expect(document.foreignCounts(after: 100, of: a) == [b: 1])
    let isDone3 = document.restamp(after: 100, at: HybridTimestamp(time: 50, replica: a)) != nil
    #expect(isDone3)
    #expect(Contents(document) == before)
    #expect(document.value(of: "stage", of: "r", in: "c") == "server's")
    #expect(document.value(of: "n", of: "r", in: "c") == 5)
    // The other one writes its own count anew, and nothing is counted twice.
    var theirs = other
    theirs.merge(document)
    let isDone4 = theirs.restamp(after: 100, at: HybridTimestamp(time: 60, replica: b)) != nil
    #expect(isDone4)
    document.merge(theirs)
    #expect(document.value(of: "n", of: "r", in: "c") == 5)
    #expect(document.foreignCounts(after: 100, of: a) == [:])
  }
}
