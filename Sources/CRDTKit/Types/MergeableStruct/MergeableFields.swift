/// A list of the fields of a struct that are merged: what ``Fields`` is.
///
/// The protocol is not meant for conformances elsewhere.
public protocol MergeableFields<Root>: Sendable {
  /// The struct.
  associatedtype Root
  /// How much a copy of it has seen.
  associatedtype Version: Sendable
  /// What one copy of it knows and a version does not.
  associatedtype Delta: Sendable

  /// How much a copy has seen.
  func version(of root: Root) -> Version

  /// Takes in all that another copy knows.
  func merge(_ other: Root, into root: inout Root)

  /// What a copy knows and the version does not.
  func delta(of root: Root, since version: Version) -> Delta

  /// Says whether the deltas of all fields can be taken in.
  func check(_ delta: Delta, at root: Root) throws(DeltaError)

  /// Takes in the deltas of all fields, or none; says whether there was anything
  /// new in them.
  func apply(_ delta: Delta, to root: inout Root) throws(DeltaError) -> Bool

  /// Takes in all that another copy knows, or nothing if a field shows a fork;
  /// says whether there was anything new in it.
  func merge(checking other: Root, into root: inout Root) throws(DeltaError) -> Bool
}
