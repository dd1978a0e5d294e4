/// The scope of a value that has a table of its own.
@usableFromInline
final class TableScope<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  RowScope<Key, Payload>
{
  @usableFromInline var table: DotTable<Key, Payload>

  @inlinable
  init(_ table: DotTable<Key, Payload>, replica: ReplicaID) {
    self.table = table
    super.init(replica: replica)
  }

  @inlinable
  override func dots(of key: Key) -> ContiguousArray<Dot> {
    table.dotsForChange(of: key)
  }

  @inlinable
  override func dots() -> ContiguousArray<Dot> {
    table.dots()
  }

  @inlinable
  override func dots(
    under hash: Int, where isUnder: (Key) -> Bool
  ) -> ContiguousArray<Dot> {
    table.prepareGroups()
    return table.dots(under: hash, where: isUnder)
  }

  @inlinable
  override func row(at dot: Dot) -> Row<Key, Payload>? {
    table.row(at: dot)
  }

  @inlinable
  override func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {
    table.write(row, by: replica, killing: killed)
  }

  @inlinable
  override func remove(_ killed: ContiguousArray<Dot>) {
    if !killed.isEmpty { table.remove(killed, by: replica) }
  }
}
