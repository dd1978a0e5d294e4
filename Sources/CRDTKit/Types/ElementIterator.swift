/// The elements of a set, each once.
///
/// They come in the order of the events that inserted them, by replica, then by
/// time: the same order on every replica.
@frozen
public struct ElementIterator<Element: Hashable & CanonicalCodable>: IteratorProtocol {
  @usableFromInline typealias Table = DotTable<Element, Unit>

  @usableFromInline let table: Table
  @usableFromInline let shadows: ContiguousArray<Dot>
  @usableFromInline var nextShadow = 0
  @usableFromInline var column = 0
  @usableFromInline var sheet = 0
  @usableFromInline var slot = 0

  @inlinable
  init(_ table: Table) {
    self.table = table
    shadows = table.rowCount > 1 ? table.shadowedDots() : []
  }

  /// The next element, or `nil` after the last.
  @inlinable
  public mutating func next() -> Element? {
    while column < table.columns.count {
      guard sheet < table.columns[column].sheets.count else {
        column &+= 1
        sheet = 0
        continue
      }
      let page = table.columns[column].sheets[sheet].page
      slot = page.live.next(from: slot)
      guard slot < LiveBits.slotCount else {
        sheet &+= 1
        slot = 0
        continue
      }
      defer { slot &+= 1 }
      if nextShadow < shadows.count,
        shadows[nextShadow] == Dot(table.columns[column].replica, page.counter(at: slot))
      {
        nextShadow &+= 1
        continue
      }
      return page.key(at: slot)
    }
    return nil
  }
}
