/// Walks over a column's live rows, in order.
@frozen
@usableFromInline
struct RowCursor<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable> {
  @usableFromInline let column: Column<Key, Payload>
  @usableFromInline var sheet = 0
  @usableFromInline var slot = -1

  @inlinable
  init(_ column: Column<Key, Payload>) {
    self.column = column
  }

  /// Goes on to the next row; says whether there is one.
  @inlinable
  mutating func advance() -> Bool {
    while sheet < column.sheets.count {
      slot = column.sheets[sheet].page.live.next(from: slot &+ 1)
      if slot < LiveBits.slotCount { return true }
      sheet &+= 1
      slot = -1
    }
    return false
  }

  /// Goes to the end of the page if another cursor stands at the beginning of the
  /// same one; says whether it did.
  @inlinable
  mutating func skipPage(sharedWith other: RowCursor) -> Bool {
    let page = column.sheets[sheet].page
    guard page === other.column.sheets[other.sheet].page, slot == other.slot else { return false }
    skipPage()
    return true
  }

  /// Goes to the end of the page.
  @inlinable
  mutating func skipPage() {
    slot = LiveBits.slotCount &- 1
  }

  /// The counter of the row.
  @inlinable
  var counter: UInt64 { column.sheets[sheet].page.counter(at: slot) }

  /// The row.
  @inlinable
  var row: Row<Key, Payload> { column.sheets[sheet].page.row(at: slot) }
}
