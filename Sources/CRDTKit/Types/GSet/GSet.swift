/// A set that only grows: elements are never removed, so there are no conflicts.
///
///     var seen: GSet<String> = GSet()
///     seen.insert("a", by: phone)
///
/// Shapiro et al., "A comprehensive study of Convergent and Commutative
/// Replicated Data Types", 2011, section 3.3.1.
@frozen
public struct GSet<Element: Hashable & CanonicalCodable>: ElementTable {
  /// One row for each insertion, keyed by the element.
  public var _table: DotTable<Element, NoPayload>

  /// Creates an empty set that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the set from its rows.
  @inlinable
  public init(_table table: DotTable<Element, NoPayload>) {
    _table = table
  }

  /// The type code of grow-only sets, then the element's.
  @inlinable
  public static var typeCode: [UInt8] { [36] + Element.typeCode }

  /// Inserts an element on behalf of a replica, and returns whether it was absent.
  ///
  /// Inserting an element that is present changes nothing.
  ///
  /// - Complexity: Expected O(1).
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, by replica: ReplicaID) -> Bool {
    guard _table.dotsForChange(of: element).isEmpty else { return false }
    _table.write(Row(key: element, payload: NoPayload()), by: replica, killing: [])
    return true
  }

  /// Inserts the elements of a sequence on behalf of a replica, each as ``insert(_:by:)``.
  ///
  /// - Complexity: Expected O(number of the elements).
  @inlinable
  public mutating func insert(contentsOf elements: some Sequence<Element>, by replica: ReplicaID) {
    for element in elements { insert(element, by: replica) }
  }
}

extension Editor {
  /// Inserts an element, and returns whether it was absent.
  @inlinable
  @discardableResult
  public mutating func insert<Element>(_ element: Element) -> Bool
  where Value == GSet<Element> {
    guard scope.dots(of: element).isEmpty else { return false }
    scope.write(Row(key: element, payload: NoPayload()), killing: [])
    return true
  }

  /// Inserts the elements of a sequence.
  @inlinable
  public mutating func insert<Element>(contentsOf elements: some Sequence<Element>)
  where Value == GSet<Element> {
    for element in elements { insert(element) }
  }

  /// Returns whether the set contains an element.
  @inlinable
  public func contains<Element>(_ element: Element) -> Bool where Value == GSet<Element> {
    !scope.dots(of: element).isEmpty
  }
}
