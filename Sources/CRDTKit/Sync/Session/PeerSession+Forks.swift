/// A fork that was mended here, in which the peer's line goes by another name.
@usableFromInline
struct UnsettledFork: Sendable {
  @usableFromInline let replica: ReplicaID
  /// The name that the peer's line goes by here.
  let name: ReplicaID
  /// The last of its events that does.
  let last: UInt64
}

/// What follows where names were used in two places.
extension PeerSession {
  /// Notes forks that were noticed since, by way of others: what the peer has under these
  /// names may be another line than what goes by them here now, or become so.
  ///
  /// The peer is told by fingerprints what is here, and so sees the fork, too. Its removals
  /// name the rows of its own line.
  @inlinable
  mutating func noteForks(of value: Value, _ actions: inout [Action]) {
    guard value.table.forks != knownForks else { return }
    for fork in value.table.forks
    where !knownForks.contains(fork)
      && (link.peerVersion[fork.replica] > 0 || link.isReceiving)
    {
      link.forgetPeerHas([fork.replica])
      noteOtherLines(of: [fork.replica])
    }
    tellOfMending(value, &actions)
    link.mayAskForContents()
  }

  /// Tells the peer, now that a fork was mended, by which names it is spoken to from now on,
  /// and how few of the events of a name may be here now; and has contents be compared anew,
  /// which may have become others at the same version.
  @inlinable
  mutating func tellOfMending(_ value: Value, _ actions: inout [Action]) {
    knownForks = value.table.forks
    compareAnew(value)
    actions += link.pull(since: value.table.heads).map { .send($0) }
  }

  /// Keeps what the peer has told of events that weren't seen here.
  @usableFromInline
  mutating func noteUncompared(_ heads: ColumnHeads, _ value: Value) {
    uncompared = heads.heads.filter { value.table.seen(of: $0.replica) < $0.seen }
    eventsCompared = value.table.eventCount
  }

  /// Compares what the peer has told of events with those that have come since, by whatever
  /// way: where they are another line's, all of that is sent to it, and no removal that names
  /// its rows before.
  ///
  /// - Complexity: O(replicas of which the peer has told more than is here), where something
  ///   has come.
  @usableFromInline
  mutating func compareHeads(with value: Value) {
    guard value.table.eventCount != eventsCompared else { return }
    eventsCompared = value.table.eventCount
    var others: [ReplicaID] = []
    uncompared.removeAll { head in
      guard let place = value.table.column(of: head.replica) else { return false }
      if value.table.columns[place].contradicts(head) {
        others.append(head.replica)
        return true
      }
      return value.table.columns[place].seen >= head.seen
    }
    link.forgetPeerHas(others)
  }

  /// Notes replicas of which the peer may have another line of events: it is asked for all of
  /// these before anything else is taken in.
  @usableFromInline
  mutating func noteOtherLines(of replicas: [ReplicaID]) {
    otherLines += replicas.filter { !otherLines.contains($0) }
  }

  /// Asks for all events of the replicas of which the peer has another line, in the place of
  /// a delta which may name rows of that one; says whether it did.
  @inlinable
  mutating func asksForForks(
    _ delta: Value.Delta, _ value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) -> Bool {
    guard !otherLines.isEmpty else { return false }
    // With all events of a replica it is mended, and says which line it speaks of.
    otherLines.removeAll { delta.changes.bringsAll(of: $0) }
    guard !otherLines.isEmpty else { return false }
    for forked in otherLines { try askForAll(of: forked, delta, value, &actions) }
    otherLines = []
    return true
  }

  /// Asks the peer for all events of a replica that has written in two places, and for
  /// those that it has just sent: with these the fork is mended.
  ///
  /// - Throws: ``SyncFailure/fork(_:)`` where it was asked before, or can't be.
  @inlinable
  mutating func askForAll(
    of forked: ReplicaID, _ delta: Value.Delta, _ value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) {
    let whole = delta.changes.columns.lazy.map(\.replica).filter { delta.base[$0] == 0 }
    let frames = try link.askForAll(of: forked, and: Array(whole), heads: value.table.heads)
    actions += frames.map { .send($0) }
  }

  /// Notes what was mended by what the peer has sent: until it has mended the same, it
  /// speaks of its line by the name that another's goes by here.
  @usableFromInline
  mutating func noteUnsettled(_ mended: ContiguousArray<Mended>) {
    guard link.speaksParcels else { return }
    for mend in mended where !mend.isMine {
      unsettled.append(
        UnsettledFork(replica: mend.replica, name: mend.reissue.name, last: mend.last))
    }
  }

  /// Whether a delta is not to be taken in, since it may speak of rows of another line
  /// than is meant: it brings nothing to mend a fork with that the peer hasn't mended yet.
  @inlinable
  mutating func passesOver(_ delta: Value.Delta, _ value: Value) -> Bool {
    guard !unsettled.isEmpty else { return false }
    // By way of others it may have mended the same before it could tell.
    forgetSettled(value, told: delta.version)
    let isPassedOver = unsettled.contains { !delta.changes.bringsAll(of: $0.replica) }
    hasPassedOver = hasPassedOver || isPassedOver
    return isPassedOver
  }

  /// Forgets the forks that the peer has mended by now, as its version tells; or what it has
  /// told of that.
  @usableFromInline
  mutating func forgetSettled(_ value: Value, told: VersionVector = [:]) {
    unsettled.removeAll { fork in
      // What goes by the name here may have parted again.
      let last = Swift.min(fork.last, value.table.seen(of: fork.name))
      return link.peerVersion[fork.name] >= last || told[fork.name] >= last
    }
  }

  /// Asks anew for what was passed over, once the peer has mended what it had to.
  @inlinable
  mutating func askForPassedOver(_ value: Value, _ actions: inout [Action]) throws(SyncFailure) {
    guard hasPassedOver else { return }
    forgetSettled(value)
    guard unsettled.isEmpty else { return }
    hasPassedOver = false
    actions += try link.askForPassedOver(heads: value.table.heads).map { .send($0) }
  }
}
