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

/// What the peer has told that its contents come to, and how many events it had seen.
@usableFromInline
struct HeardDigest: Sendable {
  @usableFromInline let digest: ShortDigest
  @usableFromInline let eventCount: UInt64

  @inlinable
  init(digest: ShortDigest, eventCount: UInt64) {
    self.digest = digest
    self.eventCount = eventCount
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
  mutating func tellDigest(of value: Value, _ actions: inout [Action]) throws(SyncFailure) {
    guard link.isAtRest, link.speaksParcels, value.table.hasSeenJust(link.peerVersion)
    else { return }
    if let heard = heardDigest, heard.eventCount == value.table.eventCount {
      heardDigest = nil
      try compare(heard.digest, eventCount: heard.eventCount, with: value, &actions)
    }
    guard link.digestTold.map({ !value.table.hasSeenJust($0) }) ?? true else { return }
    let digest = digest(of: value)
    let frame = link.tell(
      digest, of: value.table.version, eventCount: value.table.eventCount)
    actions.append(.send(frame))
  }

  /// Compares what the peer's contents come to with what is here, if the two have seen the
  /// same: what the peer has told includes nothing that wasn't seen here.
  ///
  /// What is told of a version that isn't here yet is kept until it is. Where they differ, the
  /// peer is asked for all of it: what differs is mended as a fork is.
  @inlinable
  mutating func compare(
    _ theirs: ShortDigest, eventCount: UInt64, with value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) {
    let heard = HeardDigest(digest: theirs, eventCount: eventCount)
    peerDigest = heard
    guard eventCount == value.table.eventCount else {
      heardDigest = heard
      return
    }
    guard digest(of: value) != theirs else {
      contentsCompared = nil
      return link.agree(on: value.table.version)
    }
    actions += try link.askForContents().map { .send($0) }
  }

  /// Has contents be told anew if they have become others at the same version; what the peer
  /// has told holds until it tells something else.
  @inlinable
  mutating func compareAnew(_ value: Value) {
    guard let before = known, value.table.hasSeenJust(before.version) else { return }
    known = nil
    let digest = digest(of: value)
    guard digest != before.digest else { return }
    link.forgetDigests()
    if let told = peerDigest, told.eventCount == value.table.eventCount, told.digest == digest {
      link.agree(on: value.table.version)
    }
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

extension PeerLink {
  /// Whether both sides are known to have seen the same as a table, with nothing under way.
  @usableFromInline
  var isAtRest: Bool { isOpen && !isReceiving && !isSending }

  /// Whether the peer has told that its contents are the same at the version that it has;
  /// peers that know no digests count as if they had.
  @usableFromInline
  var hasAgreed: Bool { !speaksParcels || agreedVersion == peerVersion }

  /// The frame that tells the peer what the contents here come to at a version.
  @usableFromInline
  mutating func tell(
    _ digest: ShortDigest, of version: VersionVector, eventCount: UInt64
  ) -> [UInt8] {
    digestTold = version
    return frame(.digest) { writer in
      writer.write(varint: eventCount)
      digest.encode(to: &writer)
    }
  }

  /// Forgets what either side was told that contents come to.
  @usableFromInline
  mutating func forgetDigests() {
    digestTold = nil
    agreedVersion = nil
  }

  /// Has all that the peer holds be asked for once more, where it differs: what is here has
  /// become another by way of others.
  @usableFromInline
  mutating func mayAskForContents() { hasAskedForContents = false }

  /// Notes that the peer's contents are those of a version here: so it has seen just that.
  ///
  /// It may have seen more of a replica's events before a fork was mended.
  @usableFromInline
  mutating func agree(on version: VersionVector) {
    agreedVersion = version
    peerVersion = version
    sentVersion.note(version)
  }

  func takeDigest(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard speaksParcels else { throw .violation("a digest, unasked") }
    var reader = ByteReader(body)
    let eventCount = try takeNumber(&reader)
    let digest = try SyncFailure.wrap { () throws(DecodingFailure) in
      try ShortDigest(from: &reader)
    }
    try end(reader)
    return .digest(digest, eventCount: eventCount)
  }
}
