/// A replicated value whose changes are made by an ``Editor``.
///
/// All replicated types of this package are editable values. Do not conform types of your
/// own to this protocol.
public protocol EditableValue: Sendable {
  /// The keys that distinguish the value's rows.
  associatedtype RowKey: Hashable & CanonicalCodable
  /// The contents of the value's rows.
  associatedtype RowPayload: CanonicalCodable

  /// The code of the type in a header; see ``CanonicalCodable/typeCode``.
  static var typeCode: [UInt8] { get }

  /// Creates the value from its rows; `nil` if they hold no value.
  init?(_table table: DotTable<RowKey, RowPayload>)
}

/// A replicated value that a ``MergeMap`` can hold under its keys, and a
/// ``ReplicatedList`` as an element.
///
/// The rows of the value live in the map's table, so that one version covers the whole
/// tree. All replicated types of this package except ``ReplicatedText`` and
/// ``ReplicatedList`` are map values. Do not conform types of your own to this protocol.
public protocol MapValue: EditableValue {
  /// Returns whether a row shows that there is a value. A row that doesn't only remembers
  /// that a value was removed.
  static func isPresent(_ payload: RowPayload) -> Bool

  /// Creates the value from the payload of its only row; `nil` if that takes the events of
  /// the row's table, too.
  init?(_only payload: RowPayload)

  /// Whether removing a value leaves a row that remembers the removal.
  static var remembersRemovals: Bool { get }

  /// Removes everything that the editing replica has seen of the value.
  static func removeAll(in editor: inout Editor<Self>)
}

extension MapValue {
  /// Every row shows that there is a value.
  @inlinable
  public static func isPresent(_ payload: RowPayload) -> Bool { true }

  /// Most values are tables, which have a version.
  @inlinable
  public init?(_only payload: RowPayload) { nil }

  /// A removal leaves no row.
  @inlinable
  public static var remembersRemovals: Bool { false }

  /// Removes all rows in one event.
  @inlinable
  public static func removeAll(in editor: inout Editor<Self>) {
    editor.scope.remove(editor.scope.dots())
  }
}
