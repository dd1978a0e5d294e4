extension PNCounter {
  /// Changes a counter on behalf of one replica; see ``PNCounter/edit(by:_:)``.
  @frozen
  public struct Editor: ~Copyable {
    /// The replica that makes the changes.
    public let replica: ReplicaID

    /// What all replicas have added less what they have taken away, this edit
    /// included.
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
    /// - Throws: ``CounterOverflow``, and then nothing has changed; see
    ///   ``PNCounter/increment(_:by:)``.
    public mutating func increment(_ amount: UInt64 = 1) throws(CounterOverflow) {
      let (increments, overflows) = total.increments.addingReportingOverflow(amount)
      guard !overflows, exactValue + Int128(amount) <= Int128(Int64.max) else {
        throw CounterOverflow(replica: replica, amount: amount)
      }
      total.increments = increments
      exactValue += Int128(amount)
    }

    /// Takes away from the counter.
    ///
    /// - Throws: ``CounterOverflow``, and then nothing has changed; see
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

  /// Makes many changes as one replica, and gives the delta that holds them all.
  ///
  ///     let delta = try stock.edit(by: phone) {
  ///       try $0.increment(3)
  ///       try $0.decrement()
  ///     }
  ///     copy.merge(delta)
  ///
  /// - Complexity: O(number of replicas), however many changes there are.
  /// - Throws: What `body` throws, and then nothing has changed.
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
