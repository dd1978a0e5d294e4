public import CRDTKit

extension Store {
  /// What is odd about the clock; `nil` if nothing was seen since the store was opened.
  ///
  /// It is what was told last as ``StoreEvent/clockJumped(by:)`` or
  /// ``StoreEvent/stampsAhead(by:)``.
  public var clockWarning: ClockWarning? { core.monitor.withLock { core.clockWarning } }

  /// Writes anew, with stamps of now, all values whose stamps are ahead of the clock by
  /// more than ``StoreOptions/clockDriftMaxMilliseconds``.
  ///
  /// It is the way back after the clock was ahead, for a store that peers refuse. Set
  /// the clock right first. Every value stays, and so do the sides of conflicts, what is
  /// deleted, and what waits for a server; the old stamps are in nothing that peers are
  /// sent. Later commits get stamps of the clock again. Where nothing is ahead, nothing
  /// is written.
  ///
  /// It is one commit, and a change made now: a form that is open sees another's change,
  /// and what somebody wrote elsewhere without having seen it stands beside it. The
  /// article *Clocks* says what to do with peers that took the old stamps in.
  ///
  /// - Returns: What was written, and what only others can write.
  /// - Throws: ``StoreError``; nothing has changed then, except where it says that the
  ///   store has stopped.
  /// - Complexity: O(rows of the document).
  @discardableResult
  public nonisolated(nonsending) func restampFutureWrites() async throws(StoreError)
    -> RestampReport
  {
    let (report, commit) = try core.restampFutureWrites()
    if let commit { try await core.untilDurable(commit) }
    return report
  }

  /// Writes anew what is stamped in the future, and waits in place.
  @discardableResult
  public func restampFutureWrites() throws(StoreError) -> RestampReport {
    let (report, commit) = try core.restampFutureWrites()
    if let commit { try core.waitUntilDurable(commit) }
    return report
  }
}

/// What ``Store/restampFutureWrites()`` did.
public struct RestampReport: Hashable, Sendable {
  /// How many values were written anew: of fields, elements of sets, counts, and what is
  /// noted of records as a whole.
  public var valuesWritten = 0
  /// The records that they belong to.
  public var records: Set<Document.RecordID> = []
  /// How many counts are left by other replicas, which nobody but they can write anew.
  ///
  /// Call ``Store/restampFutureWrites()`` there. Until then peers refuse what the store
  /// sends them.
  public var countsLeft: [ReplicaID: Int] = [:]

  /// Whether nothing in the store is ahead of the clock any more.
  public var isComplete: Bool { countsLeft.isEmpty }
}
