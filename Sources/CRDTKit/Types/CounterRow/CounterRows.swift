/// The rows of one counter, added up.
@frozen
@usableFromInline
struct CounterRows {
  /// The running totals of the replicas that have a row.
  @usableFromInline var running = ReplicaTotals<PNCounter.Total>()
  /// The totals that removals had seen.
  @usableFromInline var removed = ReplicaTotals<PNCounter.Total>()

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ row: CounterRow, of replica: ReplicaID) {
    switch row.content {
    case .total(let total): running[replica] = running[replica].joined(with: total)
    case .removed(let totals): removed.merge(totals)
    }
  }

  /// What the replicas have counted that no removal had seen.
  @inlinable
  var surviving: ReplicaTotals<PNCounter.Total> {
    var surviving = ReplicaTotals<PNCounter.Total>()
    for (replica, total) in zip(running.replicas, running.totals) {
      let gone = removed[replica]
      surviving[replica] = PNCounter.Total(
        increments: total.increments - Swift.min(gone.increments, total.increments),
        decrements: total.decrements - Swift.min(gone.decrements, total.decrements)
      )
    }
    return surviving
  }
}
