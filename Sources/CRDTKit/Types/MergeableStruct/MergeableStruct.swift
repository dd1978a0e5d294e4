/// A struct that is merged field by field.
///
/// You list the fields; the rest is provided.
///
///     struct Cart: MergeableStruct, Hashable {
///       var items = ORSet<String>()
///       var total = PNCounter()
///
///       static let fields = Fields(\Cart.items, \Cart.total)
///     }
///
/// Copies merge field by field and exchange deltas. The deltas of all fields are applied,
/// or none. A field can be a mergeable struct again. States, deltas and versions all have
/// a binary form; the form of the state comes from `Codable`.
///
/// Merging and applying don't change a field that ``fields`` does not list: each copy
/// keeps its own value. The field is part of the binary form, unless the type's
/// `CodingKeys` leave it out.
public protocol MergeableStruct: DeltaMergeable, BinaryCodable, Codable
where Version == FieldList.Version, Delta == FieldList.Delta {
  /// The type of ``fields``: `Fields<Self, …>`.
  associatedtype FieldList: MergeableFields<Self>

  /// The fields that are merged.
  ///
  /// Their deltas are encoded in this order, so all replicas must use the same list.
  static var fields: FieldList { get }
}

extension MergeableStruct {
  /// The events that this copy has seen, field by field.
  @inlinable
  public var version: Version { Self.fields.version(of: self) }

  /// Merges the state of another copy, field by field.
  @inlinable
  public mutating func merge(_ other: Self) {
    Self.fields.merge(other, into: &self)
  }

  /// Returns the changes of this copy that `version` does not contain, field by field.
  @inlinable
  public func delta(since version: Version) -> Delta {
    Self.fields.delta(of: self, since: version)
  }

  /// Applies the deltas of all fields or of none; returns whether they contained anything
  /// new.
  ///
  /// - Throws: The ``DeltaError`` of the first field that refuses its delta; all fields
  ///   are unchanged then.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool {
    try Self.fields.apply(delta, to: &self)
  }

  /// Checks that the deltas of all fields can be applied.
  ///
  /// - Throws: The error that ``apply(_:)`` would throw.
  @inlinable
  public func check(_ delta: Delta) throws(DeltaError) {
    try Self.fields.check(delta, at: self)
  }

  /// Merges the state of another copy, unless two places have written as the same
  /// replica.
  ///
  /// - Returns: Whether the other copy contained anything new.
  /// - Throws: ``DeltaError/fork(_:)``; all fields are unchanged then.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    try Self.fields.merge(checking: other, into: &self)
  }
}

/// The list of a struct's fields that are merged, implemented by ``Fields``.
///
/// Do not conform types of your own to this protocol.
public protocol MergeableFields<Root>: Sendable {
  /// The type of the struct.
  associatedtype Root
  /// The events that a copy has seen.
  associatedtype Version: Sendable
  /// The changes of a copy that a version does not contain.
  associatedtype Delta: Sendable

  /// Returns the events that a copy has seen.
  func version(of root: Root) -> Version

  /// Merges the state of another copy.
  func merge(_ other: Root, into root: inout Root)

  /// Returns the changes of a copy that `version` does not contain.
  func delta(of root: Root, since version: Version) -> Delta

  /// Checks that the deltas of all fields can be applied.
  func check(_ delta: Delta, at root: Root) throws(DeltaError)

  /// Applies the deltas of all fields or of none; returns whether they contained anything
  /// new.
  func apply(_ delta: Delta, to root: inout Root) throws(DeltaError) -> Bool

  /// Merges the state of another copy, or nothing if a field has a fork; returns whether
  /// the other copy contained anything new.
  func merge(checking other: Root, into root: inout Root) throws(DeltaError) -> Bool
}
