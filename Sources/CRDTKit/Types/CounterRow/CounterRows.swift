/// The rows of one counter, added up.
@frozen
@usableFromInline
struct CounterRows {
  /// The running totals of the replicas that have a row.
  @usableFromInline var running = CounterTrace()
  /// The totals that removals had seen.
  @usableFromInline var removed = CounterTrace()
  /// Whether a replica has a row of its own: no removal has seen it.
  @usableFromInline var isRunning = false

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ row: CounterRow, of replica: ReplicaID) {
    switch row.content {
    case .total(let total):
      running.add(total, life: 0, of: replica)
      isRunning = true
    case .laterTotal(let total, let life):
      running.add(total, life: life, of: replica)
      isRunning = true
    case .spannedTotal(let tally):
      running.add(tally, of: replica)
      isRunning = true
    case .totals(let totals):
      running.merge(totals)
      isRunning = true
    case .removed(let totals): removed.merge(CounterTrace(totals: totals))
    case .laterRemoved(let trace): removed.merge(trace)
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
    let live = running[replica] ?? own?.tally(of: replica)
    var tally = removed[replica] ?? CounterTally()
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
    var all = removed
    all.merge(running)
    return CounterRow(all)
  }

  /// What the replicas have counted that no removal had seen.
  @inlinable
  var surviving: ReplicaTotals<PNCounter.Total> {
    var surviving = ReplicaTotals<PNCounter.Total>()
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
