/// What removals of a counter had seen of each replica: the last life of its counter,
/// and its totals in it.
///
/// A replica begins a life after it has seen the one before removed. So whoever knows
/// of a life has no row of the one before, and of each replica the last is enough.
@frozen
@usableFromInline
struct CounterTrace: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @usableFromInline private(set) var totals: ReplicaTotals<Total>
  /// The lives of the replicas with totals, as many, unless all are first lives.
  @usableFromInline private(set) var lives: ContiguousArray<UInt64>

  @inlinable
  init() {
    self.init(totals: ReplicaTotals())
  }

  /// Creates the trace of totals of first lives.
  @inlinable
  init(totals: ReplicaTotals<Total>) {
    self.totals = totals
    lives = []
  }

  /// What was seen of a replica; `nil` where nothing was.
  @inlinable
  subscript(replica: ReplicaID) -> (total: Total, life: UInt64)? {
    let place = totals.place(of: replica, from: 0)
    guard totals.holds(replica, at: place) else { return nil }
    return (totals.totals[place], lives.isEmpty ? 0 : lives[place])
  }

  /// Takes in what was seen of a replica: the greater totals of the later life.
  @inlinable
  mutating func add(_ total: Total, life: UInt64, of replica: ReplicaID) {
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

  /// Takes in what another has seen.
  @inlinable
  mutating func merge(_ other: CounterTrace) {
    if lives.isEmpty, other.lives.isEmpty {
      totals.merge(other.totals)
      return
    }
    for (place, replica) in other.totals.replicas.enumerated() {
      add(
        other.totals.totals[place], life: other.lives.isEmpty ? 0 : other.lives[place],
        of: replica)
    }
  }
}

extension CounterTrace {
  /// Writes the totals, then the life of each replica.
  @inlinable
  func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
    for life in lives { writer.write(varint: life) }
  }

  /// Reads totals and as many lives, of which not all are first ones.
  @inlinable
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(totals: try ReplicaTotals(from: &reader))
    let start = reader.offset
    var isLater = false
    for _ in 0..<totals.count {
      let life = try reader.readVarint()
      guard life <= CounterRow.lifeMax else {
        throw DecodingFailure(.outOfBounds("a counter's life"), at: start)
      }
      lives.append(life)
      isLater = isLater || life > 0
    }
    guard isLater else {
      throw DecodingFailure(.notCanonical("the lives of a counter"), at: start)
    }
  }
}
