/// The value's digest when it was last computed.
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

/// The digest of the peer's contents, with the peer's event count at that time.
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

/// The last safeguard: once both sides have the same version, they compare their
/// contents.
extension PeerSession {
  /// Sends the digest of the contents, once for each version, when both sides have the
  /// same version.
  ///
  /// - Complexity: O(number of replicas), plus the cost of a new version's digest.
  @inlinable
  mutating func tellDigest(of value: Value, _ actions: inout [Action]) throws(SyncFailure) {
    guard link.isAtRest, link.speaksParcels, value._table.hasSeenJust(link.peerVersion)
    else { return }
    if let heard = heardDigest, heard.eventCount == value._table.eventCount {
      heardDigest = nil
      try compare(heard.digest, eventCount: heard.eventCount, with: value, &actions)
    }
    guard link.digestTold.map({ !value._table.hasSeenJust($0) }) ?? true else { return }
    let digest = digest(of: value)
    let frame = link.tell(
      digest, of: value._table.version, eventCount: value._table.eventCount)
    actions.append(.send(frame))
  }

  /// Compares the peer's digest with the one here, if both sides have the same version:
  /// the peer has announced no events that are missing here.
  ///
  /// A digest for a version that isn't here yet is kept until it is. If the digests
  /// differ, the session requests the peer's whole contents, and the difference is mended
  /// like a fork.
  @inlinable
  mutating func compare(
    _ theirs: ShortDigest, eventCount: UInt64, with value: Value, _ actions: inout [Action]
  ) throws(SyncFailure) {
    let heard = HeardDigest(digest: theirs, eventCount: eventCount)
    peerDigest = heard
    guard eventCount == value._table.eventCount else {
      heardDigest = heard
      return
    }
    guard digest(of: value) != theirs else {
      contentsCompared = nil
      return link.agree(on: value._table.version)
    }
    actions += try link.askForContents().map { .send($0) }
  }

  /// Sends the digest again if the contents have changed at the same version; the peer's
  /// digest stays valid until it sends another.
  @inlinable
  mutating func compareAnew(_ value: Value) {
    guard let before = known, value._table.hasSeenJust(before.version) else { return }
    known = nil
    let digest = digest(of: value)
    guard digest != before.digest else { return }
    link.forgetDigests()
    if let told = peerDigest, told.eventCount == value._table.eventCount, told.digest == digest {
      link.agree(on: value._table.version)
    }
  }

  @inlinable
  mutating func digest(of value: Value) -> ShortDigest {
    if let known, value._table.hasSeenJust(known.version) { return known.digest }
    let made = KnownDigest(value._table.version, value._table.digest.short)
    known = made
    return made.digest
  }
}

extension DotTable {
  /// Whether the table has exactly the events of a version.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  func hasSeenJust(_ version: VersionVector) -> Bool {
    version.count == columns.count && !hasNews(since: version) && contains(version)
  }
}

extension PeerLink {
  /// Whether nothing is under way in either direction.
  @usableFromInline
  var isAtRest: Bool { isOpen && !isReceiving && !isSending }

  /// Whether the peer has announced the same contents at its version; `true` for peers
  /// that know no digests.
  @usableFromInline
  var hasAgreed: Bool { !speaksParcels || agreedVersion == peerVersion }

  /// The frame that sends the digest of the contents here at a version.
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

  /// Forgets the digests of both sides.
  @usableFromInline
  mutating func forgetDigests() {
    digestTold = nil
    agreedVersion = nil
  }

  /// Allows one more request for the peer's whole contents, because the contents here
  /// have changed by way of other peers.
  @usableFromInline
  mutating func mayAskForContents() { hasAskedForContents = false }

  /// Notes that the peer's contents equal those of a version here, so the peer has
  /// exactly that version.
  ///
  /// It may have had more of a replica's events before a fork was mended.
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
