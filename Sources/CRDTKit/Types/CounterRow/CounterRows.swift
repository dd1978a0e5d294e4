/// The rows of one counter, added up.
@frozen
@usableFromInline
struct CounterRows {
  /// The running totals of the replicas that have a row.
  @usableFromInline var runningSum = CounterTraceSum()
  /// The totals that removals had seen.
  @usableFromInline var removedSum = CounterTraceSum()
  /// Whether a replica has a row of its own: no removal has seen it.
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

  /// The row of a replica that counts up and down by so much more, where all count
  /// from a base.
  ///
  /// It goes on from what its own row, or that of another line of its events, says that it
  /// had counted, and from what removals had seen, whichever is more. Where no row says
  /// anything of the last life that was removed, it begins the one that is given, if any.
  /// It counts in the stretch of a number, or in none where that is 0.
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

  /// What a replica that counts in a stretch goes on from.
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
    // A life that isn't a later one, which only a hostile peer can bring about, has
    // nothing before it.
    let isLater = newLife > tally.life || tally.total == .zero
    return CounterTally(life: newLife, spans: isLater ? tally.spans : CounterSpans())
  }

  /// The row that remembers what all of these had come to.
  @inlinable
  var forgotten: CounterRow {
    var all = removedSum.trace
    all.merge(runningSum.trace)
    return CounterRow(all)
  }

  /// What the replicas have counted that no removal had seen.
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
      // Of a life before the last that was removed nothing can be left.
      if gone.life > life { continue }
      surviving[replica] = total.subtracting(gone.total)
    }
    return surviving
  }
}

/// Traces that are added up, however many: see ``BalancedMerge``.
@frozen
@usableFromInline
struct CounterTraceSum {
  /// What came in order, or is small: mostly that is all.
  @usableFromInline var first = CounterTrace()
  @usableFromInline var others = BalancedMerge<CounterTrace>()

  @inlinable
  init() {}

  /// Up to how many totals it doesn't matter where another one goes.
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

  /// All that was added.
  @inlinable
  var trace: CounterTrace {
    guard var all = others.merged({ $0.merge($1) }) else { return first }
    all.merge(first)
    return all
  }
}
