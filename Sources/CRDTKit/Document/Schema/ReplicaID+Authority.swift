extension ReplicaID {
  /// The identifier of an authority in rules: a server or another source that is not a
  /// replica.
  ///
  /// Each replica that receives an authority's values writes them under a
  /// ``delegate(for:)`` of its own, because one identifier in several places would be a
  /// fork. A rule that names the authority stands for all of its delegates.
  ///
  ///     let server = ReplicaID.authority(named: "server")
  ///     let rules = Schema.Collection(fields: ["status": .preferring([server])])
  ///     let writer = server.delegate(for: phone)       // writes the server's values on the phone
  ///
  /// The same name gives the same identifier everywhere. Names with different bytes are
  /// different, even if they look alike. One in 65,536 pairs of names has the same
  /// identifier.
  ///
  /// - Complexity: O(length of the name).
  public static func authority(named name: String) -> ReplicaID {
    let checksum = name.withUTF8Bytes { CRC32C.checksum($0) }
    let folded = UInt64(checksum >> 16 ^ checksum & 0xFFFF)
    return ReplicaID(authorityMark | folded << delegateBitCount)
  }

  /// The identifier under which one replica writes this authority's values.
  ///
  /// Among a thousand replicas, the chance that any two have the same delegate is less
  /// than one in two million.
  ///
  /// - Precondition: This is an authority, or a delegate of one.
  public func delegate(for replica: ReplicaID) -> ReplicaID {
    precondition(isInAuthoritySpace, "\(self) is no authority: only those have delegates")
    let own = (replica.rawValue ^ replica.rawValue >> Self.delegateBitCount) & Self.delegateMask
    // A delegate must differ from the authority itself.
    return ReplicaID(principal.rawValue | (own == 0 ? Self.delegateMask : own))
  }

  /// The authority of a delegate; the replica itself for every other identifier.
  public var principal: ReplicaID {
    isInAuthoritySpace ? ReplicaID(rawValue & ~Self.delegateMask) : self
  }

  /// Whether the identifier is that of a delegate.
  public var isDelegate: Bool { self != principal }

  /// Whether the identifier is that of an authority; no replica writes under it.
  public var isAuthority: Bool { isInAuthoritySpace && !isDelegate }

  /// Whether the replica writes under the identifier, for itself or for an authority.
  @usableFromInline
  package func isName(of replica: ReplicaID) -> Bool {
    self == replica || isDelegate && delegate(for: replica) == self
  }

  /// Whether the identifier is an authority's or a delegate's; no random identifier is.
  private var isInAuthoritySpace: Bool {
    rawValue & Self.authorityMark == Self.authorityMark
  }

  /// Maps a number, which may be in the space of authorities, to one outside of it.
  ///
  /// Each random number gives one identifier, so the same seed gives the same
  /// identifiers.
  static func outsideOfAuthorities(_ number: UInt64) -> UInt64 {
    number & authorityMark == authorityMark ? number ^ 1 << 63 : number
  }

  /// The bits of the highest byte, which are set in authorities and delegates only.
  private static var authorityMark: UInt64 { 0xFF << 56 }

  /// The number of low bits that distinguish an authority's delegates; the 16 bits above
  /// them are the authority's name.
  private static var delegateBitCount: UInt64 { 40 }

  private static var delegateMask: UInt64 { 1 << delegateBitCount - 1 }
}

extension Set<ReplicaID> {
  /// Whether a rule with these identifiers applies to a replica, by its own identifier or
  /// its authority's.
  func means(_ replica: ReplicaID) -> Bool {
    contains(replica) || contains(replica.principal)
  }
}
