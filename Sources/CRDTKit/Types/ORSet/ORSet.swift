/// A set to which any replica can add and from which any replica can remove elements.
///
/// If one replica adds and another removes an element concurrently, it stays.
///
/// A removal only affects the insertions that its replica has seen; a concurrent
/// insertion, even of an element that was present, survives it. You can remove and add
/// elements any number of times; removals leave no tombstones.
///
///     var list: ORSet<String> = ORSet()
///     list.insert("milk", by: phone)
///     var copy = list                      // a copy is a branch
///     copy.insert("tea", by: laptop)
///     list.remove("milk", by: phone)
///     list.merge(copy)                     // ["tea"]
///
/// Elements are the same if they are `==`. Equal elements can have different bytes (an
/// accent can be part of its letter or follow it). If replicas inserted such elements,
/// every replica shows the same one. Texts of more than 1,024 bytes are the same only if
/// their bytes are.
///
/// An observed-remove set without tombstones: Bieniusa et al., "An optimized
/// conflict-free replicated set", 2012.
@frozen
public struct ORSet<Element: Hashable & CanonicalCodable>: ElementTable {
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

  /// The type code of sets, then the element's.
  @inlinable
  public static var typeCode: [UInt8] { [35] + Element.typeCode }
}

extension ORSet {
  /// Inserts an element on behalf of a replica, and returns whether it was absent.
  ///
  /// Inserting an element that is present renews it: it then survives removals that have
  /// not seen this insertion.
  ///
  /// - Complexity: Expected O(1).
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, by replica: ReplicaID) -> Bool {
    !_table.replace(element, with: NoPayload(), by: replica)
  }

  /// Removes an element on behalf of a replica, and returns whether it was present.
  ///
  /// - Complexity: Expected O(1).
  @inlinable
  @discardableResult
  public mutating func remove(_ element: Element, by replica: ReplicaID) -> Bool {
    _table.removeAll(of: element, by: replica)
  }

  /// Inserts the elements of a sequence on behalf of a replica, each as ``insert(_:by:)``.
  ///
  /// - Complexity: Expected O(number of the elements).
  @inlinable
  public mutating func insert(contentsOf elements: some Sequence<Element>, by replica: ReplicaID) {
    for element in elements { insert(element, by: replica) }
  }

  /// Removes the elements of a sequence on behalf of a replica, in one event.
  ///
  /// - Complexity: Expected O(n log n) for n elements that are present.
  @inlinable
  public mutating func subtract(_ elements: some Sequence<Element>, by replica: ReplicaID) {
    let dots = Set(elements.flatMap { _table.dotsForChange(of: $0) })
    if !dots.isEmpty { _table.remove(ContiguousArray(dots.sorted()), by: replica) }
  }

  /// Removes every element that isn't in a sequence on behalf of a replica, in one event.
  ///
  /// - Complexity: Expected O(`count` + number of the elements).
  @inlinable
  public mutating func formIntersection(
    _ elements: some Sequence<Element>, by replica: ReplicaID
  ) {
    let kept = Set(elements.flatMap { _table.dotsForChange(of: $0) })
    var dots = _table.dots()
    dots.removeAll { kept.contains($0) }
    if !dots.isEmpty { _table.remove(dots, by: replica) }
  }

  /// Removes every element that is seen here, in one event.
  ///
  /// - Complexity: O(`count`).
  @inlinable
  public mutating func removeAll(by replica: ReplicaID) {
    let dots = _table.dots()
    if !dots.isEmpty { _table.remove(dots, by: replica) }
  }
}

extension Editor {
  /// Inserts an element, and returns whether it was absent.
  @inlinable
  @discardableResult
  public mutating func insert<Element>(_ element: Element) -> Bool
  where Value == ORSet<Element> {
    let dots = scope.dots(of: element)
    scope.write(Row(key: element, payload: NoPayload()), killing: dots)
    return dots.isEmpty
  }

  /// Removes an element, and returns whether it was present.
  @inlinable
  @discardableResult
  public mutating func remove<Element>(_ element: Element) -> Bool
  where Value == ORSet<Element> {
    let dots = scope.dots(of: element)
    scope.remove(dots)
    return !dots.isEmpty
  }

  /// Inserts the elements of a sequence.
  @inlinable
  public mutating func insert<Element>(contentsOf elements: some Sequence<Element>)
  where Value == ORSet<Element> {
    for element in elements { insert(element) }
  }

  /// Removes the elements of a sequence, in one event.
  @inlinable
  public mutating func subtract<Element>(_ elements: some Sequence<Element>)
  where Value == ORSet<Element> {
    scope.remove(ContiguousArray(Set(elements.flatMap { scope.dots(of: $0) }).sorted()))
  }

  /// Removes every element that isn't in a sequence, in one event.
  @inlinable
  public mutating func formIntersection<Element>(_ elements: some Sequence<Element>)
  where Value == ORSet<Element> {
    let kept = Set(elements.flatMap { scope.dots(of: $0) })
    var dots = scope.dots()
    dots.removeAll { kept.contains($0) }
    scope.remove(dots)
  }

  /// Removes every element that is seen here.
  @inlinable
  public mutating func removeAll<Element>() where Value == ORSet<Element> {
    scope.remove(scope.dots())
  }

  /// Returns whether the set contains an element.
  @inlinable
  public func contains<Element>(_ element: Element) -> Bool where Value == ORSet<Element> {
    !scope.dots(of: element).isEmpty
  }
}
