extension LWWRegister: DeltaMergeable {
  /// Which write a copy has seen.
  ///
  /// The fingerprint of its value tells two writes under one stamp apart, so
  /// that deltas make copies agree even then.
  @frozen
  public struct Version: Hashable, Sendable {
    /// The stamp of the write.
    public let timestamp: HybridTimestamp
    /// The fingerprint of the value.
    public let fingerprint: UInt64

    @inlinable
    init(timestamp: HybridTimestamp, fingerprint: UInt64) {
      self.timestamp = timestamp
      self.fingerprint = fingerprint
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
    Version(timestamp: stamp, fingerprint: content.fingerprint)
  }

  /// The register's write, or nothing if the version's stamp is greater or its
  /// write the same.
  @inlinable
  public func delta(since version: Version) -> Delta {
    Delta(stamp < version.timestamp || self.version == version ? nil : self)
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
