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
