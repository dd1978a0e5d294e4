extension PNCounter: DeltaMergeable {
  /// Takes the greater totals of each replica.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public mutating func merge(_ other: PNCounter) {
    totals.merge(other.totals)
  }

  /// The counter itself: its totals say what has been seen.
  @inlinable
  public var version: PNCounter { self }

  /// The totals that are greater than the version's: a counter of fewer
  /// replicas.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public func delta(since version: PNCounter) -> PNCounter {
    PNCounter(totals: totals.since(version.totals))
  }

  /// Takes in a delta; says whether any of its totals was greater.
  ///
  /// It builds on nothing, so deltas may be lost, repeated and reordered. It
  /// never throws.
  ///
  /// - Complexity: O(number of replicas on both sides); less where the delta is
  ///   of a few known replicas.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: PNCounter) throws(DeltaError) -> Bool {
    totals.merge(delta.totals)
  }
}

extension PNCounter: BytesCodable {
  /// The code of `PNCounter`.
  @inlinable
  public static var typeCode: [UInt8] { [34] }

  /// Writes the number of replicas, then each, what it has added and what it has
  /// taken away.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
  }

  /// Reads replicas in ascending order, none of which has done nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    totals = try ReplicaTotals(from: &reader)
  }
}

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
