/// A set whose rows are keyed by its elements: what ``ORSet`` and ``GSet`` share.
public protocol ElementTable: TableBacked, Sequence, CustomStringConvertible,
  CustomDebugStringConvertible
where RowKey == Element, RowPayload == Unit, Element: Hashable & CanonicalCodable {}

extension ElementTable {
  /// How many elements there are.
  ///
  /// - Complexity: O(1); after elements were taken in from elsewhere, once
  ///   expected O(their number).
  @inlinable
  public var count: Int { table.distinctKeyCount }

  /// Whether there is no element.
  @inlinable
  public var isEmpty: Bool { table.rowCount == 0 }

  /// At least how many elements iteration will give: known without looking them up.
  @inlinable
  public var underestimatedCount: Int { isEmpty ? 0 : 1 }

  /// Whether the element is present.
  ///
  /// - Complexity: Expected O(1); after elements were taken in from elsewhere,
  ///   once expected O(their number).
  @inlinable
  public func contains(_ element: Element) -> Bool {
    table.contains(element)
  }

  /// The elements, each once, in an order that is the same on every replica.
  @inlinable
  public func makeIterator() -> ElementIterator<Element> {
    ElementIterator(table)
  }

  /// The elements in brackets.
  public var description: String {
    "[" + map { String(reflecting: $0) }.joined(separator: ", ") + "]"
  }

  /// The type, the elements and the version.
  public var debugDescription: String { "\(Self.self)(\(description), version: \(version))" }
}
