/// The scope of the value that a map has under a key: the rows of the map's own
/// scope whose keys begin with it.
@usableFromInline
final class EntryScope<
  Outer: Hashable & CanonicalCodable, Key: Hashable & CanonicalCodable, Payload: CanonicalCodable
>: RowScope<Key, Payload> {
  @usableFromInline let parent: RowScope<NestedKey<Outer, Key>, Payload>
  @usableFromInline let outer: Outer

  @inlinable
  init(_ parent: RowScope<NestedKey<Outer, Key>, Payload>, under outer: Outer) {
    self.parent = parent
    self.outer = outer
    super.init(replica: parent.replica)
  }

  @inlinable
  override func dots(of key: Key) -> ContiguousArray<Dot> {
    parent.dots(of: NestedKey(outer, key))
  }

  @inlinable
  override func dots() -> ContiguousArray<Dot> {
    if let only = Unit() as? Key {
      return parent.dots(of: NestedKey(outer, only))
    }
    return parent.dots(under: KeyIdentity.hash(of: outer)) { KeyIdentity.areSame($0.outer, outer) }
  }

  @inlinable
  override func dots(
    under hash: Int, where isUnder: (Key) -> Bool
  ) -> ContiguousArray<Dot> {
    let hash = NestedKey<Outer, Key>.prefixHash(KeyIdentity.hash(of: outer), hash)
    return parent.dots(under: hash) {
      KeyIdentity.areSame($0.outer, outer) && isUnder($0.inner)
    }
  }

  @inlinable
  override func row(at dot: Dot) -> Row<Key, Payload>? {
    parent.row(at: dot).map { Row(key: $0.key.inner, payload: $0.payload) }
  }

  @inlinable
  override func stretchOfNextEvent() -> UInt64 {
    parent.stretchOfNextEvent()
  }

  @inlinable
  override func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {
    parent.write(Row(key: NestedKey(outer, row.key), payload: row.payload), killing: killed)
  }

  @inlinable
  override func remove(_ killed: ContiguousArray<Dot>) {
    parent.remove(killed)
  }
}
