/// The scope of a value that has a table of its own.
///
/// The methods of a generic class are never specialized; closures made in an initializer
/// that is are. So what each change takes stands in closures.
@usableFromInline
final class TableScope<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  RowScope<Key, Payload>
{
  @usableFromInline typealias Dots = ContiguousArray<Dot>

  @usableFromInline var table: DotTable<Key, Payload>
  @usableFromInline let finding: (TableScope, Key) -> Dots
  @usableFromInline let numbering: (TableScope) -> UInt64
  @usableFromInline let writing: (TableScope, Row<Key, Payload>, Dots) -> Void
  @usableFromInline let removing: (TableScope, Dots) -> Void

  @inlinable
  init(_ table: DotTable<Key, Payload>, replica: ReplicaID) {
    self.table = table
    finding = { scope, key in scope.table.dotsForChange(of: key) }
    numbering = { scope in scope.table.stretchOfNextEvent(by: scope.replica) }
    writing = { scope, row, killed in
      scope.table.write(row, by: scope.replica, killing: killed)
    }
    removing = { scope, killed in scope.table.remove(killed, by: scope.replica) }
    super.init(replica: replica)
  }

  @inlinable
  override func dots(of key: Key) -> ContiguousArray<Dot> {
    finding(self, key)
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
  override func stretchOfNextEvent() -> UInt64 {
    numbering(self)
  }

  @inlinable
  override func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {
    writing(self, row, killed)
  }

  @inlinable
  override func remove(_ killed: ContiguousArray<Dot>) {
    if !killed.isEmpty { removing(self, killed) }
  }
}
