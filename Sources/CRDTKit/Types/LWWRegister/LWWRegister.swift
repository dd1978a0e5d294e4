/// One value, of which the last write is kept: the one with the greatest stamp.
///
/// The stamps come from a ``HybridLogicalClock``, so a write made with knowledge
/// of another one wins over it, whatever the wall clocks say:
///
///     var title = LWWRegister("Moon", at: clock.now(wallMilliseconds: wall))
///     title.set("Full moon", at: clock.now(wallMilliseconds: wall))
///
/// Of two concurrent writes one is dropped: where both matter, keep them in an
/// ``MVRegister``.
///
/// Two writes under one stamp are a mistake (a replica identifier used twice).
/// Even so all copies come to agree: of the values under it, the one whose
/// canonical form is greater, byte by byte, stays.
///
/// Johnson, Thomas, "The Maintenance of Duplicate Databases", RFC 677, 1975.
@frozen
public struct LWWRegister<Value: CanonicalCodable>: Sendable {
  /// When the value was written, and by which replica.
  @inlinable
  public var timestamp: HybridTimestamp { stamp }

  /// The value last written.
  @inlinable
  public var value: Value { content }

  @usableFromInline var stamp: HybridTimestamp
  @usableFromInline var content: Value

  /// Creates a register that was first written at the given stamp.
  @inlinable
  public init(_ value: Value, at timestamp: HybridTimestamp) {
    stamp = timestamp
    content = value
  }

  /// Writes a value; says whether that changed the register.
  ///
  /// A write at a stamp that is less than the register's has no effect. A clock
  /// that has received the register's ``timestamp`` makes greater ones only.
  @inlinable
  @discardableResult
  public mutating func set(_ value: Value, at timestamp: HybridTimestamp) -> Bool {
    take(value, at: timestamp)
  }

  /// Changes the value in place as one write, and gives the delta that holds it.
  ///
  ///     let delta = title.edit(at: clock.now(wallMilliseconds: wall)) { $0 += "!" }
  ///     try copy.apply(delta)
  ///
  /// A write at a stamp that is less than the register's has no effect; the delta
  /// is empty then.
  ///
  /// - Throws: What `body` throws, and then nothing has changed.
  @inlinable
  @discardableResult
  public mutating func edit<Result, Failure: Error>(
    at timestamp: HybridTimestamp,
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Delta {
    var edited = value
    _ = try body(&edited)
    return Delta(take(edited, at: timestamp) ? self : nil)
  }
}

extension LWWRegister: CustomStringConvertible {
  /// The value's description.
  public var description: String { String(describing: value) }
}

extension LWWRegister: Mergeable {
  /// Keeps the value with the greater stamp; under equal stamps, the one whose
  /// canonical form is greater.
  @inlinable
  public mutating func merge(_ other: LWWRegister) {
    take(other.content, at: other.stamp)
  }

  @inlinable
  @discardableResult
  mutating func take(_ value: Value, at timestamp: HybridTimestamp) -> Bool {
    if stamp == timestamp { return takeTied(value) }
    guard stamp < timestamp else { return false }
    stamp = timestamp
    content = value
    return true
  }

  @inlinable
  @inline(never)
  mutating func takeTied(_ value: Value) -> Bool {
    guard content.precedes(value) else { return false }
    content = value
    return true
  }
}

extension LWWRegister: Equatable {
  /// Whether two copies are in the same state: the same stamp, and values of the
  /// same canonical form.
  ///
  /// So a NaN equals itself, while −0.0 and 0.0, or two spellings of "é", differ.
  @inlinable
  public static func == (left: LWWRegister, right: LWWRegister) -> Bool {
    left.stamp == right.stamp && left.content.hasSameForm(as: right.content)
  }
}

extension LWWRegister: Hashable {
  /// Hashes the stamp and the value's canonical form.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(stamp)
    var writer = ByteWriter()
    content.encode(to: &writer)
    writer.withBytes { hasher.combine(bytes: $0) }
  }
}

extension LWWRegister.Version: Mergeable {
  /// Takes the other version where its write is the later one.
  @inlinable
  public mutating func merge(_ other: Self) {
    if (timestamp, digest) < (other.timestamp, other.digest) { self = other }
  }
}

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
