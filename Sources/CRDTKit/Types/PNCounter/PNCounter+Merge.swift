extension PNCounter: DeltaMergeable {
  /// Takes the greater totals of each replica.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public mutating func merge(_ other: PNCounter) {
    totals.merge(other.totals)
  }

  /// The counter itself: its totals show which events it has seen.
  @inlinable
  public var version: PNCounter { self }

  /// Returns a counter with only those totals that are greater than the version's.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public func delta(since version: PNCounter) -> PNCounter {
    PNCounter(totals: totals.since(version.totals))
  }

  /// Applies a delta, and returns whether any of its totals was greater.
  ///
  /// A delta of a counter builds on no other, so deltas may be lost, repeated and
  /// reordered. It never throws.
  ///
  /// - Complexity: O(number of replicas on both sides); less if the delta has only a few
  ///   replicas, all known here.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: PNCounter) throws(DeltaError) -> Bool {
    totals.merge(delta.totals)
  }
}

extension PNCounter: BytesCodable {
  /// The type code of `PNCounter`.
  @inlinable
  public static var typeCode: [UInt8] { [34] }

  /// Encodes the number of replicas, then each replica with its sums of increments and of
  /// decrements.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
  }

  /// Decodes entries in ascending order of replicas; an entry of zero is not canonical.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    totals = try ReplicaTotals(from: &reader)
  }
}

extension PNCounter: MapValue {
  /// Creates the counter from its rows in a map: its value is what was counted and not
  /// removed.
  @inlinable
  public init(_table table: DotTable<NoPayload, CounterRow>) {
    var rows = CounterRows()
    table.forEachRow { rows.add($1.payload, of: $0.replica) }
    self.init(totals: rows.surviving)
  }

  /// Returns whether a row holds a replica's totals.
  @inlinable
  public static func isPresent(_ payload: CounterRow) -> Bool { payload.isTotal }

  /// A removal leaves a row with the totals that it saw.
  @inlinable
  public static var remembersRemovals: Bool { true }

  /// Removes exactly the counts that are seen here.
  @inlinable
  public static func removeAll(in editor: inout CRDTKit.Editor<PNCounter>) {
    editor.removeCounter()
  }
}

extension Editor where Value == PNCounter {
  /// Adds to the counter; adding 0 changes nothing.
  ///
  /// - Complexity: O(number of replicas that have counted).
  /// - Throws: ``CounterOverflow``; the counter is unchanged then.
  @inlinable
  public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
    try count(up: amount, down: 0)
  }

  /// Subtracts from the counter; subtracting 0 changes nothing.
  ///
  /// - Complexity: O(number of replicas that have counted).
  /// - Throws: ``CounterOverflow``; the counter is unchanged then.
  @inlinable
  public mutating func decrement(_ amount: UInt64 = 1) throws(CounterOverflow) {
    try count(up: 0, down: amount)
  }
}
