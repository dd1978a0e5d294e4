/// The sum of the rows of one counter.
@frozen
@usableFromInline
struct CounterRows {
  /// The running totals of the replicas that have a row.
  @usableFromInline var runningSum = CounterTraceSum()
  /// The totals that removals had seen.
  @usableFromInline var removedSum = CounterTraceSum()
  /// Whether a replica has a live row of its own, which no removal has seen.
  @usableFromInline var isRunning = false

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ row: CounterRow, of replica: ReplicaID) {
    switch row.content {
    case .total(let total):
      runningSum.add(CounterTally(total), of: replica)
      isRunning = true
    case .laterTotal(let total, let life):
      runningSum.add(CounterTally(total, life: life), of: replica)
      isRunning = true
    case .spannedTotal(let tally):
      runningSum.add(tally, of: replica)
      isRunning = true
    case .totals(let totals):
      runningSum.add(totals)
      isRunning = true
    case .removed(let totals): removedSum.add(CounterTrace(totals: totals))
    case .laterRemoved(let trace): removedSum.add(trace)
    }
  }

  /// Returns the row of a replica after it counts up and down by the given amounts, all
  /// from a base.
  ///
  /// It continues from the greater of two totals: those in the replica's own row, or in
  /// the row of another line of its events, and those that removals had seen. If no row
  /// mentions the last life that was removed, it begins `newLife`, if you pass one. It
  /// counts in the stretch with the given number, or in none if that is 0.
  @inlinable
  func row(
    of replica: ReplicaID, goingOnFrom own: CounterRow?, newLife: UInt64? = nil,
    in stretch: UInt64 = 0, up increments: UInt64, down decrements: UInt64,
    from base: Int64 = 0
  ) throws(CounterOverflow) -> CounterRow {
    var tally = start(of: replica, goingOnFrom: own, newLife: newLife, in: stretch)
    let (up, overflowsUp) = tally.total.increments.addingReportingOverflow(increments)
    let (down, overflowsDown) = tally.total.decrements.addingReportingOverflow(decrements)
    let value = Int128(base) + surviving.sum + Int128(increments) - Int128(decrements)
    guard !overflowsUp, !overflowsDown, Int64(exactly: value) != nil else {
      throw CounterOverflow(replica: replica, amount: Swift.max(increments, decrements))
    }
    tally.total = PNCounter.Total(increments: up, decrements: down)
    if case .totals(let totals)? = own?.content {
      return CounterRow(tally, of: replica, beside: totals)
    }
    return CounterRow(tally)
  }

  /// Returns the totals from which a replica that counts in a stretch continues.
  @inlinable
  func start(
    of replica: ReplicaID, goingOnFrom own: CounterRow?, newLife: UInt64?, in stretch: UInt64
  ) -> CounterTally {
    let live = runningSum.trace[replica] ?? own?.tally(of: replica)
    var tally = removedSum.trace[replica] ?? CounterTally()
    if let live { tally = tally.joined(with: live) }
    if stretch > 0 { tally.spans.note(stretch, life: tally.life, before: tally.total) }
    let isLiving = live.map { $0.life == tally.life } ?? false
    guard !isLiving, let newLife else { return tally }
    // Only a hostile peer can cause a life that isn't a later one. It has no totals
    // before it.
    let isLater = newLife > tally.life || tally.total == .zero
    return CounterTally(life: newLife, spans: isLater ? tally.spans : CounterSpans())
  }

  /// Returns the row that remembers the totals of all these rows.
  @inlinable
  var forgotten: CounterRow {
    var all = removedSum.trace
    all.merge(runningSum.trace)
    return CounterRow(all)
  }

  /// The counts of the replicas that no removal had seen.
  @inlinable
  var surviving: ReplicaTotals<PNCounter.Total> {
    var surviving = ReplicaTotals<PNCounter.Total>()
    let (running, removed) = (runningSum.trace, removedSum.trace)
    for (place, replica) in running.totals.replicas.enumerated() {
      let total = running.totals.totals[place]
      let life = running.lives.isEmpty ? 0 : running.lives[place]
      guard let gone = removed[replica], gone.life >= life else {
        surviving[replica] = total
        continue
      }
      // Nothing can be left of a life before the last removed one.
      if gone.life > life { continue }
      surviving[replica] = total.subtracting(gone.total)
    }
    return surviving
  }
}

/// The sum of any number of traces; see ``BalancedMerge``.
@frozen
@usableFromInline
struct CounterTraceSum {
  /// The traces that arrived in order or are small, usually all of them.
  @usableFromInline var first = CounterTrace()
  @usableFromInline var others = BalancedMerge<CounterTrace>()

  @inlinable
  init() {}

  /// The number of totals below which the choice of a trace's destination doesn't matter.
  @inlinable
  static var smallCount: Int { 64 }

  @inlinable
  mutating func add(_ tally: CounterTally, of replica: ReplicaID) {
    let isNext =
      first.spans.isEmpty && tally.spans.isEmpty
      && first.totals.replicas.last.map { $0 <= replica } ?? true
    if isNext || first.totals.count < Self.smallCount {
      first.add(tally, of: replica)
    } else {
      others.add(CounterTrace(tally, of: replica), size: 1) { $0.merge($1) }
    }
  }

  @inlinable
  mutating func add(_ trace: CounterTrace) {
    if first.totals.count == 0 {
      first = trace
    } else {
      others.add(trace, size: trace.totals.count &+ 1) { $0.merge($1) }
    }
  }

  /// The sum of all added traces.
  @inlinable
  var trace: CounterTrace {
    guard var all = others.merged({ $0.merge($1) }) else { return first }
    all.merge(first)
    return all
  }
}
