extension ReplicaID {
  /// The identifier that stands for an authority in rules: a server, or another source
  /// that isn't a replica itself.
  ///
  /// What an authority says is written down by those who talk with it, each under a
  /// ``delegate(for:)`` of its own: one identifier used in several places would be a
  /// fork. Rules name the authority and mean all of its delegates.
  ///
  ///     let server = ReplicaID.authority(named: "server")
  ///     let rules = Schema.Collection(fields: ["status": .authority([server])])
  ///     let writer = server.delegate(for: phone)       // what the phone heard from it
  ///
  /// The same name gives the same identifier everywhere; names with different bytes
  /// are different, however alike they read. Of two names, one in 65,536 pairs has
  /// the same identifier.
  ///
  /// - Complexity: O(length of the name).
  public static func authority(named name: String) -> ReplicaID {
    let checksum = name.withUTF8Bytes { CRC32C.checksum($0) }
    let folded = UInt64(checksum >> 16 ^ checksum & 0xFFFF)
    return ReplicaID(authorityMark | folded << delegateBitCount)
  }

  /// The identifier under which one replica writes what this authority says.
  ///
  /// Among a thousand replicas, the chance that any two have the same delegate is
  /// less than one in two million.
  ///
  /// - Precondition: This is an authority, or a delegate of one.
  public func delegate(for replica: ReplicaID) -> ReplicaID {
    precondition(isInAuthoritySpace, "\(self) is no authority: only those have delegates")
    let own = (replica.rawValue ^ replica.rawValue >> Self.delegateBitCount) & Self.delegateMask
    // None is the authority itself.
    return ReplicaID(principal.rawValue | (own == 0 ? Self.delegateMask : own))
  }

  /// Whom the replica writes for: the authority of a delegate, and every other replica
  /// itself.
  public var principal: ReplicaID {
    isInAuthoritySpace ? ReplicaID(rawValue & ~Self.delegateMask) : self
  }

  /// Whether the identifier is that of an authority's delegate.
  public var isDelegate: Bool { self != principal }

  /// Whether the identifier is that of an authority: no replica writes under it.
  public var isAuthority: Bool { isInAuthoritySpace && !isDelegate }

  /// Whether a replica writes under the identifier: for itself, or for an authority.
  @usableFromInline
  package func isName(of replica: ReplicaID) -> Bool {
    self == replica || isDelegate && delegate(for: replica) == self
  }

  /// Whether the identifier is an authority's or a delegate's, which no random one is.
  private var isInAuthoritySpace: Bool {
    rawValue & Self.authorityMark == Self.authorityMark
  }

  /// The number outside of the space of authorities that stands for one, which may be
  /// within it.
  ///
  /// One draw gives one identifier, whatever it is: so a seed gives the same ones.
  static func outsideOfAuthorities(_ number: UInt64) -> UInt64 {
    number & authorityMark == authorityMark ? number ^ 1 << 63 : number
  }

  /// Set in the highest byte of authorities and delegates, and of nothing else.
  private static var authorityMark: UInt64 { 0xFF << 56 }

  /// How many of the lowest bits tell the delegates of an authority apart; the 16
  /// above them are the authority's name.
  private static var delegateBitCount: UInt64 { 40 }

  private static var delegateMask: UInt64 { 1 << delegateBitCount - 1 }
}

extension Set<ReplicaID> {
  /// Whether a rule that names these means a replica: by its own name or that of the
  /// authority it writes for.
  func means(_ replica: ReplicaID) -> Bool {
    contains(replica) || contains(replica.principal)
  }
}
