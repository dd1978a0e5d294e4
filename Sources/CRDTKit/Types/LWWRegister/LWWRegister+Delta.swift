extension LWWRegister: DeltaMergeable {
  /// Which write a copy has seen.
  ///
  /// It tells two writes under one stamp apart, so that deltas make copies agree even
  /// then: nobody can find two values that it takes for one.
  @frozen
  public struct Version: Hashable, Sendable {
    /// The stamp of the write.
    public let timestamp: HybridTimestamp
    /// The first 16 bytes that the value's canonical form comes to by SHA-256.
    @usableFromInline let digest: ShortDigest

    @inlinable
    init(timestamp: HybridTimestamp, digest: ShortDigest) {
      self.timestamp = timestamp
      self.digest = digest
    }
  }

  /// The write that a copy has and another lacks, or nothing.
  @frozen
  public struct Delta: Hashable, Sendable {
    @usableFromInline let register: LWWRegister?

    @inlinable
    init(_ register: LWWRegister?) {
      self.register = register
    }

    /// Whether there is nothing to take in.
    @inlinable
    public var isEmpty: Bool { register == nil }
  }

  /// The write that the register holds.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public var version: Version {
    var writer = ByteWriter()
    content.encode(to: &writer)
    return Version(timestamp: stamp, digest: writer.withBytes { ShortDigest(of: $0) })
  }

  /// The register's write, or nothing if the version's stamp is greater or its
  /// write the same.
  ///
  /// - Complexity: O(size of the value) where the stamps are equal.
  @inlinable
  public func delta(since version: Version) -> Delta {
    let isKnown =
      stamp == version.timestamp ? self.version == version : stamp < version.timestamp
    return Delta(isKnown ? nil : self)
  }

  /// Takes in a delta; says whether that changed the register.
  ///
  /// It builds on nothing, so deltas may be lost, repeated and reordered. It
  /// never throws.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool {
    guard let register = delta.register else { return false }
    return take(register.content, at: register.stamp)
  }
}
