/// The rows of one counter, added up.
@frozen
@usableFromInline
struct CounterRows {
  /// The running totals of the replicas that have a row.
  @usableFromInline var running = ReplicaTotals<PNCounter.Total>()
  /// The totals that removals had seen.
  @usableFromInline var removed = ReplicaTotals<PNCounter.Total>()
  /// Whether a replica has a row of its own: no removal has seen it.
  @usableFromInline var isRunning = false

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ row: CounterRow, of replica: ReplicaID) {
    switch row.content {
    case .total(let total):
      running[replica] = running[replica].joined(with: total)
      isRunning = true
    case .removed(let totals): removed.merge(totals)
    }
  }

  /// The totals of a replica that counts up and down by so much more, where all
  /// count from a base; it goes on from its own row, or from what removals had seen
  /// where it has none.
  @inlinable
  func total(
    of replica: ReplicaID, ownsRow: Bool, up increments: UInt64, down decrements: UInt64,
    from base: Int64 = 0
  ) throws(CounterOverflow) -> PNCounter.Total {
    var total = ownsRow ? running[replica] : removed[replica]
    let (up, overflowsUp) = total.increments.addingReportingOverflow(increments)
    let (down, overflowsDown) = total.decrements.addingReportingOverflow(decrements)
    let value = Int128(base) + surviving.sum + Int128(increments) - Int128(decrements)
    guard !overflowsUp, !overflowsDown, Int64(exactly: value) != nil else {
      throw CounterOverflow(replica: replica, amount: Swift.max(increments, decrements))
    }
    (total.increments, total.decrements) = (up, down)
    return total
  }

  /// The row that remembers what all of these had come to.
  @inlinable
  var forgotten: CounterRow {
    var all = removed
    all.merge(running)
    return CounterRow(.removed(all))
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
