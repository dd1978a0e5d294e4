extension PNCounter: MapValue {
  /// Creates the counter that its rows in a map read as: what was counted and not
  /// removed.
  @inlinable
  public init(table: DotTable<Unit, CounterRow>) {
    var rows = CounterRows()
    table.forEachRow { rows.add($1.payload, of: $0.replica) }
    self.init(totals: rows.surviving)
  }

  /// Whether a row holds a replica's totals.
  @inlinable
  public static func isPresent(_ payload: CounterRow) -> Bool { payload.isTotal }

  /// A removal remembers the totals that it saw.
  @inlinable
  public static var remembersRemovals: Bool { true }

  /// Removes just what was counted and is seen here.
  @inlinable
  public static func removeAll(in editor: inout CRDTKit.Editor<PNCounter>) {
    editor.removeCounter()
  }
}

extension Editor where Value == PNCounter {
  /// Adds to the counter; adding 0 changes nothing.
  ///
  /// - Complexity: O(number of replicas that have counted).
  /// - Throws: ``CounterOverflow``, and then nothing has changed.
  @inlinable
  public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
    try count(up: amount, down: 0)
  }

  /// Takes away from the counter; taking away 0 changes nothing.
  ///
  /// - Complexity: O(number of replicas that have counted).
  /// - Throws: ``CounterOverflow``, and then nothing has changed.
  @inlinable
  public mutating func decrement(_ amount: UInt64 = 1) throws(CounterOverflow) {
    try count(up: 0, down: amount)
  }
}
