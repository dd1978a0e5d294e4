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

extension Editor where Value.RowKey == Unit, Value.RowPayload == CounterRow {
  /// The rows of the counter, added up, and the replica's own, of which it has one.
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

  /// Replaces the replica's running totals; by nothing it changes nothing.
  @inlinable
  func count(
    up increments: UInt64, down decrements: UInt64
  ) throws(CounterOverflow) {
    guard increments > 0 || decrements > 0 else { return }
    let (rows, own, dots) = counterRows()
    let row = try rows.row(
      of: replica, goingOnFrom: own, in: scope.stretchOfNextEvent(), up: increments,
      down: decrements)
    scope.write(Row(key: Unit(), payload: row), killing: dots)
  }

  /// Replaces all rows by one that remembers the totals they had come to.
  @inlinable
  func removeCounter() {
    scope.write(
      Row(key: Unit(), payload: counterRows().rows.forgotten), killing: scope.dots())
  }
}

extension CounterRow: NamesReplicas {
  /// What the row says once a line of events has another name: what was counted before
  /// the parting stays under the old name, and the rest goes under the new one.
  ///
  /// Where a row of the line itself doesn't tell what was counted since, nothing was.
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

  /// The row of a line of events, under its new name.
  private static func row(
    of own: CounterTally, _ reissue: Reissue, beside others: CounterTrace
  ) -> CounterRow {
    var others = others
    let nothing = CounterTally(life: own.life)
    let (before, after) = own.parted(at: reissue.stretch) ?? (own, nothing)
    // What there was of an earlier life was removed before this one began.
    if before.life == own.life { others.add(before, of: reissue.replica) }
    return CounterRow(after, of: reissue.name, beside: others)
  }
}

extension CounterTrace {
  /// The trace without what was seen of a replica.
  fileprivate func without(_ replica: ReplicaID) -> CounterTrace {
    var others = CounterTrace()
    for (place, other) in totals.replicas.enumerated() where other != replica {
      others.add(tally(at: place), of: other)
    }
    return others
  }

  /// The trace with what was seen of a line of events under its new name; `nil` where
  /// nothing was, as far as can be told.
  ///
  /// A trace of a removal still says what was removed of an earlier life. In running
  /// totals such a life must not come back.
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
