/// A value of which two copies, changed apart, can be made one again.
///
/// Merging is commutative, associative and idempotent: copies that have taken
/// in the same changes are equal, whatever the order they came in. (A join
/// semilattice: Shapiro et al., "Conflict-free Replicated Data Types", 2011.)
///
/// A struct of mergeable fields is mergeable field by field; see
/// ``MergeableStruct``.
public protocol Mergeable {
  /// Takes in all that another copy knows.
  mutating func merge(_ other: Self)
}

extension Mergeable {
  /// A copy that knows all that either does.
  @inlinable
  public func merging(_ other: Self) -> Self {
    var copy = self
    copy.merge(other)
    return copy
  }
}

/// A mergeable value that can say what has changed since a version of it.
///
/// A delta costs what changed, not what there is. Applying it does what merging
/// the whole state it was taken from would do:
///
///     let before = list.version
///     list.insert("bread", by: phone)
///     try copy.apply(list.delta(since: before))
///
/// Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018.
public protocol DeltaMergeable: Mergeable {
  /// How much a copy has seen.
  associatedtype Version: Sendable
  /// What one copy knows and a version does not.
  associatedtype Delta: Sendable

  /// How much this copy has seen.
  var version: Version { get }

  /// What this copy knows and the version does not.
  func delta(since version: Version) -> Delta

  /// Takes in a delta; says whether there was anything new in it.
  ///
  /// - Throws: ``DeltaError``, and then nothing has changed.
  @discardableResult
  mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool

  /// Says whether a delta can be taken in, without taking it in.
  ///
  /// - Throws: What ``apply(_:)`` would.
  func check(_ delta: Delta) throws(DeltaError)

  /// Takes in all that another copy knows, unless a replica has written in two
  /// places; says whether there was anything new in it.
  ///
  /// - Throws: ``DeltaError/fork(_:)``, and then nothing has changed.
  @discardableResult
  mutating func merge(checking other: Self) throws(DeltaError) -> Bool
}

extension DeltaMergeable {
  /// Takes in a delta on a copy.
  @inlinable
  public func check(_ delta: Delta) throws(DeltaError) {
    var copy = self
    try copy.apply(delta)
  }

  /// Takes in the other copy's delta since this one's version.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    try apply(other.delta(since: version))
  }
}

extension DeltaMergeable where Self: BinaryCodable {
  /// Takes in the encoded state of another copy.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError``, and then nothing has changed.
  /// - Complexity: O(size of both copies).
  @inlinable
  @discardableResult
  public mutating func merge(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let other = try DeltaError.wrap { () throws(DecodingFailure) in
      try Self(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try merge(checking: other)
  }
}

extension DeltaMergeable where Delta: BinaryCodable {
  /// Takes in an encoded delta.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError``, and then nothing has changed.
  /// - Complexity: O(`bytes.count`) and what applying the delta takes.
  @inlinable
  @discardableResult
  public mutating func apply(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let delta = try DeltaError.wrap { () throws(DecodingFailure) in
      try Delta(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try apply(delta)
  }
}

extension VersionVector: Mergeable {}
