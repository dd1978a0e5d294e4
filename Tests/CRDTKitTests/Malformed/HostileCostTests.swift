import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Bytes that are well formed and made to cost time: what is done with them is linear in
/// their number.
@Suite("The cost of what a hostile peer makes up", .serialized)
struct HostileCostTests {
  /// Between 4, of what is linear, and 16, of what is quadratic.
  private static let growthMax = 9.0

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
      document.table.write(row, by: ReplicaID(UInt64(100 + number % 2)), killing: [])
    }
    return document
  }

  private func total(_ number: Int) -> PNCounter.Total {
    PNCounter.Total(increments: UInt64(number + 1), decrements: 0)
  }

  /// Replicas of which each comes before those before it.
  private func name(_ number: Int) -> ReplicaID { ReplicaID(1 << 40 - UInt64(number)) }

  @Test("deletions of a record, each of which has seen other replicas")
  func deletions() {
    let growth = costGrowth(from: 1_000) { count in
      document(
        with: (0..<count).map {
          (Document.RowKey(place, .deletion), .deletion([name($0): 1]))
        })
    } _: {
      _ = $0.value(of: "f", of: "r", in: "c")
    }
    #expect(growth < Self.growthMax)
  }

  @Test("rows of a counter, each of which tells of other replicas")
  func counters() {
    let key = Document.RowKey(place, .field("n"))
    for isRemoved in [true, false] {
      let growth = costGrowth(from: 1_000) { count in
        document(
          with: (0..<count).map { number in
            let totals = ReplicaTotals(name(number), total(number))
            let content: CounterRow.Content =
              isRemoved ? .removed(totals) : .totals(CounterTrace(totals: totals))
            return (key, .counter(CounterRow(content)))
          })
      } _: {
        _ = $0.value(of: "n", of: "r", in: "c")
      }
      #expect(growth < Self.growthMax, "removed: \(isRemoved)")
    }
  }

  @Test("traces of counters in stretches and lives, of replicas that stand between others")
  func traces() {
    let growth = costGrowth(from: 2_000) { count in
      var traces = [CounterTrace(), CounterTrace()]
      for number in 0..<count {
        var tally = CounterTally(total(number), life: 1)
        tally.spans.note(1, life: 0, before: .zero)
        traces[number % 2].add(tally, of: ReplicaID(UInt64(number / 2 + number % 2 * count)))
      }
      return traces
    } _: {
      $0[1].merge($0[0])
    }
    #expect(growth < Self.growthMax)
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
    let growth = costGrowth(from: 300) { count in
      let field = Document.RowKey(place, .field("m"))
      let inner = place.appending("m")
      return document(
        with: (0..<count).map { _ in (field, .object) }
          + (0..<count).map { (Document.RowKey(inner, .field("\($0)")), .value(.int(1))) })
    } _: {
      _ = $0.conflicts
      _ = $0.alternatives(of: "m", of: "r", in: "c")
      _ = $0.explain("m", of: "r", in: "c")
    }
    #expect(growth < Self.growthMax)
  }

  @Test("conflicts of a record that was deleted as well, in an object that many have made")
  func conflicts() {
    let growth = costGrowth(from: 200) { count in
      let inner = place.appending("o")
      var rows: [(Document.RowKey, Document.RowPayload.Content)] = [
        (Document.RowKey(place, .deletion), .deletion([:]))
      ]
      for number in 0..<count {
        rows.append((Document.RowKey(place, .field("o")), .object))
        let key = Document.RowKey(inner, .field("\(number)"))
        rows += [(key, .value(.int(1))), (key, .value(.int(2)))]
      }
      return document(with: rows)
    } _: { document in
      #expect(document.conflicts.count > 100)
    }
    #expect(growth < Self.growthMax)
  }

  @Test("a greeting that tells of other events under many names")
  func greeting() {
    typealias Session = PeerSession<ORSet<Int>>
    let growth = costGrowth(from: 500) { count -> (Session, ORSet<Int>, [UInt8]) in
      let set = many(count, startingAt: 0)
      var other = Session(replica: ReplicaID(1))
      let greeting = other.connect(many(count, startingAt: 1_000_000))
      var session = Session(replica: ReplicaID(2))
      _ = session.connect(set)
      return (session, set, greeting.bytes)
    } _: { setup in
      let actions = setup.0.receive(setup.2, into: &setup.1)
      #expect(actions.failure == .fork(ReplicaID(1_064)))
    }
    #expect(growth < Self.growthMax)
  }

  @Test("a greeting that tells of stretches under many other names")
  func stretches() {
    typealias Session = PeerSession<ORSet<Int>>
    let growth = costGrowth(from: 500) { count -> (Session, ORSet<Int>, [UInt8]) in
      var set = ORSet<Int>()
      var other = set
      for number in 0..<count {
        let replica = ReplicaID(UInt64(1_000 + number))
        set.insert(number, by: replica)
        other.insert(number, by: replica)
        set.table.beginStretch(of: replica, nonce: UInt32(2 * number))
        other.table.beginStretch(of: replica, nonce: UInt32(2 * number + 1))
        other.insert(number, by: replica)
      }
      var theirs = Session(replica: ReplicaID(1))
      let greeting = theirs.connect(other)
      var session = Session(replica: ReplicaID(2))
      _ = session.connect(set)
      return (session, set, greeting.bytes)
    } _: {
      let actions = $0.0.receive($0.2, into: &$0.1)
      #expect(actions.failure == nil)
    }
    #expect(growth < Self.growthMax)
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
