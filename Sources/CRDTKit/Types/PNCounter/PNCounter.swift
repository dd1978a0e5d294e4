/// A counter that any replica can increment and decrement.
///
/// The increments and decrements of each replica are counted separately. So each counts
/// exactly once, in whatever order copies are merged:
///
///     var stock = PNCounter()
///     try stock.increment(10, by: phone)
///     try copy.decrement(3, by: laptop)
///     stock.merge(copy)                       // 7
///
/// Merging takes the greater totals of each replica. The value is exact: the sum may even
/// exceed the range of `Int`, see ``exactValue``. A change that would overflow throws an
/// error and changes nothing.
@frozen
public struct PNCounter: Hashable, Sendable {
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

  /// The sum of all increments less all decrements, clamped to the range of `Int`.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var value: Int { Int(clamping: exactValue) }

  /// The sum of all increments less all decrements.
  ///
  /// No replica takes the counter out of the range of `Int64` as far as it knows; several
  /// replicas together can.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var exactValue: Int128 { totals.sum }

  /// Returns the sum of one replica's increments.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func increments(of replica: ReplicaID) -> UInt64 { totals[replica].increments }

  /// Returns the sum of one replica's decrements.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func decrements(of replica: ReplicaID) -> UInt64 { totals[replica].decrements }

  /// Adds to the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would exceed `Int64.max`, or
  ///   the sum of the replica's increments would exceed `UInt64.max`. The counter is
  ///   unchanged then.
  @inlinable
  public mutating func increment(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.increment(amount)
    totals[replica] = editor.total
  }

  /// Subtracts from the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would fall below `Int64.min`,
  ///   or the sum of the replica's decrements would exceed `UInt64.max`. The counter is
  ///   unchanged then.
  @inlinable
  public mutating func decrement(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.decrement(amount)
    totals[replica] = editor.total
  }
}

extension PNCounter: CustomStringConvertible {
  /// The exact value.
  public var description: String { exactValue.description }
}

extension PNCounter {
  /// Changes a counter on behalf of one replica; see ``PNCounter/edit(by:_:)``.
  @frozen
  public struct Editor: ~Copyable {
    /// The replica that makes the changes.
    public let replica: ReplicaID

    /// The sum of all increments less all decrements, including those of this edit.
    public private(set) var exactValue: Int128

    @usableFromInline var total: Total

    @usableFromInline
    init(of counter: PNCounter, by replica: ReplicaID) {
      self.replica = replica
      exactValue = counter.exactValue
      total = counter.totals[replica]
    }

    /// Adds to the counter.
    ///
    /// - Throws: ``CounterOverflow``; the counter is unchanged then. See
    ///   ``PNCounter/increment(_:by:)``.
    public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
      let (increments, overflows) = total.increments.addingReportingOverflow(amount)
      guard !overflows, exactValue + Int128(amount) <= Int128(Int64.max) else {
        throw CounterOverflow(replica: replica, amount: amount)
      }
      total.increments = increments
      exactValue += Int128(amount)
    }

    /// Subtracts from the counter.
    ///
    /// - Throws: ``CounterOverflow``; the counter is unchanged then. See
    ///   ``PNCounter/decrement(_:by:)``.
    public mutating func decrement(_ amount: UInt64 = 1) throws(CounterOverflow) {
      let (decrements, overflows) = total.decrements.addingReportingOverflow(amount)
      guard !overflows, exactValue - Int128(amount) >= Int128(Int64.min) else {
        throw CounterOverflow(replica: replica, amount: amount)
      }
      total.decrements = decrements
      exactValue -= Int128(amount)
    }
  }

  /// Makes many changes as one replica, and returns one delta of them all.
  ///
  ///     let delta = try stock.edit(by: phone) {
  ///       try $0.increment(3)
  ///       try $0.decrement()
  ///     }
  ///     copy.merge(delta)
  ///
  /// - Complexity: O(number of replicas), however many changes there are.
  /// - Throws: The error of `body`; the counter is unchanged then.
  @inlinable
  @discardableResult
  public mutating func edit<Result, Failure: Error>(
    by replica: ReplicaID,
    _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> PNCounter {
    var editor = Editor(of: self, by: replica)
    _ = try body(&editor)
    guard editor.total != totals[replica] else { return PNCounter() }
    totals[replica] = editor.total
    return PNCounter(totals: ReplicaTotals(replica, editor.total))
  }
}

extension PNCounter {
  /// The sums of one replica's increments and decrements.
  @frozen
  @usableFromInline
  package struct Total: ReplicaTotal {
    @usableFromInline var increments: UInt64
    @usableFromInline var decrements: UInt64

    @inlinable
    init(increments: UInt64, decrements: UInt64) {
      self.increments = increments
      self.decrements = decrements
    }

    @inlinable
    package static var zero: Total { Total(increments: 0, decrements: 0) }

    @inlinable
    package func joined(with other: Total) -> Total {
      Total(
        increments: Swift.max(increments, other.increments),
        decrements: Swift.max(decrements, other.decrements)
      )
    }

    /// Returns the difference to another total, at least zero.
    @inlinable
    func subtracting(_ other: Total) -> Total {
      Total(
        increments: increments - Swift.min(other.increments, increments),
        decrements: decrements - Swift.min(other.decrements, decrements)
      )
    }

    @inlinable
    package var contribution: Int128 { Int128(increments) - Int128(decrements) }

    @inlinable
    package func encode(to writer: inout ByteWriter) {
      writer.write(varint: increments)
      writer.write(varint: decrements)
    }

    @inlinable
    package init(from reader: inout ByteReader) throws(DecodingFailure) {
      increments = try reader.readVarint()
      decrements = try reader.readVarint()
    }
  }
}
