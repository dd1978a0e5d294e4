/// A counter that any replica can increment and none can decrement.
///
/// The increments of each replica are counted separately. So each counts exactly once, in
/// whatever order copies are merged:
///
///     var likes = GCounter()
///     try likes.increment(10, by: phone)
///     try copy.increment(10, by: laptop)
///     likes.merge(copy)                       // 20
///
/// Merging takes the greater total of each replica. The value is exact: the sum may even
/// exceed the range of `Int`, see ``exactValue``. An increment that would overflow throws
/// an error and changes nothing.
@frozen
public struct GCounter: Hashable, Sendable {
  @usableFromInline package var totals: ReplicaTotals<Total>

  /// Creates a counter at 0.
  @inlinable
  public init() {
    totals = ReplicaTotals()
  }

  @inlinable
  package init(totals: ReplicaTotals<Total>) {
    self.totals = totals
  }

  /// The sum of all increments, or `Int.max` if that is less.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var value: Int { Int(clamping: exactValue) }

  /// The sum of all increments.
  ///
  /// No replica increments the counter above `Int64.max` as far as it knows; several
  /// replicas together can exceed it.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var exactValue: Int128 { totals.sum }

  /// Returns the sum of one replica's increments.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func increments(of replica: ReplicaID) -> UInt64 { totals[replica].increments }

  /// Adds to the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would exceed `Int64.max`, or
  ///   the replica's own total would exceed `UInt64.max`. The counter is unchanged then.
  @inlinable
  public mutating func increment(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.increment(amount)
    totals[replica] = editor.total
  }
}

extension GCounter: CustomStringConvertible {
  /// The exact value.
  public var description: String { exactValue.description }
}

extension GCounter {
  /// Changes a counter on behalf of one replica; see ``GCounter/edit(by:_:)``.
  @frozen
  public struct Editor: ~Copyable {
    /// The replica that makes the changes.
    public let replica: ReplicaID

    /// The sum of all increments, including those of this edit.
    public private(set) var exactValue: Int128

    @usableFromInline var total: Total

    @usableFromInline
    init(of counter: GCounter, by replica: ReplicaID) {
      self.replica = replica
      exactValue = counter.exactValue
      total = counter.totals[replica]
    }

    /// Adds to the counter.
    ///
    /// - Throws: ``CounterOverflow``; the counter is unchanged then. See
    ///   ``GCounter/increment(_:by:)``.
    public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
      let (increments, overflows) = total.increments.addingReportingOverflow(amount)
      guard !overflows, exactValue + Int128(amount) <= Int128(Int64.max) else {
        throw CounterOverflow(replica: replica, amount: amount)
      }
      total.increments = increments
      exactValue += Int128(amount)
    }
  }

  /// Makes many changes as one replica, and returns one delta of them all.
  ///
  ///     let delta = try likes.edit(by: phone) { try $0.increment(3) }
  ///     copy.merge(delta)
  ///
  /// - Complexity: O(number of replicas), however many changes there are.
  /// - Throws: The error of `body`; the counter is unchanged then.
  @inlinable
  @discardableResult
  public mutating func edit<Result, Failure: Error>(
    by replica: ReplicaID,
    _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> GCounter {
    var editor = Editor(of: self, by: replica)
    _ = try body(&editor)
    guard editor.total != totals[replica] else { return GCounter() }
    totals[replica] = editor.total
    return GCounter(totals: ReplicaTotals(replica, editor.total))
  }
}

extension GCounter {
  /// The sum of one replica's increments.
  @frozen
  @usableFromInline
  package struct Total: ReplicaTotal {
    @usableFromInline var increments: UInt64

    @inlinable
    init(increments: UInt64) {
      self.increments = increments
    }

    @inlinable
    package static var zero: Total { Total(increments: 0) }

    @inlinable
    package func joined(with other: Total) -> Total {
      Total(increments: Swift.max(increments, other.increments))
    }

    @inlinable
    package var contribution: Int128 { Int128(increments) }

    @inlinable
    package func encode(to writer: inout ByteWriter) {
      writer.write(varint: increments)
    }

    @inlinable
    package init(from reader: inout ByteReader) throws(DecodingFailure) {
      increments = try reader.readVarint()
    }
  }
}

extension GCounter: DeltaMergeable {
  /// Takes the greater total of each replica.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public mutating func merge(_ other: GCounter) {
    totals.merge(other.totals)
  }

  /// The counter itself: its totals show which events it has seen.
  @inlinable
  public var version: GCounter { self }

  /// Returns a counter with only those totals that are greater than the version's.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public func delta(since version: GCounter) -> GCounter {
    GCounter(totals: totals.since(version.totals))
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
  public mutating func apply(_ delta: GCounter) throws(DeltaError) -> Bool {
    totals.merge(delta.totals)
  }
}

extension GCounter: BytesCodable {
  /// The type code of `GCounter`.
  @inlinable
  public static var typeCode: [UInt8] { [33] }

  /// Encodes the number of replicas, then each replica and its total.
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

extension GCounter: MapValue {
  /// Creates the counter from its rows in a map: its value is what was counted and not
  /// removed.
  @inlinable
  public init(_table table: DotTable<NoPayload, CounterRow>) {
    var rows = CounterRows()
    table.forEachRow { rows.add($1.payload, of: $0.replica) }
    let surviving = rows.surviving
    self.init()
    for (replica, total) in zip(surviving.replicas, surviving.totals) {
      totals[replica] = Total(increments: total.increments)
    }
  }

  /// Returns whether a row holds a replica's totals.
  @inlinable
  public static func isPresent(_ payload: CounterRow) -> Bool { payload.isTotal }

  /// A removal leaves a row with the totals that it saw.
  @inlinable
  public static var remembersRemovals: Bool { true }

  /// Removes exactly the counts that are seen here.
  @inlinable
  public static func removeAll(in editor: inout CRDTKit.Editor<GCounter>) {
    editor.removeCounter()
  }
}

extension Editor where Value == GCounter {
  /// Adds to the counter; adding 0 changes nothing.
  ///
  /// - Complexity: O(number of replicas that have counted).
  /// - Throws: ``CounterOverflow``; the counter is unchanged then.
  @inlinable
  public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
    try count(up: amount, down: 0)
  }
}
