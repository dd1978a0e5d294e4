/// A set whose rows are keyed by its elements: the common part of ``ORSet`` and ``GSet``.
public protocol ElementTable: TableBacked, MapValue, Sequence, CustomStringConvertible,
  CustomDebugStringConvertible
where RowKey == Element, RowPayload == NoPayload, Element: Hashable & CanonicalCodable {}

extension ElementTable {
  /// The number of elements.
  ///
  /// - Complexity: O(1); the first time after receiving elements from another copy,
  ///   expected O(number of received elements).
  @inlinable
  public var count: Int { _table.distinctKeyCount }

  /// Whether the set is empty.
  @inlinable
  public var isEmpty: Bool { _table.rowCount == 0 }

  /// A lower bound of the number of elements, known without looking them up.
  @inlinable
  public var underestimatedCount: Int { isEmpty ? 0 : 1 }

  /// Returns whether the element is present.
  ///
  /// - Complexity: Expected O(1); the first time after receiving elements from another
  ///   copy, expected O(number of received elements).
  @inlinable
  public func contains(_ element: Element) -> Bool {
    _table.contains(element)
  }

  /// Returns whether a sequence has all elements of this set.
  ///
  /// - Complexity: Expected O(number of the elements).
  @inlinable
  public func isSubset(of elements: some Sequence<Element>) -> Bool {
    Set(elements.lazy.flatMap { _table.dots(of: $0) }).count == _table.rowCount
  }

  /// Returns whether this set has all elements of a sequence.
  ///
  /// - Complexity: Expected O(number of the elements).
  @inlinable
  public func isSuperset(of elements: some Sequence<Element>) -> Bool {
    elements.allSatisfy(contains)
  }

  /// Returns whether this set has none of the elements of a sequence.
  ///
  /// - Complexity: Expected O(number of the elements).
  @inlinable
  public func isDisjoint(with elements: some Sequence<Element>) -> Bool {
    !elements.contains(where: contains)
  }

  /// The elements, each once, in an order that is the same on every replica.
  @inlinable
  public func makeIterator() -> ElementIterator<Element> {
    ElementIterator(_table)
  }

  /// The elements in brackets.
  public var description: String {
    "[" + map { String(reflecting: $0) }.joined(separator: ", ") + "]"
  }

  /// The type, the elements and the version.
  public var debugDescription: String { "\(Self.self)(\(description), version: \(version))" }
}

/// An iterator over the elements of a set, each once.
///
/// The order is that of the events that inserted them, by replica, then by time. It is
/// the same on every replica.
@frozen
public struct ElementIterator<Element: Hashable & CanonicalCodable>: IteratorProtocol {
  @usableFromInline typealias Table = DotTable<Element, NoPayload>

  /// The rows, none of whose pages changes while the iterator holds it.
  @usableFromInline let table: Table
  @usableFromInline let shadows: ContiguousArray<Dot>
  @usableFromInline var nextShadow = 0
  @usableFromInline var column = 0
  @usableFromInline var pageSlot = 0
  /// The slot after the present run of consecutive rows.
  @usableFromInline var slot = 0
  /// The next row of that run, and the number of rows that are left of it.
  @usableFromInline var nextRow: UnsafeMutablePointer<Row<Element, NoPayload>>?
  @usableFromInline var left = 0

  @inlinable
  init(_ table: Table) {
    self.table = table
    shadows = table.rowCount > 1 ? table.shadowedDots() : []
  }

  /// The next element, or `nil` after the last.
  @inlinable
  public mutating func next() -> Element? {
    // The rows live as long as the table that holds their pages.
    defer { withExtendedLifetime(table) {} }
    while left > 0 || beginRun(), let row = nextRow {
      nextRow = row + 1
      left &-= 1
      if nextShadow < shadows.count, passesShadow() { continue }
      return row.pointee.key
    }
    return nil
  }

  /// Goes on to the next run of consecutive rows; returns whether there is one.
  @inlinable
  @inline(never)
  mutating func beginRun() -> Bool {
    while column < table.columns.count {
      guard pageSlot < table.columns[column].pageSlots.count else {
        column &+= 1
        pageSlot = 0
        continue
      }
      if let run = table.columns[column].pageSlots[pageSlot].page.run(from: slot) {
        (slot, nextRow, left) = (run.slot &+ run.count, run.rows, run.count)
        return true
      }
      pageSlot &+= 1
      slot = 0
    }
    return false
  }

  /// Passes the next shadow if it is the row before the next one; returns whether it was.
  @inlinable
  @inline(never)
  mutating func passesShadow() -> Bool {
    // The column is read in place, because a copy copies four references.
    let page = table.columns[column].pageSlots[pageSlot].page
    let counter = page.counter(at: slot &- left &- 1)
    guard shadows[nextShadow] == Dot(table.columns[column].replica, counter) else {
      return false
    }
    nextShadow &+= 1
    return true
  }
}

// The pointer is to rows that nobody changes while the table holds their pages.
extension ElementIterator: @unchecked Sendable {}
