import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Purges that wait until all replicas have seen what was deleted.
extension PurgeTests {
  private func purged(_ document: Document, seenByAll version: VersionVector?) -> Document {
    var purged = document
    purged.edit(at: DocumentTests.at(1_000, Self.phone)) {
      $0.purge(retention: .zero, seenByAll: version)
    }
    return purged
  }

  @Test("a deletion waits until it has been seen by all, with all rows of the record")
  func waiting() throws {
    var document = Document(schema: Self.schema)
    document.edit(at: DocumentTests.at(1, Self.phone)) { $0.set("a", of: "r", in: "c", to: 1) }
    document.edit(at: DocumentTests.at(2, Self.laptop)) { $0.set("b", of: "r", in: "c", to: 2) }
    document.edit(at: DocumentTests.at(3, Self.phone)) { $0.delete("r", in: "c") }
    let all = document.version
    let (phone, laptop) = (all[Self.phone], all[Self.laptop])
    for (version, isPurged) in [
      (nil, true), (all, true), ([:], false), ([Self.phone: phone], false),
      ([Self.phone: phone - 1, Self.laptop: laptop], false),
      ([Self.phone: phone + 5, Self.laptop: laptop + 5, ReplicaID(9): 1], true),
    ] as [(VersionVector?, Bool)] {
      let purged = purged(document, seenByAll: version)
      #expect((purged.deletedRecords(in: "c") == []) == isPurged, "\(String(describing: version))")
      #expect((purged == document) != isPurged, "\(String(describing: version))")
    }
  }

  @Test("what was left of a record that was purged elsewhere waits as well") func leftOver() throws
  {
    var document = Document(schema: Self.schema)
    document.edit(at: DocumentTests.at(1, Self.phone)) { $0.set("a", of: "r", in: "c", to: 1) }
    var away = document
    document.edit(at: DocumentTests.at(2, Self.phone)) { $0.delete("r", in: "c") }
    document = purged(document, seenByAll: nil)
    away.edit(at: DocumentTests.at(3, Self.laptop)) { $0.set("b", of: "r", in: "c", to: 2) }
    away.edit(at: DocumentTests.at(4, Self.laptop)) { $0.delete("r", in: "c") }
    let before = document.version
    document.merge(away)
    #expect(document._table.rowCount == 2)
    #expect(purged(document, seenByAll: before)._table.rowCount == 2)
    #expect(purged(document, seenByAll: document.version)._table.rowCount == 0)
  }

  @Test("nothing that was written before its writer saw the deletion is lost") func lateEdits() {
    for seed in 0..<30 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let replicas = (1...3).map { ReplicaID($0) }
      var sites = Array(repeating: Document(schema: Self.schema), count: 3)
      sites[0].edit(at: DocumentTests.at(1, replicas[0])) { $0.set("a", of: "r", in: "c", to: 1) }
      for place in 1...2 { sites[place].merge(sites[0]) }
      // What each had seen when all that it had written was known to the first.
      var seen = sites.map(\.version)
      var time: UInt64 = 1
      var purges = 0
      sites[1].edit(at: DocumentTests.at(2, replicas[1])) { $0.delete("r", in: "c") }
      sites[2].edit(at: DocumentTests.at(3, replicas[2])) { $0.set("b", of: "r", in: "c", to: 2) }
      let isLost = { (site: Document) in
        site.version[replicas[2]] > 0 && site.value(of: "b", of: "r", in: "c") != 2
      }
      for _ in 0..<30 {
        time += 1
        let (one, other) = (
          Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random)
        )
        sites[one].merge(sites[other])
        if one == 0 { seen[other] = sites[other].version }
        seen[0] = sites[0].version
        let all = seen.dropFirst().reduce(seen[0]) { $0.meet($1) }
        sites[0].edit(at: DocumentTests.at(1_000 + time, replicas[0])) { edit in
          purges += edit.purge(retention: .zero, seenByAll: all)
        }
        #expect(!sites.contains(where: isLost), "seed \(seed)")
      }
      #expect(purges == 0, "an edit that the deletion had not seen keeps the record")
    }
  }

  @Test("of random documents, just what was seen goes of what would go") func anyVersion() throws {
    var purges = 0
    for seed in 0..<30 as Range<UInt64> {
      let sites = DocumentHistory.random(count: 3, stepCount: 25, seed: seed)
      let document = sites[0].document
      let without = purged(document, seenByAll: nil)
      for state in sites[1].states {
        let dots = Dictionary(grouping: document._table.dots()) { dot in
          document._table.row(at: dot)?.key.record
        }
        var expected: Set<Dot> = []
        for (_, dots) in dots {
          let goes = dots.allSatisfy { without._table.row(at: $0) == nil || document.isTrace($0) }
          let isSeen = dots.allSatisfy { state.version.contains($0) }
          if goes, isSeen { purges += 1 } else { expected.formUnion(dots) }
        }
        // What is remembered of counters comes and goes by rules of its own.
        let purged = purged(document, seenByAll: state.version)
        let (left, isTrace) = (Set(purged._table.dots()), { document.isTrace($0) })
        let gone = expected.subtracting(left)
        #expect(left.subtracting(expected).allSatisfy { purged.isTrace($0) }, "seed \(seed)")
        #expect(gone.allSatisfy(isTrace), "seed \(seed), seen \(state.version)")
      }
    }
    #expect(purges > 3, "\(purges) purges")
  }
}

extension Document {
  /// Whether the row at a dot only remembers what was counted.
  fileprivate func isTrace(_ dot: Dot) -> Bool {
    _table.row(at: dot)?.payload.content.isTrace == true
  }
}

extension VersionVector {
  /// What both have seen.
  fileprivate func meet(_ other: VersionVector) -> VersionVector {
    reduce(into: [:]) { $0[$1.replica] = Swift.min($1.counter, other[$1.replica]) }
  }
}
