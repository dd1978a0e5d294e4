extension TableBacked {
  /// Begins a stretch with the next event that a replica makes here: see ``Stretches``.
  package mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
    table.beginStretch(of: replica, nonce: nonce)
  }

  /// Notes that a replica is known to have written in two places, if it isn't yet: see
  /// ``forks``.
  package mutating func noteFork(of replica: ReplicaID) {
    table.noteFork(NotedFork(replica: replica, count: 1))
  }

  /// Whether a delta since a version lists what was removed, and not what is left.
  ///
  /// Where it doesn't, a ``RemovalHistory`` of deltas that were kept makes a delta
  /// whose cost follows what has changed.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  package func isLogWhole(since version: VersionVector) -> Bool {
    table.isLogWhole(since: version)
  }

  /// What this copy knows and the version does not, with a history of what was
  /// forgotten here; `nil` where the two together don't reach back to the version.
  ///
  /// It does what ``delta(since:)`` does. The history may end before this copy's
  /// version, if what was removed since is still known here.
  ///
  /// - Complexity: O(number of replicas + what is new, with all that was removed
  ///   since the version).
  @inlinable
  package func delta(
    since version: VersionVector, history: RemovalHistory
  ) -> TableDelta<Self>? {
    table.delta(since: version, history: history).map { TableDelta($0) }
  }
}
