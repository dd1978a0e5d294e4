/// What a value came to when it was last asked for.
@usableFromInline
struct KnownDigest: Sendable {
  @usableFromInline let version: VersionVector
  @usableFromInline let digest: ShortDigest

  @inlinable
  init(_ version: VersionVector, _ digest: ShortDigest) {
    self.version = version
    self.digest = digest
  }
}

/// The last net: where both sides have seen the same events, they compare what they hold.
extension PeerSession {
  /// Tells the peer, once for each version, what the contents here come to when both sides
  /// have seen the same.
  ///
  /// - Complexity: O(number of replicas), and what it takes to find the digest of a version
  ///   that wasn't asked for before.
  @inlinable
  mutating func tellDigest(of value: Value, _ actions: inout [Action]) {
    guard link.isAtRest, link.speaksParcels, value.table.hasSeenJust(link.peerVersion),
      link.digestTold.map({ !value.table.hasSeenJust($0) }) ?? true
    else { return }
    let digest = digest(of: value)
    let frame = link.tell(
      digest, of: value.table.version, eventCount: value.table.eventCount)
    actions.append(.send(frame))
  }

  /// Compares what the peer's contents come to with what is here, if the two have seen the
  /// same: what the peer has told includes nothing that wasn't seen here.
  ///
  /// Where they differ, the peer is asked for all of it: what differs is mended as a fork is.
  @inlinable
  mutating func compare(
    _ theirs: ShortDigest, eventCount: UInt64, with value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) {
    guard eventCount == value.table.eventCount else { return }
    guard digest(of: value) != theirs else { return link.agree(on: value.table.version) }
    actions += try link.askForContents().map { .send($0) }
  }

  @inlinable
  mutating func digest(of value: Value) -> ShortDigest {
    if let known, value.table.hasSeenJust(known.version) { return known.digest }
    let made = KnownDigest(value.table.version, value.table.digest.short)
    known = made
    return made.digest
  }
}

extension DotTable {
  /// Whether the table has seen the events of a version and no others.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  func hasSeenJust(_ version: VersionVector) -> Bool {
    version.count == columns.count && !hasNews(since: version) && contains(version)
  }
}
