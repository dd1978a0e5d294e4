/// A row of a counter inside a map.
///
/// It holds the running totals of the replica that wrote it, or the totals of all
/// replicas that the removal of the counter had seen.
///
/// The counter's value is the sum of the running totals, less the totals that removals
/// had seen. So a removal takes away exactly what it had seen, and several removals join
/// by maximum. This holds within one life of a replica's counter: a replica that counts
/// again after a removal may begin another life. The totals of a life begin at 0 and are
/// independent of those of earlier lives.
///
/// If a replica's events are in stretches, its row also holds the totals before each of
/// the last stretches. If the replica was used in two places, the row shows how much both
/// had counted before they parted. The later counts of one of the two places get another
/// name, and the rows of that place hold the totals of several replicas.
@frozen
public struct CounterRow: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @frozen
  @usableFromInline
  enum Content: Hashable, Sendable {
    /// The totals of a replica in the first life of its counter.
    case total(Total)
    /// The totals that a removal had seen, all of first lives.
    case removed(ReplicaTotals<Total>)
    /// The totals of a replica in a later life; `life` is not 0.
    indirect case laterTotal(Total, life: UInt64)
    /// The totals that a removal had seen, some of later lives or in stretches.
    indirect case laterRemoved(CounterTrace)
    /// The totals of a replica that has counted in stretches.
    indirect case spannedTotal(CounterTally)
    /// The totals of the replica that wrote the row, and the totals that it had counted
    /// before under other names.
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

  /// Creates the row of a replica that had counted under other names before.
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

  /// Creates the row of a removal.
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

  /// The totals of the replica that wrote the row; `nil` if a removal wrote it, or if it
  /// only holds totals under other names.
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

  /// The greatest number of a life: no replica makes more events than that.
  @inlinable
  static var lifeMax: UInt64 { Dot.counterMax }
}

extension Editor where Value.RowKey == NoPayload, Value.RowPayload == CounterRow {
  /// The sum of the counter's rows, and the replica's own row; a replica has at most one.
  @inlinable
  func counterRows() -> (rows: CounterRows, own: CounterRow?, dots: ContiguousArray<Dot>) {
    var rows = CounterRows()
    var own: CounterRow?
    var dots: ContiguousArray<Dot> = []
    for dot in scope.dots() {
      guard let row = scope.row(at: dot) else { continue }
      rows.add(row.payload, of: dot.replica)
      guard row.payload.isTotal, dot.replica == replica else { continue }
      own = row.payload
      dots.append(dot)
    }
    return (rows, own, dots)
  }

  /// Adds to the replica's running totals; changes nothing if both amounts are 0.
  @inlinable
  func count(
    up increments: UInt64, down decrements: UInt64
  ) throws(CounterOverflow) {
    guard increments > 0 || decrements > 0 else { return }
    let (rows, own, dots) = counterRows()
    let row = try rows.row(
      of: replica, goingOnFrom: own, in: scope.stretchOfNextEvent(), up: increments,
      down: decrements)
    scope.write(Row(key: NoPayload(), payload: row), killing: dots)
  }

  /// Replaces all rows with one that remembers their totals.
  @inlinable
  func removeCounter() {
    scope.write(
      Row(key: NoPayload(), payload: counterRows().rows.forgotten), killing: scope.dots())
  }
}

extension CounterRow: NamesReplicas {
  /// Returns the row after a line of events was renamed: the counts before the parting
  /// keep the old name, and the later counts get the new one.
  ///
  /// If a row of the line itself does not show any later count, there was none.
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> CounterRow? {
    switch content {
    case .removed: return nil
    case .laterRemoved(let trace):
      return trace.reissued(reissue, isRunning: false).map { CounterRow($0) }
    case .totals(let totals):
      guard isOwn else {
        return totals.reissued(reissue, isRunning: true).map { CounterRow(.totals($0)) }
      }
      guard let own = totals[reissue.replica] else { return nil }
      return Self.row(of: own, reissue, beside: totals.without(reissue.replica))
    case .total, .laterTotal, .spannedTotal:
      guard isOwn, let own = tally(of: reissue.replica) else { return nil }
      return Self.row(of: own, reissue, beside: CounterTrace())
    }
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> {
    switch content {
    case .laterRemoved(let trace): trace.totals.replicas
    case .totals(let totals): totals.totals.replicas
    case .removed, .total, .laterTotal, .spannedTotal: []
    }
  }

  /// Returns the row of a renamed line of events.
  private static func row(
    of own: CounterTally, _ reissue: Reissue, beside others: CounterTrace
  ) -> CounterRow {
    var others = others
    let nothing = CounterTally(life: own.life)
    let (before, after) = own.parted(at: reissue.stretch) ?? (own, nothing)
    // A removal took away the totals of an earlier life before this life began.
    if before.life == own.life { others.add(before, of: reissue.replica) }
    return CounterRow(after, of: reissue.name, beside: others)
  }
}

extension CounterTrace {
  /// Returns the trace without the totals of a replica.
  fileprivate func without(_ replica: ReplicaID) -> CounterTrace {
    var others = CounterTrace()
    for (place, other) in totals.replicas.enumerated() where other != replica {
      others.add(tally(at: place), of: other)
    }
    return others
  }

  /// Returns the trace with the totals of a renamed line of events; `nil` if the trace
  /// shows none.
  ///
  /// The trace of a removal keeps what was removed of an earlier life. In running totals,
  /// an earlier life must not come back.
  fileprivate func reissued(_ reissue: Reissue, isRunning: Bool) -> CounterTrace? {
    guard let known = self[reissue.replica],
      let (before, after) = known.parted(at: reissue.stretch)
    else { return nil }
    var trace = without(reissue.replica)
    if !isRunning || before.life == known.life { trace.add(before, of: reissue.replica) }
    trace.add(after, of: reissue.name)
    return trace
  }
}
