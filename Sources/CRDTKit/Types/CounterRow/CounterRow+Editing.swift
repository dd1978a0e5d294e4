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
