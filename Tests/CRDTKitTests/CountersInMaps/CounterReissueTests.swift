import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Two lines of events under one name: once one has another name, each count comes once,
/// and what removals had seen stays removed.
@Suite("Counters of replicas that were used in two places")
struct CounterReissueTests {
  private typealias Map = MergeMap<String, PNCounter>
  private typealias Total = PNCounter.Total

  private let r = CounterParting<Document>.parted
  private let n = ReplicaID(300)
  private let third = ReplicaID(7)

  private static let seeds: Range<UInt64> = 0..<scheduleCount(300, long: 50_000)

  @Test("every count of both lines comes once, less what removals had seen")
  func lines() throws {
    var (maps, documents) = (0, 0)
    for seed in Self.seeds {
      if try checkTwo(Map.self, seed) { maps += 1 }
      if try checkTwo(Document.self, seed) { documents += 1 }
    }
    let least = Self.seeds.count / 10
    #expect(maps > least && documents > least, "\(maps) and \(documents) needed more than names")
  }

  /// Says whether the sum would be another if rows were given the new name and nothing
  /// else.
  private func checkTwo<Subject: PartedSubject>(_: Subject.Type, _ seed: UInt64) throws -> Bool {
    var history = CounterParting<Subject>(seed: seed)
    var kept = history.begin()
    try history.play(&kept, openings: 20)
    var lost = history.part(&kept, line: 1)
    try history.play(&kept, openings: 20)
    // With the one that it begins with, all but one that are kept are told apart for certain.
    try history.play(&lost, openings: CounterSpans.kept - 2)
    let (winner, loser) = (history.end(kept), history.end(lost))
    let reissue = Reissue(replica: r, parting: lost.parting, stretch: lost.stretch, name: n)
    let moved = loser.rows.reissued(reissue)
    try checkBytes(moved, seed)
    let merged = try winner.rows.merging(moved)
    #expect(try moved.merging(winner.rows) == merged, "\(Subject.self), seed \(seed)")
    var ledger = winner.ledger
    ledger.merge(loser.ledger)
    #expect(moved.sum == loser.ledger.sum, "\(Subject.self), seed \(seed), by itself")
    #expect(merged.sum == ledger.sum, "\(Subject.self), seed \(seed)")
    let renamed = loser.rows.reissued(reissue, movesOnly: true)
    return try winner.rows.merging(renamed).sum != ledger.sum
  }

  @Test(
    "of two copies that were opened up to 63 times since, every count of both is there",
    arguments: [1, 2, 15, 16, 62, 63])
  func manyOpenings(openings: Int) throws {
    for (mine, theirs) in [(openings, openings), (1, openings), (openings, 1), (openings, 300)] {
      // Which line gives way is chance: where one was opened more often than is told apart, it
      // is the other's turn.
      for nonce in 1...2 as ClosedRange<UInt32> where theirs < 300 || nonce == 1 {
        var (map, document) = (Map(), Document())
        try count(in: &map, &document, openings: 1, 9)
        var (otherMap, otherDocument) = (map, document)
        try count(in: &map, &document, openings: mine, theirs == 300 ? 1 << 20 : nonce)
        try count(in: &otherMap, &otherDocument, openings: theirs, 3 - nonce)
        let sum = 1 + mine + theirs
        #expect(map.merging(otherMap)["n"]?.value == sum, "\(mine), \(theirs), \(nonce)")
        #expect(otherMap.merging(map)["n"]?.value == sum, "\(mine), \(theirs), \(nonce)")
        let merged = document.merging(otherDocument)
        let found = merged.value(of: "n", of: "r", in: "c")
        #expect(found == .int(Int64(sum)), "\(mine), \(theirs), \(nonce)")
      }
    }
  }

  private func count(
    in map: inout Map, _ document: inout Document, openings: Int, _ nonce: UInt32
  ) throws {
    for number in 0..<UInt32(openings) {
      map.beginStretch(of: r, nonce: nonce << 10 | number)
      document.beginStretch(of: r, nonce: nonce << 10 | number)
      try map.update("n", by: r) { try $0.increment(1) }
      let time = UInt64(nonce) << 32 | UInt64(number) << 16
      try document.edit(at: HybridTimestamp(time: time, replica: r)) {
        try $0.increment("n", of: "r", in: "c", by: 1)
      }
    }
  }

  private func checkBytes(_ rows: PartedRows, _ seed: UInt64) throws {
    for row in rows.rows.values {
      var writer = ByteWriter()
      row.encode(to: &writer)
      var reader = ByteReader(writer.finish())
      let read = try CounterRow(from: &reader)
      #expect(read == row && reader.remaining == 0, "seed \(seed)")
    }
  }

  @Test("lines that part from lines come to the same in any order")
  func confluence() throws {
    for seed in Self.seeds {
      try checkThree(Map.self, seed)
      try checkThree(Document.self, seed)
    }
  }

  private func checkThree<Subject: PartedSubject>(_: Subject.Type, _ seed: UInt64) throws {
    var history = CounterParting<Subject>(seed: seed)
    var a = history.begin()
    try history.play(&a, openings: 5)
    var b = history.part(&a, line: 1)
    try history.play(&a, openings: 5)
    try history.play(&b, openings: 5)
    var c = history.part(&b, line: 2)
    try history.play(&b, openings: 5)
    try history.play(&c, openings: 5)
    let ends = [history.end(a), history.end(b), history.end(c)]
    let far = ReplicaID(800)
    let outer = Reissue(replica: r, parting: b.parting, stretch: b.stretch, name: n)
    let inner = Reissue(replica: n, parting: c.parting, stretch: c.stretch, name: far)
    let direct = Reissue(replica: r, parting: c.parting, stretch: c.stretch, name: far)
    let one = ends[2].rows.reissued(outer).reissued(inner)
    let other = ends[2].rows.reissued(direct).reissued(outer)
    #expect(one.rows == other.rows, "\(Subject.self), seed \(seed)")
    // A line that parted where the other did never has that one's name.
    if c.parting > b.parting { #expect(one == other, "\(Subject.self), seed \(seed)") }
    let second = ends[1].rows.reissued(outer)
    let merged = try ends[0].rows.merging(second).merging(one)
    #expect(
      try one.merging(ends[0].rows).merging(second) == merged, "\(Subject.self), seed \(seed)")
    let ledger = ends.reduce(into: CounterLedger()) { $0.merge($1.ledger) }
    #expect(merged.sum == ledger.sum, "\(Subject.self), seed \(seed)")
  }

  @Test("who has a new name goes on counting from its rows, and removes what it sees")
  func goingOn() throws {
    let spans = CounterSpans([CounterSpans.Span(number: 4, life: 0, before: total(5))])
    let row = CounterRow(CounterTally(total(8), spans: spans))
    let reissue = Reissue(replica: r, parting: 9, stretch: 4, name: n)
    let moved = try #require(row.reissued(reissue, isOwn: true))
    var map = Map()
    let key = NestedKey("n", NoPayload())
    map._table.write(Row(key: key, payload: moved), by: n, killing: ContiguousArray<Dot>())
    #expect(map["n"]?.value == 8)
    map.beginStretch(of: n, nonce: 1)
    try map.update("n", by: n) { try $0.increment(2) }
    #expect(map["n"]?.value == 10 && map["n"]?.increments(of: r) == 5)
    #expect(map._table.rowCount == 1)
    // The other line had counted 7 by itself.
    var other = Map()
    try other.update("n", by: r) { try $0.increment(12) }
    #expect(map.merging(other)["n"]?.value == 17)
    map.removeValue(forKey: "n", by: third)
    #expect(map["n"] == nil && map.merging(other)["n"]?.value == 7)
    #expect(try Map(decoding: map.encoded()) == map)
  }

  @Test("who keeps the name goes on counting where the other line's row has replaced its own")
  func countingOn() throws {
    for isFirstMerged in [true, false] {
      let schema = Schema(collections: ["c": Schema.Collection(fields: ["n": .counter])])
      var (map, document) = (Map(), Document(schema: schema))
      map.beginStretch(of: r, nonce: 1)
      document.beginStretch(of: r, nonce: 1)
      var time: UInt64 = 0
      func count(
        _ map: inout Map, _ document: inout Document, _ amount: UInt64, of key: String = "n"
      ) throws {
        time += 1
        try map.update(key, by: r) { try $0.increment(amount) }
        try document.edit(at: DocumentTests.at(time, r)) { edit in
          try edit.increment("n", of: key, in: "c", by: Int64(amount))
        }
      }
      try count(&map, &document, 4)
      var (copy, copied) = (map, document)
      copy.beginStretch(of: r, nonce: 2)
      copied.beginStretch(of: r, nonce: 2)
      // Of the shared row nothing is left where the lines meet: the copy's replaced it, and
      // the first line, which has events since, hasn't counted here.
      try count(&copy, &copied, 8)
      try count(&map, &document, 1, of: "other")
      var expected: UInt64 = 12
      for amount: UInt64 in [4, 1, 2] {
        if isFirstMerged {
          map.merge(copy)
          document.merge(copied)
        } else {
          try map.apply(mending: copy.delta(since: [:]))
          try document.apply(mending: copied.delta(since: [:]))
        }
        map = try Map(decoding: map.encoded())
        document = try Document(decoding: document.encoded())
        document.schema = schema
        try count(&map, &document, amount)
        expected += amount
        #expect(map["n"]?.value == Int(expected))
        #expect(document.value(of: "n", of: "n", in: "c") == .int(Int64(expected)))
        #expect(copy.merging(map)["n"]?.value == Int(expected))
      }
    }
  }

  @Test("who keeps the name counts on after a removal that had seen more than the other line")
  func countingOnAfterRemoval() throws {
    var map = Map()
    map.beginStretch(of: r, nonce: 1)
    try map.update("n", by: r) { try $0.increment(4) }
    var copy = map
    copy.beginStretch(of: r, nonce: 2)
    try copy.update("n", by: r) { try $0.increment(8) }
    try map.update("n", by: r) { try $0.increment(2) }
    map.removeValue(forKey: "n", by: r)
    map.merge(copy)
    #expect(map["n"]?.value == 8)
    for (amount, expected) in [(1, 9), (3, 12)] as [(UInt64, Int)] {
      try map.update("n", by: r) { try $0.increment(amount) }
      #expect(map["n"]?.value == expected)
      #expect(copy.merging(map)["n"]?.value == expected)
    }
  }

  @Test("where nothing tells what was counted since, it all stays with the old name")
  func untold() throws {
    let later = CounterSpans([CounterSpans.Span(number: 1, life: 0, before: total(2))])
    for (row, stretch) in [
      (CounterRow(CounterTally(total(8))), 1), (CounterRow(CounterTally(total(8))), nil),
      (CounterRow(CounterTally(total(8), spans: later)), 2),
      (CounterRow(CounterTally(total(8), spans: later)), nil),
    ] as [(CounterRow, UInt64?)] {
      let reissue = Reissue(replica: r, parting: 3, stretch: stretch, name: n)
      let moved = try #require(row.reissued(reissue, isOwn: true))
      guard case .totals(let totals) = moved.content else {
        Issue.record("\(moved)")
        continue
      }
      #expect(totals[r]?.total == total(8) && totals[n] == nil && moved.isTotal)
      #expect(row.reissued(reissue, isOwn: false) == nil)
      var trace = CounterTrace()
      trace.add(try #require(row.tally(of: r)), of: r)
      #expect(CounterRow(trace).reissued(reissue, isOwn: true) == nil)
    }
  }

  @Test("a deletion in a document has seen the events under their new name")
  func deletions() throws {
    let payload = { (seen: VersionVector) in Document.RowPayload(.deletion(seen), at: 77) }
    let reissue = Reissue(replica: r, parting: 3, stretch: 1, name: n)
    for (seen, expected) in [
      ([r: 5], [r: 3, n: 5]), ([r: 3, third: 9], nil), ([r: 4, n: 6], [r: 3, n: 6]),
      ([n: 2], nil), ([:], nil),
    ] as [(VersionVector, VersionVector?)] {
      let moved = payload(seen).reissued(reissue, isOwn: false)
      #expect((moved == nil) == (expected == nil), "\(seen)")
      guard case .deletion(let now)? = moved?.content else { continue }
      #expect(now == expected && moved?.time == 77, "\(seen)")
    }
    let start = Reissue(replica: r, parting: 0, stretch: 1, name: n)
    let whole = payload([r: 5]).reissued(start, isOwn: true)
    guard case .deletion(let now)? = whole?.content, now == [n: 5] else {
      Issue.record("nothing was before: \(String(describing: whole))")
      return
    }
    #expect(Document.RowPayload(.value(1), at: 1).reissued(reissue, isOwn: true) == nil)
  }

  private func total(_ count: UInt64) -> Total { Total(increments: count, decrements: 0) }
}
