extension GCounter {
  /// Changes a counter on behalf of one replica; see ``GCounter/edit(by:_:)``.
  @frozen
  public struct Editor: ~Copyable {
    /// The replica that makes the changes.
    public let replica: ReplicaID

    /// What all replicas have added, this edit included.
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
    /// - Throws: ``CounterOverflow``, and then nothing has changed; see
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

  /// Makes many changes as one replica, and gives the delta that holds them all.
  ///
  ///     let delta = try likes.edit(by: phone) { try $0.increment(3) }
  ///     copy.merge(delta)
  ///
  /// - Complexity: O(number of replicas), however many changes there are.
  /// - Throws: What `body` throws, and then nothing has changed.
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
