/// A replicated value that a ``MergeMap`` can hold under its keys.
///
/// Its rows live in the map's table, so that one version covers the whole tree.
/// All of this package's types are map values; the protocol is not meant for
/// conformances elsewhere.
public protocol MapValue: Sendable {
  /// What tells the value's rows apart.
  associatedtype RowKey: Hashable & CanonicalCodable
  /// What the value's rows say.
  associatedtype RowPayload: CanonicalCodable

  /// The code of the type in a header; see ``CanonicalCodable/typeCode``.
  static var typeCode: [UInt8] { get }

  /// Creates the value that rows read as; `nil` where they hold none.
  init?(table: DotTable<RowKey, RowPayload>)

  /// Whether a row shows that there is a value; otherwise it only remembers that
  /// one was removed.
  static func isPresent(_ payload: RowPayload) -> Bool

  /// Whether removing a value leaves a row that remembers what was removed.
  static var remembersRemovals: Bool { get }

  /// Removes all that was seen of the value.
  static func removeAll(in editor: inout Editor<Self>)
}

extension MapValue {
  /// Every row is a value's.
  @inlinable
  public static func isPresent(_ payload: RowPayload) -> Bool { true }

  /// A removal leaves nothing.
  @inlinable
  public static var remembersRemovals: Bool { false }

  /// Kills all rows, in one event.
  @inlinable
  public static func removeAll(in editor: inout Editor<Self>) {
    editor.scope.remove(editor.scope.dots())
  }
}
