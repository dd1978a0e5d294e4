extension Editor where Value.RowKey == Unit, Value.RowPayload == CounterRow {
  /// The rows of the counter, added up, and the dot of the replica's own.
  @inlinable
  func counterRows() -> (rows: CounterRows, own: ContiguousArray<Dot>) {
    var rows = CounterRows()
    var own: ContiguousArray<Dot> = []
    for dot in scope.dots() {
      guard let row = scope.row(at: dot) else { continue }
      rows.add(row.payload, of: dot.replica)
      if row.payload.isTotal, dot.replica == replica { own.append(dot) }
    }
    return (rows, own)
  }

  /// Replaces the replica's running totals.
  @inlinable
  func count(
    up increments: UInt64, down decrements: UInt64
  ) throws(CounterOverflow) {
    let (rows, own) = counterRows()
    var total = own.isEmpty ? rows.removed[replica] : rows.running[replica]
    let (up, overflowsUp) = total.increments.addingReportingOverflow(increments)
    let (down, overflowsDown) = total.decrements.addingReportingOverflow(decrements)
    let value = rows.surviving.sum + Int128(increments) - Int128(decrements)
    guard !overflowsUp, !overflowsDown, Int64(exactly: value) != nil else {
      throw CounterOverflow(replica: replica, amount: Swift.max(increments, decrements))
    }
    (total.increments, total.decrements) = (up, down)
    scope.write(Row(key: Unit(), payload: CounterRow(.total(total))), killing: own)
  }

  /// Replaces all rows by one that remembers the totals they had come to.
  @inlinable
  func removeCounter() {
    var rows = counterRows().rows
    rows.removed.merge(rows.running)
    scope.write(
      Row(key: Unit(), payload: CounterRow(.removed(rows.removed))), killing: scope.dots())
  }
}
