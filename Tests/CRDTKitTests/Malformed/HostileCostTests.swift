import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Bytes that are well formed and made to cost time: work is counted here, and time in the
/// rows `hostile.*` of the benchmark.
@Suite("The cost of what a hostile peer makes up")
struct HostileCostTests {
  private typealias Row = CRDTKit.Row<Document.RowKey, Document.RowPayload>

  private let place = Document.Place(record: "r", in: "c")
  private let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["n": .counter, "m": .manual, "o.*": .manual])
  ])

  private func stamp(_ milliseconds: UInt64) -> HybridTimestamp {
    HybridTimestamp(milliseconds: milliseconds, replica: ReplicaID(1))
  }

  /// A record, and rows that replace nothing.
  private func document(with rows: some Sequence<(Document.RowKey, Document.RowPayload.Content)>)
    -> Document
  {
    var document = Document(schema: schema)
    document.edit(at: stamp(1)) { $0.set("f", of: "r", in: "c", to: .int(1)) }
    for (number, (key, content)) in rows.enumerated() {
      let row = Row(key: key, payload: Document.RowPayload(content, at: stamp(2).time))
      document._table.write(row, by: ReplicaID(UInt64(100 + number % 2)), killing: [])
    }
    return document
  }

  private func total(_ number: Int) -> PNCounter.Total {
    PNCounter.Total(increments: UInt64(number + 1), decrements: 0)
  }

  /// Replicas of which each comes before those before it.
  private func name(_ number: Int) -> ReplicaID { ReplicaID(1 << 40 - UInt64(number)) }

  @Test("many values are merged in few steps, each with such as are about as large")
  func balanced() {
    let count = 3_000
    for sizeMax in [1, 7, 400] {
      var random = SeededGenerator(seed: UInt64(sizeMax))
      var all = BalancedMerge<[Int]>()
      var (total, work) = (0, 0)
      let merge = { (left: inout [Int], right: [Int]) in
        work += left.count + right.count
        left += right
      }
      for _ in 0..<count {
        let size = Int.random(in: 1...sizeMax, using: &random)
        all.add(Array(total..<total + size), size: size, merge)
        total += size
      }
      #expect(all.merged(merge)?.sorted() == Array(0..<total))
      // 12 is the logarithm of the number of values.
      #expect(work < 3 * 12 * total, "sizes up to \(sizeMax): \(work) for \(total)")
    }
  }

  @Test("deletions of a record, each of which has seen another replica")
  func deletions() {
    let count = 500
    var document = document(
      with: (0..<count).map {
        (Document.RowKey(place, .deletion), .deletion([name($0): 1]))
      })
    #expect(document.value(of: "f", of: "r", in: "c") == .int(1))
    document.edit(at: stamp(3)) { $0.delete("r", in: "c") }
    #expect(document.value(of: "f", of: "r", in: "c") == nil)
  }

  @Test("rows of a counter, each of which tells of another replica, are added up by halves")
  func counters() {
    let count = 2_000
    var rows = (own: CounterTraceSum(), others: CounterTraceSum())
    for number in 0..<count {
      rows.own.add(CounterTally(total(number)), of: name(number))
      rows.others.add(CounterTrace(totals: ReplicaTotals(name(number), total(number))))
    }
    for sum in [rows.own, rows.others] {
      #expect(sum.trace.totals.count == count)
      #expect(sum.others.parts.count <= 12)
    }
    let key = Document.RowKey(place, .field("n"))
    for isRemoved in [true, false] {
      let document = document(
        with: (0..<100).map { number in
          let totals = ReplicaTotals(name(number), total(number))
          let content: CounterRow.Content =
            isRemoved ? .removed(totals) : .totals(CounterTrace(totals: totals))
          return (key, .counter(CounterRow(content)))
        })
      let sum: Document.Value? = isRemoved ? nil : .int(5_050)
      #expect(document.value(of: "n", of: "r", in: "c") == sum)
    }
  }

  @Test("what was merged by halves is what was merged one by one")
  func sums() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var sum = CounterTraceSum()
      var expected: [ReplicaID: CounterTally] = [:]
      for number in 0..<Int.random(in: 0..<300, using: &random) {
        let replica = ReplicaID(UInt64.random(in: 1...120, using: &random))
        var tally = CounterTally(
          total(Int.random(in: 0..<9, using: &random)),
          life: UInt64.random(in: 0...2, using: &random))
        if Bool.random(using: &random) {
          tally.spans.note(UInt64(number + 1), life: 0, before: .zero)
        }
        expected[replica] = expected[replica]?.joined(with: tally) ?? tally
        if Bool.random(using: &random) {
          sum.add(tally, of: replica)
        } else {
          sum.add(CounterTrace(tally, of: replica))
        }
      }
      var plain = CounterTrace()
      for (replica, tally) in expected { plain.add(tally, of: replica) }
      #expect(sum.trace == plain, "seed \(seed)")
    }
  }

  @Test("objects in one field, and fields in the object")
  func objects() {
    let count = 100
    let inner = place.appending("m")
    let document = document(
      with: (0..<count).map { _ in (Document.RowKey(place, .field("m")), .object) }
        + (0..<count).map { (Document.RowKey(inner, .field("\($0)")), .value(.int(1))) })
    let object = document.value(of: "m", of: "r", in: "c")
    #expect(object == .object(.init(uniqueKeysWithValues: (0..<count).map { ("\($0)", .int(1)) })))
    #expect(document.conflicts.isEmpty)
    let alternatives = document.alternatives(of: "m", of: "r", in: "c")
    #expect(alternatives.first?.value == object)
  }

  @Test("conflicts of a record that was deleted as well, in an object that many have made")
  func conflicts() {
    let count = 200
    let inner = place.appending("o")
    var rows: [(Document.RowKey, Document.RowPayload.Content)] = [
      (Document.RowKey(place, .deletion), .deletion([:]))
    ]
    for number in 0..<count {
      rows.append((Document.RowKey(place, .field("o")), .object))
      let key = Document.RowKey(inner, .field("\(number)"))
      rows += [(key, .value(.int(1))), (key, .value(.int(2)))]
    }
    #expect(document(with: rows).conflicts.count >= count)
  }

  @Test("a greeting that tells of other events under many names")
  func greeting() {
    let set = many(2_000, startingAt: 0)
    let actions = answer(to: many(2_000, startingAt: 1_000_000), of: set)
    #expect(actions.failure == .fork(ReplicaID(1_064)))
  }

  @Test("a greeting that tells of stretches under many other names")
  func stretches() {
    var set = ORSet<Int>()
    var other = set
    for number in 0..<2_000 {
      let replica = ReplicaID(UInt64(1_000 + number))
      set.insert(number, by: replica)
      other.insert(number, by: replica)
      set._table.beginStretch(of: replica, nonce: UInt32(2 * number))
      other._table.beginStretch(of: replica, nonce: UInt32(2 * number + 1))
      other.insert(number, by: replica)
    }
    #expect(answer(to: other, of: set).failure == nil)
  }

  /// What one who has a set does when another one greets.
  private func answer(
    to other: ORSet<Int>, of set: ORSet<Int>
  ) -> [PeerSession<ORSet<Int>>.Action] {
    var (set, session) = (set, PeerSession<ORSet<Int>>(replica: ReplicaID(2)))
    var theirs = PeerSession<ORSet<Int>>(replica: ReplicaID(1))
    _ = session.connect(set)
    return session.receive(theirs.connect(other).bytes, into: &set)
  }

  /// An event each of many replicas.
  private func many(_ count: Int, startingAt first: Int) -> ORSet<Int> {
    var set = ORSet<Int>()
    for number in 0..<count {
      set.insert(first + number, by: ReplicaID(UInt64(1_000 + number)))
    }
    return set
  }
}

extension [PeerSession<ORSet<Int>>.Action] {
  fileprivate var bytes: [UInt8] {
    flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
  }

  fileprivate var failure: SyncFailure? {
    for case .close(let failure) in self { return failure }
    return nil
  }
}
