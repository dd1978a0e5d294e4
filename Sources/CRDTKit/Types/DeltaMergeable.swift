/// A value whose copies can be edited independently and then merged.
///
/// Merging is commutative, associative and idempotent: copies that have received the same
/// changes are equal, in whatever order they received them. (A join semilattice: Shapiro
/// et al., "Conflict-free Replicated Data Types", 2011.)
///
/// A struct of mergeable fields is mergeable field by field; see ``MergeableStruct``.
public protocol Mergeable {
  /// Merges the state of another copy into this one.
  mutating func merge(_ other: Self)
}

extension Mergeable {
  /// Returns a copy with the changes of both.
  @inlinable
  public func merging(_ other: Self) -> Self {
    var copy = self
    copy.merge(other)
    return copy
  }
}

/// A mergeable value that can give the changes since one of its versions.
///
/// The size of a delta depends on the changes, not on the size of the value. Applying a
/// delta has the same effect as merging the whole state that the delta was taken from:
///
///     let before = list.version
///     list.insert("bread", by: phone)
///     try copy.apply(list.delta(since: before))
///
/// Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018.
public protocol DeltaMergeable: Mergeable {
  /// The events that a copy has seen.
  associatedtype Version: Sendable
  /// The changes of a copy that a version does not contain.
  associatedtype Delta: Sendable

  /// The events that this copy has seen.
  var version: Version { get }

  /// Returns the changes of this copy that `version` does not contain.
  func delta(since version: Version) -> Delta

  /// Applies a delta, and returns whether it contained anything new.
  ///
  /// - Throws: ``DeltaError``; the value is unchanged then.
  @discardableResult
  mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool

  /// Checks that a delta can be applied, without applying it.
  ///
  /// - Throws: The error that ``apply(_:)`` would throw.
  func check(_ delta: Delta) throws(DeltaError)

  /// Merges the state of another copy, unless two places have written as the same
  /// replica.
  ///
  /// - Returns: Whether the other copy contained anything new.
  /// - Throws: ``DeltaError/fork(_:)``; the value is unchanged then.
  @discardableResult
  mutating func merge(checking other: Self) throws(DeltaError) -> Bool
}

extension DeltaMergeable {
  /// Applies the delta to a copy first, and discards the copy.
  @inlinable
  public func check(_ delta: Delta) throws(DeltaError) {
    var copy = self
    try copy.apply(delta)
  }

  /// Applies the other copy's delta since this copy's version.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    try apply(other.delta(since: version))
  }
}

extension DeltaMergeable where Self: BinaryCodable {
  /// Merges the encoded state of another copy.
  ///
  /// - Parameters:
  ///   - bytes: The result of the other copy's `encoded()`.
  ///   - maximumMemoryBytes: The most memory that the decoded value may take.
  /// - Returns: Whether the other copy contained anything new.
  /// - Throws: ``DeltaError``; the value is unchanged then.
  /// - Complexity: O(size of both copies).
  @inlinable
  @discardableResult
  public mutating func merge(
    decoding bytes: some Collection<UInt8>, maximumMemoryBytes: Int = .max
  ) throws(DeltaError) -> Bool {
    let other = try DeltaError.wrap { () throws(DecodingFailure) in
      try Self(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    }
    return try merge(checking: other)
  }
}

extension DeltaMergeable where Delta: BinaryCodable {
  /// Applies an encoded delta.
  ///
  /// - Parameters:
  ///   - bytes: The result of the delta's `encoded()`.
  ///   - maximumMemoryBytes: The most memory that the decoded delta may take.
  /// - Returns: Whether the delta contained anything new.
  /// - Throws: ``DeltaError``; the value is unchanged then.
  /// - Complexity: O(`bytes.count`), and the complexity of applying the delta.
  @inlinable
  @discardableResult
  public mutating func apply(
    decoding bytes: some Collection<UInt8>, maximumMemoryBytes: Int = .max
  ) throws(DeltaError) -> Bool {
    let delta = try DeltaError.wrap { () throws(DecodingFailure) in
      try Delta(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    }
    return try apply(delta)
  }
}

extension VersionVector: Mergeable {}
