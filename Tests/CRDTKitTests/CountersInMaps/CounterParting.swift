import CRDTStoreTesting
import CRDTTestSupport

@testable import CRDTKit

/// Something that holds one counter, and shows the counter's rows.
protocol PartedSubject: CounterSubject {
  var counterRows: [Dot: CounterRow] { get }
}

extension MergeMap: PartedSubject where Key == String, Value == PNCounter {
  var counterRows: [Dot: CounterRow] {
    var rows: [Dot: CounterRow] = [:]
    _table.forEachRow { rows[$0] = $1.payload }
    return rows
  }
}

extension Document: PartedSubject {
  var counterRows: [Dot: CounterRow] {
    var rows: [Dot: CounterRow] = [:]
    _table.forEachRow { dot, row in
      if case .counter(let counter) = row.payload.content { rows[dot] = counter }
    }
    return rows
  }
}

/// A history of one counter, made from a seed, in which one replica was used in several
/// places: its line of events parts, and no side knows of what is done on another.
struct CounterParting<Subject: PartedSubject> {
  /// Where one replica counts.
  struct Place {
    var subject = Subject.empty
    var ledger = CounterLedger()
    let replica: ReplicaID
    /// Under what number the ledger knows the replica, or this line of its events.
    var line: Int
  }

  /// Places that merge with one another; the first is of the replica whose line parts.
  struct Side {
    var places: [Place]
    /// Where it parted: the last event that both have, and its own first stretch.
    var parting: UInt64 = 0
    var stretch: UInt64 = 0
  }

  static var parted: ReplicaID { ReplicaID(500) }

  private var random: SeededGenerator
  private var time: UInt64 = 0
  private var others = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// The side on which all begins.
  mutating func begin() -> Side {
    var first = Place(replica: Self.parted, line: 0)
    if !chance(of: 4) { open(&first) }
    return Side(places: [first, makePlace()])
  }

  /// A line that goes on from what the side's has come to: of a backup, say.
  mutating func part(_ side: inout Side, line: Int) -> Side {
    var copy = side.places[0]
    copy.line = line
    let table = copy.subject._table
    let stretches = table.column(of: Self.parted).map { table.columns[$0].stretches.count } ?? 0
    var other = Side(places: [], parting: table.seen(of: Self.parted), stretch: stretches + 1)
    open(&copy)
    other.places = [copy, makePlace()]
    if side.places.count > 1, chance(of: 2) {
      let moved = Int.random(in: 1..<side.places.count, using: &random)
      other.places.append(side.places.remove(at: moved))
    }
    side.places.append(makePlace())
    return other
  }

  /// Does this and that on a side, and opens its first place at most so many times.
  mutating func play(_ side: inout Side, openings: Int) throws {
    var openings = openings
    for _ in 0..<Int.random(in: 0...14, using: &random) {
      // Mostly it is the replica whose line parts.
      let who = chance(of: 2) ? 0 : Int.random(in: 0..<side.places.count, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<8: try act(.count(Int64.random(in: -2...5, using: &random)), at: &side.places[who])
      case 8..<10: try act(.removeField, at: &side.places[who])
      case 10: try act(.delete, at: &side.places[who])
      case 11: try act(.purge(isWaiting: false), at: &side.places[who])
      case 12..<16:
        if who == 0, openings == 0 { continue }
        if who == 0 { openings -= 1 }
        if chance(of: 3) {
          side.places[who].subject = try side.places[who].subject.decoded()
        }
        open(&side.places[who])
      default:
        let other = Int.random(in: 0..<side.places.count, using: &random)
        merge(&side.places[who], side.places[other])
      }
    }
  }

  /// What the side has come to, once all its places have merged.
  func end(_ side: Side) -> (rows: PartedRows, ledger: CounterLedger) {
    var last = side.places[0]
    for place in side.places.dropFirst() { merge(&last, place) }
    return (
      PartedRows(rows: last.subject.counterRows, seen: last.subject.version), last.ledger
    )
  }

  private func merge(_ place: inout Place, _ other: Place) {
    place.subject.merge(other.subject)
    place.ledger.merge(other.ledger)
  }

  private mutating func act(_ action: CounterAction, at place: inout Place) throws {
    time += 1
    let removes = try place.subject.perform(
      action, by: place.replica, at: time, seenByAll: [:])
    if removes { place.ledger.remove(by: place.line) }
    if action.amount != 0 { place.ledger.count(action.amount, by: place.line) }
  }

  private mutating func open(_ place: inout Place) {
    let nonce = UInt32.random(in: 0...(.max), using: &random)
    place.subject.beginStretch(of: place.replica, nonce: nonce)
  }

  private mutating func makePlace() -> Place {
    others += 1
    let replica = ReplicaID(UInt64(others % 2 == 0 ? others : 900 + others))
    var place = Place(replica: replica, line: 100 + others)
    if chance(of: 2) { open(&place) }
    return place
  }

  private mutating func chance(of count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }
}

/// The rows of one counter and the events that were seen, in their plainest form.
struct PartedRows: Equatable {
  var rows: [Dot: CounterRow]
  var seen: VersionVector

  /// The rows once a line of events has another name; what they say of it is left as it
  /// is where only the rows themselves are to have it.
  func reissued(_ reissue: Reissue, movesOnly: Bool = false) -> PartedRows {
    var new = PartedRows(rows: [:], seen: seen)
    for (dot, row) in rows {
      let isOwn = dot.replica == reissue.replica && dot.counter > reissue.parting
      let moved = isOwn ? Dot(reissue.name, dot.counter) : dot
      new.rows[moved] = movesOnly ? row : row.reissued(reissue, isOwn: isOwn) ?? row
    }
    if seen[reissue.replica] > reissue.parting {
      new.seen[reissue.replica] = reissue.parting
      new.seen[reissue.name] = seen[reissue.replica]
    }
    return new
  }

  /// Rows that both have, or that the other has not seen.
  func merging(_ other: PartedRows) throws -> PartedRows {
    var merged = PartedRows(rows: [:], seen: seen)
    for (dot, row) in rows where other.rows[dot] != nil || !other.seen.contains(dot) {
      if let same = other.rows[dot], same != row {
        throw Discrepancy("at \(dot) one has \(row), another \(same)")
      }
      merged.rows[dot] = row
    }
    for (dot, row) in other.rows where !seen.contains(dot) { merged.rows[dot] = row }
    merged.seen.merge(other.seen)
    return merged
  }

  var counter: CounterRows {
    var all = CounterRows()
    for (dot, row) in rows { all.add(row, of: dot.replica) }
    return all
  }

  var sum: Int64 { counter.count(from: 0) }
}
