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
      #expect((purged.table.rowCount == 2) == isPurged, "\(time), \(retaining)")
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
      // What was left goes when it is as old.
      let later = purged(merged, at: 400, retaining: 200)
      #expect(later.table.rowCount == 6)
      let last = purged(merged, at: 451, retaining: 200)
      #expect(last.table.rowCount == 2)
      #expect(last.merging(away).table.rowCount == 2)
    }
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
      #expect(later.table.isEmptyOfRows != isThere, "\(rule)")
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

extension DotTable {
  fileprivate var isEmptyOfRows: Bool { rowCount == 0 }
}
