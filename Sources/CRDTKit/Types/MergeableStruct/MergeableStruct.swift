/// A struct that can be merged because its fields can: name them, and the rest is
/// there.
///
///     struct Cart: MergeableStruct, Hashable {
///       var items = ORSet<String>()
///       var total = PNCounter()
///
///       static let fields = Fields(\Cart.items, \Cart.total)
///     }
///
/// Copies merge field by field and exchange deltas, which are taken in for all
/// fields or for none. A field can be a struct of this kind again. States,
/// deltas and versions all have a binary form; the state's comes from `Codable`.
///
/// A field that ``fields`` doesn't name stays as it is when others merge and
/// apply: each copy keeps its own. It is part of the binary form, unless the
/// type's `CodingKeys` leave it out.
public protocol MergeableStruct: DeltaMergeable, BinaryCodable, Codable
where Version == FieldList.Version, Delta == FieldList.Delta {
  /// The type of ``fields``: `Fields<Self, …>`.
  associatedtype FieldList: MergeableFields<Self>

  /// The fields that are merged.
  ///
  /// Their deltas are encoded in this order: replicas must agree on it.
  static var fields: FieldList { get }
}

extension MergeableStruct {
  /// How much this copy has seen, field by field.
  @inlinable
  public var version: Version { Self.fields.version(of: self) }

  /// Takes in all that another copy knows, field by field.
  @inlinable
  public mutating func merge(_ other: Self) {
    Self.fields.merge(other, into: &self)
  }

  /// What this copy knows and the version does not, field by field.
  @inlinable
  public func delta(since version: Version) -> Delta {
    Self.fields.delta(of: self, since: version)
  }

  /// Takes in the deltas of all fields, or of none; says whether there was
  /// anything new in them.
  ///
  /// - Throws: The ``DeltaError`` of the first field that refuses its delta, and
  ///   then nothing has changed in any field.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool {
    try Self.fields.apply(delta, to: &self)
  }

  /// Says whether the deltas of all fields can be taken in.
  ///
  /// - Throws: What ``apply(_:)`` would.
  @inlinable
  public func check(_ delta: Delta) throws(DeltaError) {
    try Self.fields.check(delta, at: self)
  }

  /// Takes in all that another copy knows, unless a replica has written in two
  /// places; says whether there was anything new in it.
  ///
  /// - Throws: ``DeltaError/fork(_:)``, and then nothing has changed in any field.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    try Self.fields.merge(checking: other, into: &self)
  }
}

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
