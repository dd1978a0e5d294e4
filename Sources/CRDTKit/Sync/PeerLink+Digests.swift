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
