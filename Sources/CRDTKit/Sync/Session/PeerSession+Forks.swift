/// A fork that was mended here, with the peer's line under another name.
@usableFromInline
struct UnsettledFork: Sendable {
  @usableFromInline let replica: ReplicaID
  /// The name of the peer's line here.
  let name: ReplicaID
  /// The last of its events under that name.
  let last: UInt64
}

/// The handling of names that were used in two places.
extension PeerSession {
  /// Notes new forks that were found by way of other peers.
  ///
  /// The peer's events under these names may be another line than the one here now, or
  /// become one. The fingerprints here show the fork to the peer, too. The peer's
  /// removals name the rows of its own line.
  @inlinable
  mutating func noteForks(of value: Value, _ actions: inout [Action]) {
    guard value._table.forks != knownForks else { return }
    for fork in value._table.forks
    where !knownForks.contains(fork)
      && (link.peerVersion[fork.replica] > 0 || link.isReceiving)
    {
      link.forgetPeerHas([fork.replica])
      noteOtherLines(of: [fork.replica])
    }
    tellOfMending(value, &actions)
    link.mayAskForContents()
  }

  /// After a fork was mended, tells the peer the names and event counts that are used
  /// from now on.
  ///
  /// The contents are compared again, because they may have changed at the same version.
  @inlinable
  mutating func tellOfMending(_ value: Value, _ actions: inout [Action]) {
    knownForks = value._table.forks
    compareAnew(value)
    actions += link.pull(since: value._table.heads).map { .send($0) }
  }

  /// Keeps the peer's heads of events that are not known here.
  @usableFromInline
  mutating func noteUncompared(_ heads: ColumnHeads, _ value: Value) {
    uncompared = heads.heads.filter { value._table.seen(of: $0.replica) < $0.seen }
    eventsCompared = value._table.eventCount
  }

  /// Compares the peer's heads with events that have arrived since, from any peer.
  ///
  /// If the peer's events are another line's, all events here of that replica are sent to
  /// it before any removal that names their rows.
  ///
  /// - Complexity: O(replicas for which the peer has announced more than is here), if
  ///   anything has arrived.
  @usableFromInline
  mutating func compareHeads(with value: Value) {
    guard value._table.eventCount != eventsCompared else { return }
    eventsCompared = value._table.eventCount
    var others: [ReplicaID] = []
    uncompared.removeAll { head in
      guard let place = value._table.column(of: head.replica) else { return false }
      if value._table.columns[place].contradicts(head) {
        others.append(head.replica)
        return true
      }
      return value._table.columns[place].seen >= head.seen
    }
    link.forgetPeerHas(others)
  }

  /// Notes replicas for which the peer may have another line; all of their events are
  /// requested before anything else is applied.
  @usableFromInline
  mutating func noteOtherLines(of replicas: [ReplicaID]) {
    otherLines += replicas.filter { !otherLines.contains($0) }
  }

  /// Requests all events of the replicas for which the peer has another line, instead of
  /// applying a delta that may name rows of that line.
  ///
  /// Returns whether it did.
  @inlinable
  mutating func asksForForks(
    _ delta: Value.Delta, _ value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) -> Bool {
    guard !otherLines.isEmpty else { return false }
    // A delta with all events of a replica mends the fork, and shows which line it means.
    otherLines.removeAll { delta.changes.bringsAll(of: $0) }
    guard !otherLines.isEmpty else { return false }
    for forked in otherLines { try askForAll(of: forked, delta, value, &actions) }
    otherLines = []
    return true
  }

  /// Requests all events of a replica with a fork, and those of the delta that has just
  /// arrived; with these the fork is mended.
  ///
  /// - Throws: ``SyncFailure/fork(_:)`` if they were requested before, or can't be.
  @inlinable
  mutating func askForAll(
    of forked: ReplicaID, _ delta: Value.Delta, _ value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) {
    let whole = delta.changes.columns.lazy.map(\.replica).filter { delta.base[$0] == 0 }
    let frames = try link.askForAll(of: forked, and: Array(whole), heads: value._table.heads)
    actions += frames.map { .send($0) }
  }

  /// Notes the forks that the peer's data has mended.
  ///
  /// Until the peer has mended them too, it uses a name for its line that stands for
  /// another line here.
  @usableFromInline
  mutating func noteUnsettled(_ mended: ContiguousArray<Mended>) {
    guard link.speaksParcels else { return }
    for mend in mended where !mend.isMine {
      unsettled.append(
        UnsettledFork(replica: mend.replica, name: mend.reissue.name, last: mend.last))
    }
  }

  /// Whether to skip a delta because it may name rows of the wrong line.
  ///
  /// The delta lacks events of a replica whose fork the peer hasn't mended yet; with all
  /// of them it would mend the fork.
  @inlinable
  mutating func passesOver(_ delta: Value.Delta, _ value: Value) -> Bool {
    guard !unsettled.isEmpty else { return false }
    // The peer may have mended the same fork by way of others before it could tell.
    forgetSettled(value, told: delta.version)
    let isPassedOver = unsettled.contains { !delta.changes.bringsAll(of: $0.replica) }
    hasPassedOver = hasPassedOver || isPassedOver
    return isPassedOver
  }

  /// Forgets the forks that the peer has mended by now, as its version shows, or a
  /// version that it has sent.
  @usableFromInline
  mutating func forgetSettled(_ value: Value, told: VersionVector = [:]) {
    unsettled.removeAll { fork in
      // The line of this name may have forked again here.
      let last = Swift.min(fork.last, value._table.seen(of: fork.name))
      return link.peerVersion[fork.name] >= last || told[fork.name] >= last
    }
  }

  /// Requests skipped deltas again, once the peer has mended its forks.
  @inlinable
  mutating func askForPassedOver(_ value: Value, _ actions: inout [Action]) throws(SyncFailure) {
    guard hasPassedOver else { return }
    forgetSettled(value)
    guard unsettled.isEmpty else { return }
    hasPassedOver = false
    actions += try link.askForPassedOver(heads: value._table.heads).map { .send($0) }
  }
}
