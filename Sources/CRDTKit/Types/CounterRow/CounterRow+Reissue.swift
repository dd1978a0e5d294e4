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
