/// What a row of a counter inside a map says.
///
/// It holds the running totals of the replica that wrote it, or the totals of all
/// replicas that the removal of the counter had seen.
///
/// What is left of a counter is what its replicas have counted beyond what the
/// removals had seen; so a removal takes away just that, and several removals join by
/// maximum. That holds within one life of a replica's counter: a replica that counts
/// anew after a removal may begin another life, whose totals begin at 0 and have
/// nothing to do with those of the lives before.
///
/// Where a replica's events are in stretches, totals come with what they were before
/// each of the last ones. So a row can tell, when a replica was used in two places, what
/// both had counted; what one of them has counted since then goes under another name, and
/// its rows hold the totals of several replicas.
@frozen
public struct CounterRow: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @frozen
  @usableFromInline
  enum Content: Hashable, Sendable {
    /// The totals of a replica in the first life of its counter.
    case total(Total)
    /// The totals that a removal saw, all of first lives.
    case removed(ReplicaTotals<Total>)
    /// The totals of a replica in a later life, which is not 0.
    indirect case laterTotal(Total, life: UInt64)
    /// The totals that a removal saw, some of later lives or in stretches.
    indirect case laterRemoved(CounterTrace)
    /// The totals of a replica that has counted in stretches.
    indirect case spannedTotal(CounterTally)
    /// The totals of the replica that wrote the row, and of others under whose names it
    /// had counted before.
    indirect case totals(CounterTrace)
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }

  /// Creates the row of a replica that counts.
  @inlinable
  init(_ total: Total, life: UInt64) {
    self.init(life == 0 ? .total(total) : .laterTotal(total, life: life))
  }

  /// Creates the row of a replica that counts.
  @inlinable
  init(_ tally: CounterTally) {
    if tally.spans.isEmpty {
      self.init(tally.total, life: tally.life)
    } else {
      self.init(.spannedTotal(tally))
    }
  }

  /// Creates the row of a replica that counts, and had counted under other names.
  @usableFromInline
  init(_ tally: CounterTally, of replica: ReplicaID, beside others: CounterTrace) {
    guard others.totals.count > 0 else {
      self.init(tally)
      return
    }
    var all = others
    all.add(tally, of: replica)
    self.init(.totals(all))
  }

  /// Creates the row that a removal leaves.
  @inlinable
  init(_ trace: CounterTrace) {
    self.init(trace.isPlain ? .removed(trace.totals) : .laterRemoved(trace))
  }

  @inlinable
  var isTotal: Bool {
    switch content {
    case .total, .laterTotal, .spannedTotal, .totals: true
    case .removed, .laterRemoved: false
    }
  }

  /// What the replica that wrote the row has counted; `nil` where the row is of a
  /// removal, or only says what it had counted under other names.
  @inlinable
  func tally(of writer: ReplicaID) -> CounterTally? {
    switch content {
    case .total(let total): CounterTally(total)
    case .laterTotal(let total, let life): CounterTally(total, life: life)
    case .spannedTotal(let tally): tally
    case .totals(let totals): totals[writer]
    case .removed, .laterRemoved: nil
    }
  }

  /// The greatest number of a life: no replica makes more events.
  @inlinable
  static var lifeMax: UInt64 { Dot.counterMax }
}
