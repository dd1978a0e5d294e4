/// The scope of the value of a list's element: those rows of the list's own scope whose keys
/// begin with the element.
@usableFromInline
final class ElementScope<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  RowScope<Key, Payload>
{
  @usableFromInline let parent: RowScope<ListRowKey<Key>, ListRowPayload<Payload>>
  @usableFromInline let element: ListElementID
  /// What follows the first row.
  @usableFromInline var afterFirst: (() -> Void)?

  @inlinable
  init(
    _ parent: RowScope<ListRowKey<Key>, ListRowPayload<Payload>>, under element: ListElementID,
    afterFirst: (() -> Void)? = nil
  ) {
    self.parent = parent
    self.element = element
    self.afterFirst = afterFirst
    super.init(replica: parent.replica)
  }

  @inlinable
  override func dots(of key: Key) -> ContiguousArray<Dot> {
    parent.dots(of: ListRowKey(element, key))
  }

  @inlinable
  override func dots() -> ContiguousArray<Dot> {
    if let only = NoPayload() as? Key { return parent.dots(of: ListRowKey(element, only)) }
    return parent.dots(under: element.hashValue) { $0.element == element && $0.inner != nil }
  }

  @inlinable
  override func dots(
    under hash: Int, where isUnder: (Key) -> Bool
  ) -> ContiguousArray<Dot> {
    let hash = ListRowKey<Key>.prefixHash(element.hashValue, hash)
    return parent.dots(under: hash) { $0.element == element && $0.inner.map(isUnder) ?? false }
  }

  @inlinable
  override func row(at dot: Dot) -> Row<Key, Payload>? {
    parent.row(at: dot).flatMap { row in
      guard let key = row.key.inner, let payload = row.payload.content else { return nil }
      return Row(key: key, payload: payload)
    }
  }

  @inlinable
  override func stretchOfNextEvent() -> UInt64 {
    parent.stretchOfNextEvent()
  }

  @inlinable
  override func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {
    parent.write(
      Row(key: ListRowKey(element, row.key), payload: .value(row.payload)),
      killing: killed)
    afterFirst?()
    afterFirst = nil
  }

  @inlinable
  override func remove(_ killed: ContiguousArray<Dot>) {
    parent.remove(killed)
  }
}
