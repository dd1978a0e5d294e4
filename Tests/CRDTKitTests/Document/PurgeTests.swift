import CRDTKit
import Testing

/// What was deleted long ago goes for good, and does not come back in parts.
@Suite("Purges")
struct PurgeTests {
  static let phone = ReplicaID(1)
  static let laptop = ReplicaID(2)
  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["likes": .counter, "tags": .set])
  ])

  private func base() throws -> Document {
    var document = Document(schema: Self.schema)
    try document.edit(at: DocumentTests.at(100, Self.phone)) { edit in
      edit.set("title", of: "r", in: "c", to: "old")
      edit.set("a.x", of: "r", in: "c", to: 0)
      edit.insert("old", into: "tags", of: "r", in: "c")
      try edit.increment("likes", of: "r", in: "c", by: 2)
      edit.set("title", of: "other", in: "c", to: "stays")
    }
    return document
  }

  private func purged(_ document: Document, at time: UInt64, retaining: UInt64 = 0) -> Document {
    var purged = document
    purged.edit(at: DocumentTests.at(time, Self.phone)) {
      $0.purge(retention: .milliseconds(retaining))
    }
    return purged
  }

  @Test("what was deleted longer ago than the retention goes, and nothing else") func retention()
    throws
  {
    var document = try base()
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    for (time, retaining, isPurged) in [
      (250, 100, false), (300, 100, false), (301, 100, true), (201, 0, true), (200, 0, false),
      (150, 1_000, false),
    ] as [(UInt64, UInt64, Bool)] {
      let purged = purged(document, at: time, retaining: retaining)
      #expect((purged.deletedRecords(in: "c") == []) == isPurged, "\(time), \(retaining)")
      // Two rows of the other record, and one that remembers the counter.
      #expect((purged._table.rowCount == 3) == isPurged, "\(time), \(retaining)")
      #expect(purged.records(in: "c") == ["other"])
      #expect(purged.fields(of: "other", in: "c") == ["title": "stays"])
    }
    let month: UInt64 = 30 * 86_400_000
    var late = document
    var counts: [Int] = []
    for time in [200 + month, 201 + month, 202 + month] {
      late.edit(at: DocumentTests.at(time, Self.phone)) { counts.append($0.purge()) }
    }
    #expect(counts == [0, 1, 0])
  }

  @Test("a late edit of a replica that was away does not bring back half a record")
  func lateEdit() throws {
    var document = try base()
    var away = document
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    document = purged(document, at: 300)
    try away.edit(at: DocumentTests.at(250, Self.laptop)) { edit in
      edit.set("title", of: "r", in: "c", to: "late")
      edit.set("a.y", of: "r", in: "c", to: 1)
      edit.insert("late", into: "tags", of: "r", in: "c")
      try edit.increment("likes", of: "r", in: "c")
    }
    for merged in [document.merging(away), away.merging(document)] {
      #expect(!merged.contains("r", in: "c"))
      #expect(merged.fields(of: "r", in: "c") == nil)
      #expect(merged.value(of: "title", of: "r", in: "c") == nil)
      #expect(merged.deletedRecords(in: "c") == [])
      #expect(merged.conflicts.isEmpty)
      // What was left stays, however old, until someone lets it go.
      let later = purged(merged, at: 1_000_000)
      #expect(later == merged)
      #expect(later.orphanedRecords.map(\.id) == [Document.RecordID("r", in: "c")])
      let orphan = try #require(later.orphanedRecord("r", in: "c"))
      #expect(
        orphan.fields == ["title": "late", "a": ["y": 1], "tags": ["late"], "likes": 1])
      #expect(orphan.latestTimestamp == DocumentTests.at(250, Self.laptop))
    }
  }

  @Test("what a late edit left is restored, or discarded, for all") func orphans() throws {
    var document = try base()
    var away = document
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    document = purged(document, at: 300)
    try away.edit(at: DocumentTests.at(250, Self.laptop)) { edit in
      edit.set("title", of: "r", in: "c", to: "late")
      edit.set("a.y", of: "r", in: "c", to: 1)
      edit.insert("late", into: "tags", of: "r", in: "c")
      try edit.increment("likes", of: "r", in: "c")
    }
    away.merge(document)
    let orphan = try #require(away.orphanedRecord("r", in: "c"))
    var (restored, discarded) = (document.merging(away), document.merging(away))
    restored.edit(at: DocumentTests.at(400, Self.phone)) { edit in
      let isDone = edit.restore(orphan)
      #expect(isDone)
    }
    discarded.edit(at: DocumentTests.at(400, Self.phone)) { edit in
      let isDone = edit.discard(orphan)
      #expect(isDone)
    }
    #expect(restored.fields(of: "r", in: "c") == orphan.fields)
    #expect(away.merging(restored).fields(of: "r", in: "c") == orphan.fields)
    let rest = away.merging(discarded)
    #expect(rest == discarded && rest.orphanedRecords == [])
    #expect(!rest.contains("r", in: "c"))
    #expect(!rest.encoded().contains("late"))
    for var decided in [restored, discarded] {
      let before = decided
      decided.edit(at: DocumentTests.at(500, Self.laptop)) { edit in
        let did = [edit.restore(orphan), edit.discard(orphan)]
        #expect(did == [false, false])
      }
      #expect(decided == before)
    }
    // An edit that comes later still is not part of what was decided.
    var third = try base()
    third.edit(at: DocumentTests.at(260, ReplicaID(3))) { $0.set("b", of: "r", in: "c", to: 3) }
    #expect(rest.merging(third).orphanedRecord("r", in: "c")?.fields == ["b": 3])
  }

  @Test("what was deleted again after a late edit is no orphan, and goes in time")
  func deletedAgain() throws {
    var document = try base()
    var away = document
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    document = purged(document, at: 300)
    away.edit(at: DocumentTests.at(250, Self.laptop)) {
      $0.set("title", of: "r", in: "c", to: "late")
    }
    away.edit(at: DocumentTests.at(260, Self.laptop)) { $0.delete("r", in: "c") }
    document.merge(away)
    #expect(document.orphanedRecords == [])
    #expect(purged(document, at: 300, retaining: 100) == document)
    #expect(!purged(document, at: 361, retaining: 100).encoded().contains("late"))
  }

  @Test("a record of the same name that is created after a purge shows nothing old")
  func createdAgain() throws {
    var document = try base()
    var away = document
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    document = purged(document, at: 300)
    away.edit(at: DocumentTests.at(250, Self.laptop)) { edit in
      edit.set("title", of: "r", in: "c", to: "late")
      edit.set("a.y", of: "r", in: "c", to: 1)
    }
    document.merge(away)
    document.edit(at: DocumentTests.at(310, Self.phone)) { edit in
      edit.set("a.z", of: "r", in: "c", to: 2)
    }
    #expect(document.fields(of: "r", in: "c") == ["a": ["z": 2]])
    away.merge(document)
    #expect(away.fields(of: "r", in: "c") == ["a": ["z": 2]])
    #expect(away == document)
  }

  @Test("a record that was kept by a change is not purged, under whatever rule") func kept() throws
  {
    for rule in DeletionRuleTests.rules {
      var one = try DeletionRuleTests.base(rule)
      var other = one
      one.edit(at: DocumentTests.at(5, Self.phone)) { $0.delete("r", in: "c") }
      other.edit(at: DocumentTests.at(6, Self.laptop)) { $0.set("b", of: "r", in: "c", to: 1) }
      one.merge(other)
      let isThere = one.contains("r", in: "c")
      let later = purged(one, at: 1_000)
      #expect(later.contains("r", in: "c") == isThere, "\(rule)")
      // Of one that goes a counter's trace may be left.
      #expect((later._table.rowCount <= 1) != isThere, "\(rule)")
    }
  }

  @Test("retentions beyond all time") func extremes() throws {
    var document = try base()
    document.edit(at: DocumentTests.at(200, Self.phone)) { $0.delete("r", in: "c") }
    for (retention, count) in [
      (Duration.seconds(Int64.max), 0), (.seconds(Int64.min), 1), (.nanoseconds(-1), 0),
      (.milliseconds(-2), 1), (.zero, 0),
    ] {
      var copy = document
      copy.edit(at: DocumentTests.at(200, Self.laptop)) { edit in
        let purged = edit.purge(retention: retention)
        #expect(purged == count, "\(retention)")
      }
    }
  }
}

extension [UInt8] {
  /// Whether a text stands in the bytes.
  fileprivate func contains(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: text) }
  }
}
