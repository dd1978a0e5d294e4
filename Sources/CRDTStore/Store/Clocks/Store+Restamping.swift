public import CRDTKit

extension Store {
  /// The last warning about the clock; `nil` if there was none since the store was opened.
  ///
  /// The store sends the same warning as ``Store/Event/clockJumped(by:)`` or
  /// ``Store/Event/stampsAhead(by:)``.
  public var clockWarning: Store.ClockWarning? { core.monitor.withLock { core.clockWarning } }

  /// Rewrites all values that are stamped in the future, with present stamps.
  ///
  /// A value counts if its stamp is ahead of the clock by more than
  /// ``Store/Options/maximumClockDrift``.
  ///
  /// Use this after the clock was ahead and peers refuse the store's changes. Set the clock
  /// right first. All values stay, and so do the sides of conflicts, deletions, and
  /// operations that wait for a server. Nothing that peers are sent has the old stamps any
  /// more. Later commits get stamps from the clock again. If no stamp is ahead, nothing is
  /// written.
  ///
  /// The call makes one commit, whose changes count as made now: an open form sees them as
  /// somebody else's changes, and a value that somebody wrote elsewhere without having seen
  /// them is concurrent with them. The article *Clocks* says what to do with peers that
  /// have accepted the old stamps.
  ///
  /// - Returns: What was written, and what only other replicas can write.
  /// - Throws: ``StoreError``. Nothing has changed then, unless the error says that the
  ///   store has stopped.
  /// - Complexity: O(rows of the document).
  @discardableResult
  public nonisolated(nonsending) func restampFutureWrites() async throws(StoreError)
    -> Store.RestampReport
  {
    let (report, commit) = try core.restampFutureWrites()
    if let commit { try await core.untilDurable(commit) }
    return report
  }

  /// Rewrites all values that are stamped in the future, and waits in place.
  @discardableResult
  public func restampFutureWrites() throws(StoreError) -> Store.RestampReport {
    let (report, commit) = try core.restampFutureWrites()
    if let commit { try core.waitUntilDurable(commit) }
    return report
  }
}

extension Store {
  /// The result of ``Store/restampFutureWrites()``.
  public struct RestampReport: Hashable, Sendable {
    /// The number of values that were rewritten: fields, elements of sets, counts, and
    /// notes about records as a whole.
    public var valuesWritten = 0
    /// The records that the values belong to.
    public var records: Set<Document.RecordID> = []
    /// The number of counts by other replicas, which only these replicas can rewrite.
    ///
    /// Call ``Store/restampFutureWrites()`` there. Until then, peers refuse what this store
    /// sends them.
    public var countsLeft: [ReplicaID: Int] = [:]

    /// Whether no stamp in the store is ahead of the clock any more.
    public var isComplete: Bool { countsLeft.isEmpty }
  }
}
