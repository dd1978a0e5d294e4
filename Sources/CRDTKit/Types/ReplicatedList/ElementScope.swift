/// The scope of the value of a list's element: those rows of the list's own scope whose keys
/// begin with the element.
final class ElementScope<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  RowScope<Key, Payload>
{
  private typealias OuterRow = Row<ListRowKey<Key>, ListRowPayload<Payload>>

  private let parent: RowScope<ListRowKey<Key>, ListRowPayload<Payload>>
  private let element: ListElementID
  /// What follows the first row.
  private var afterFirst: (() -> Void)?

  init(
    _ parent: RowScope<ListRowKey<Key>, ListRowPayload<Payload>>, under element: ListElementID,
    afterFirst: (() -> Void)? = nil
  ) {
    self.parent = parent
    self.element = element
    self.afterFirst = afterFirst
    super.init(replica: parent.replica)
  }

  override func dots(of key: Key) -> ContiguousArray<Dot> {
    parent.dots(of: ListRowKey(element, key))
  }

  override func dots() -> ContiguousArray<Dot> {
    if let only = NoPayload() as? Key { return parent.dots(of: ListRowKey(element, only)) }
    return parent.dots(under: element.hashValue) { $0.element == element && $0.inner != nil }
  }

  override func dots(
    under hash: Int, where isUnder: (Key) -> Bool
  ) -> ContiguousArray<Dot> {
    let hash = ListRowKey<Key>.prefixHash(element.hashValue, hash)
    return parent.dots(under: hash) { $0.element == element && $0.inner.map(isUnder) ?? false }
  }

  override func row(at dot: Dot) -> Row<Key, Payload>? {
    parent.row(at: dot).flatMap { row in
      guard let key = row.key.inner, let payload = row.payload.content else { return nil }
      return Row(key: key, payload: payload)
    }
  }

  override func stretchOfNextEvent() -> UInt64 {
    parent.stretchOfNextEvent()
  }

  override func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {
    parent.write(
      OuterRow(key: ListRowKey(element, row.key), payload: .value(row.payload)),
      killing: killed)
    afterFirst?()
    afterFirst = nil
  }

  override func remove(_ killed: ContiguousArray<Dot>) {
    parent.remove(killed)
  }
}
