/// A register that keeps the last write: the value with the greatest timestamp.
///
/// Timestamps come from a ``HybridLogicalClock``. So a write wins over every write that
/// its writer had seen, whatever the wall clocks say:
///
///     var title = LWWRegister("Moon", at: clock.now(wallMilliseconds: wall))
///     title.set("Full moon", at: clock.now(wallMilliseconds: wall))
///
/// Of two concurrent writes, one is dropped. If both matter, use an ``MVRegister``.
///
/// Two writes with the same timestamp are a mistake (two places use one replica
/// identifier). Even then, all copies converge: of the values with that timestamp, the
/// one whose canonical form is greater, compared byte by byte, stays.
///
/// Johnson, Thomas, "The Maintenance of Duplicate Databases", RFC 677, 1975.
@frozen
public struct LWWRegister<Value: CanonicalCodable>: Sendable {
  /// The time of the write, and the replica that wrote.
  @inlinable
  public var timestamp: HybridTimestamp { stamp }

  /// The value last written.
  @inlinable
  public var value: Value { content }

  @usableFromInline var stamp: HybridTimestamp
  @usableFromInline var content: Value

  /// Creates a register with a value written at the given timestamp.
  @inlinable
  public init(_ value: Value, at timestamp: HybridTimestamp) {
    stamp = timestamp
    content = value
  }

  /// Writes a value, and returns whether that changed the register.
  ///
  /// A write has no effect if its timestamp is less than the register's. A clock that has
  /// received the register's ``timestamp`` only makes greater ones.
  @inlinable
  @discardableResult
  public mutating func set(_ value: Value, at timestamp: HybridTimestamp) -> Bool {
    take(value, at: timestamp)
  }

  /// Changes the value in place as one write, and returns the delta of that write.
  ///
  ///     let delta = title.edit(at: clock.now(wallMilliseconds: wall)) { $0 += "!" }
  ///     try copy.apply(delta)
  ///
  /// A write has no effect if its timestamp is less than the register's; the delta is
  /// empty then.
  ///
  /// - Throws: The error of `body`; the register is unchanged then.
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
  /// Keeps the value with the greater timestamp; if the timestamps are equal, the value
  /// whose canonical form is greater.
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
  /// Returns whether two copies are in the same state: the same timestamp, and values
  /// with the same canonical form.
  ///
  /// So a NaN equals itself, while −0.0 and 0.0, or two spellings of "é", differ.
  @inlinable
  public static func == (left: LWWRegister, right: LWWRegister) -> Bool {
    left.stamp == right.stamp && left.content.hasSameForm(as: right.content)
  }
}

extension LWWRegister: Hashable {
  /// Hashes the timestamp and the value's canonical form.
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
  /// Takes the other version if its write is later.
  @inlinable
  public mutating func merge(_ other: Self) {
    if (timestamp, digest) < (other.timestamp, other.digest) { self = other }
  }
}

extension LWWRegister: DeltaMergeable {
  /// The write that a copy has seen.
  ///
  /// It distinguishes two writes with the same timestamp, so that deltas make copies
  /// converge even then. It is not feasible to find two values with the same digest.
  @frozen
  public struct Version: Hashable, Sendable {
    /// The timestamp of the write.
    public let timestamp: HybridTimestamp
    /// The first 16 bytes of the SHA-256 digest of the value's canonical form.
    @usableFromInline let digest: ShortDigest

    @inlinable
    init(timestamp: HybridTimestamp, digest: ShortDigest) {
      self.timestamp = timestamp
      self.digest = digest
    }
  }

  /// The write that a copy has and another lacks, or no write.
  @frozen
  public struct Delta: Hashable, Sendable {
    @usableFromInline let register: LWWRegister?

    @inlinable
    init(_ register: LWWRegister?) {
      self.register = register
    }

    /// Whether the delta contains no write.
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

  /// Returns the register's write; an empty delta if the version's timestamp is greater
  /// or its write is the same.
  ///
  /// - Complexity: O(size of the value) if the timestamps are equal.
  @inlinable
  public func delta(since version: Version) -> Delta {
    let isKnown =
      stamp == version.timestamp ? self.version == version : stamp < version.timestamp
    return Delta(isKnown ? nil : self)
  }

  /// Applies a delta, and returns whether that changed the register.
  ///
  /// A delta of a register builds on no other, so deltas may be lost, repeated and
  /// reordered. It never throws.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool {
    guard let register = delta.register else { return false }
    return take(register.content, at: register.stamp)
  }
}
