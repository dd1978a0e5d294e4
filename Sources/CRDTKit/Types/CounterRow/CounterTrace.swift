/// The totals that removals of a counter had seen: of each replica, the last life of its
/// counter and its totals in that life.
///
/// A replica begins a life only after it has seen the removal of the life before. So a
/// copy that knows a life has no row of the life before, and one life for each replica is
/// enough.
@frozen
@usableFromInline
struct CounterTrace: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @usableFromInline private(set) var totals: ReplicaTotals<Total>
  /// The lives of the replicas, parallel to the totals; empty if all are first lives.
  @usableFromInline private(set) var lives: ContiguousArray<UInt64>
  /// The totals before the last stretches, parallel to the totals; empty if there are no
  /// stretches.
  @usableFromInline private(set) var spans: ContiguousArray<CounterSpans>

  @inlinable
  init() {
    self.init(totals: ReplicaTotals())
  }

  /// Creates a trace with one replica.
  @usableFromInline
  init(_ tally: CounterTally, of replica: ReplicaID) {
    self.init()
    add(tally, of: replica)
  }

  /// Creates the trace of totals of first lives, without stretches.
  @inlinable
  init(totals: ReplicaTotals<Total>) {
    self.totals = totals
    lives = []
    spans = []
  }

  /// Whether the trace has only totals, without lives or spans.
  @inlinable
  var isPlain: Bool { lives.isEmpty && spans.isEmpty }

  /// Returns the totals of a replica; `nil` if there are none.
  @inlinable
  subscript(replica: ReplicaID) -> CounterTally? {
    let place = totals.place(of: replica, from: 0)
    guard totals.holds(replica, at: place) else { return nil }
    return tally(at: place)
  }

  @inlinable
  func tally(at place: Int) -> CounterTally {
    CounterTally(
      totals.totals[place], life: lives.isEmpty ? 0 : lives[place],
      spans: spans.isEmpty ? CounterSpans() : spans[place])
  }

  /// Joins the totals of a replica: keeps the later life, and the greater totals in it.
  @inlinable
  mutating func add(_ total: Total, life: UInt64, of replica: ReplicaID) {
    guard spans.isEmpty else {
      addSpanned(CounterTally(total, life: life), of: replica)
      return
    }
    guard total != .zero else { return }
    let place = totals.place(of: replica, from: 0)
    let isKnown = totals.holds(replica, at: place)
    if !isKnown {
      totals[replica] = total
      if lives.isEmpty, life > 0 {
        lives = ContiguousArray(repeating: 0, count: totals.count)
        lives[place] = life
      } else if !lives.isEmpty {
        lives.insert(life, at: place)
      }
      return
    }
    if life > 0, lives.isEmpty { lives = ContiguousArray(repeating: 0, count: totals.count) }
    let known = lives.isEmpty ? 0 : lives[place]
    if life < known { return }
    totals[replica] = life > known ? total : totals[replica].joined(with: total)
    if !lives.isEmpty { lives[place] = life }
  }

  /// Joins the totals of a replica: keeps the later life, and the greater totals in it.
  @inlinable
  mutating func add(_ tally: CounterTally, of replica: ReplicaID) {
    if tally.spans.isEmpty {
      add(tally.total, life: tally.life, of: replica)
    } else {
      addSpanned(tally, of: replica)
    }
  }

  @usableFromInline
  mutating func addSpanned(_ tally: CounterTally, of replica: ReplicaID) {
    guard tally.total != .zero else { return }
    let known = self[replica]
    let joined = known?.joined(with: tally) ?? tally
    if joined == known { return }
    totals[replica] = joined.total
    let place = totals.place(of: replica, from: 0)
    if known == nil, !lives.isEmpty { lives.insert(0, at: place) }
    if known == nil, !spans.isEmpty { spans.insert(CounterSpans(), at: place) }
    if lives.isEmpty, joined.life > 0 {
      lives = ContiguousArray(repeating: 0, count: totals.count)
    }
    if !lives.isEmpty { lives[place] = joined.life }
    if spans.isEmpty, !joined.spans.isEmpty {
      spans = ContiguousArray(repeating: CounterSpans(), count: totals.count)
    }
    if !spans.isEmpty { spans[place] = joined.spans }
    // A later life may be in no stretch.
    if joined.spans.isEmpty, spans.allSatisfy(\.isEmpty) { spans = [] }
  }

  /// Joins all totals of another trace.
  ///
  /// - Complexity: O(number of replicas of both).
  @inlinable
  mutating func merge(_ other: CounterTrace) {
    if isPlain, other.isPlain {
      totals.merge(other.totals)
    } else {
      self = joined(with: other)
    }
  }

  @usableFromInline
  func joined(with other: CounterTrace) -> CounterTrace {
    var joined = CounterTrace()
    var (mine, theirs) = (0, 0)
    while mine < totals.count || theirs < other.totals.count {
      let own = mine < totals.count ? totals.replicas[mine] : nil
      let others = theirs < other.totals.count ? other.totals.replicas[theirs] : nil
      if let own, others.map({ own < $0 }) ?? true {
        joined.append(tally(at: mine), of: own)
        mine += 1
      } else if let others, own.map({ others < $0 }) ?? true {
        joined.append(other.tally(at: theirs), of: others)
        theirs += 1
      } else if let own {
        joined.append(tally(at: mine).joined(with: other.tally(at: theirs)), of: own)
        mine += 1
        theirs += 1
      }
    }
    return joined
  }

  /// Appends the totals of a replica that comes after all others.
  private mutating func append(_ tally: CounterTally, of replica: ReplicaID) {
    totals.replicas.append(replica)
    totals.totals.append(tally.total)
    if !lives.isEmpty || tally.life > 0 {
      lives += repeatElement(0, count: totals.count - 1 - lives.count)
      lives.append(tally.life)
    }
    if !spans.isEmpty || !tally.spans.isEmpty {
      spans += repeatElement(CounterSpans(), count: totals.count - 1 - spans.count)
      spans.append(tally.spans)
    }
  }
}

extension CounterTrace {
  /// Encodes the totals, then the life of each replica.
  @inlinable
  func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
    for life in lives { writer.write(varint: life) }
  }

  /// Encodes the totals, then the life and the spans of each replica.
  @usableFromInline
  func encodeWithSpans(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
    for place in totals.replicas.indices {
      let tally = tally(at: place)
      writer.write(varint: tally.life)
      tally.spans.encode(to: &writer)
    }
  }

  /// Decodes totals and as many lives, at least one of which is not a first life.
  @inlinable
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(totals: try ReplicaTotals(from: &reader))
    let start = reader.offset
    var isLater = false
    try reader.count(objectOf: totals.count * (8 + MemoryLayout<CounterSpans>.stride))
    for _ in 0..<totals.count {
      let life = try CounterRow.readLife(from: &reader)
      lives.append(life)
      isLater = isLater || life > 0
    }
    guard isLater else {
      throw DecodingFailure(.notCanonical("the lives of a counter"), at: start)
    }
  }

  /// Decodes totals, then the life and the spans of each replica.
  init(spannedFrom reader: inout ByteReader) throws(DecodingFailure) {
    self.init(totals: try ReplicaTotals(from: &reader))
    for total in totals.totals {
      let life = try CounterRow.readLife(from: &reader)
      lives.append(life)
      spans.append(try CounterSpans(from: &reader, of: total, life: life))
    }
    if lives.allSatisfy({ $0 == 0 }) { lives = [] }
    if spans.allSatisfy(\.isEmpty) { spans = [] }
  }
}
