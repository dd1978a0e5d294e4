/// Changes a replicated value, or a value nested in a map, on behalf of a replica.
///
/// You get an editor in the body of ``TableBacked/edit(by:_:)`` and of the `update`
/// methods of maps; you can't keep or copy it. Its methods depend on the value: the
/// editor of a set inserts and removes, the editor of a counter increments.
@frozen
public struct Editor<Value: EditableValue>: ~Copyable {
  @usableFromInline let scope: RowScope<Value.RowKey, Value.RowPayload>

  @inlinable
  init(_ scope: RowScope<Value.RowKey, Value.RowPayload>) {
    self.scope = scope
  }

  /// The replica that makes the changes.
  @inlinable
  public var replica: ReplicaID { scope.replica }

  /// Replaces all rows that have a key with one row.
  @inlinable
  func replace(_ key: Value.RowKey, with payload: Value.RowPayload) {
    scope.write(Row(key: key, payload: payload), killing: scope.dots(of: key))
  }
}

/// Stores the rows of a value while it is edited: in the value's own table, or in the
/// part of a map's table under a key.
///
/// One replica makes all events. An abstract class; see ``TableScope`` and
/// ``EntryScope``.
@usableFromInline
class RowScope<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable> {
  @usableFromInline let replica: ReplicaID

  @inlinable
  init(replica: ReplicaID) {
    self.replica = replica
  }

  /// The dots of the live rows with a key.
  @usableFromInline
  func dots(of key: Key) -> ContiguousArray<Dot> { [] }

  /// The dots of all live rows, in order.
  @usableFromInline
  func dots() -> ContiguousArray<Dot> { [] }

  /// The dots of the live rows whose keys begin with a prefix, in order.
  @usableFromInline
  func dots(under hash: Int, where isUnder: (Key) -> Bool) -> ContiguousArray<Dot> { [] }

  /// The live row at a dot.
  @usableFromInline
  func row(at dot: Dot) -> Row<Key, Payload>? { nil }

  /// The number of the stretch that the next event belongs to; 0 if it belongs to none.
  @usableFromInline
  func stretchOfNextEvent() -> UInt64 { 0 }

  /// Makes an event that adds a row and removes others.
  @usableFromInline
  func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {}

  /// Makes an event that removes rows; makes no event if there are no rows to remove.
  @usableFromInline
  func remove(_ killed: ContiguousArray<Dot>) {}
}

/// The scope of a value that has a table of its own.
///
/// The compiler never specializes the methods of a generic class. It does specialize
/// closures made in an initializer that is specialized. So closures implement the
/// changes.
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

/// The scope of a map's value under a key: those rows of the map's own scope whose keys
/// begin with that key.
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
    if let only = NoPayload() as? Key {
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
