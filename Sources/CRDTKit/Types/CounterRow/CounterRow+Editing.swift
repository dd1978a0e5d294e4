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
    let total = try rows.total(
      of: replica, ownsRow: !own.isEmpty, up: increments, down: decrements)
    scope.write(Row(key: Unit(), payload: CounterRow(.total(total))), killing: own)
  }

  /// Replaces all rows by one that remembers the totals they had come to.
  @inlinable
  func removeCounter() {
    scope.write(
      Row(key: Unit(), payload: counterRows().rows.forgotten), killing: scope.dots())
  }
}
