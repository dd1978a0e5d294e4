/// Where a value's rows live while it is edited: a table of its own, or the part
/// of a map's table under a key.
///
/// Events are made by one replica. An abstract class; see ``TableScope`` and
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

  /// The dots of the live rows under a prefix of their keys, in order.
  @usableFromInline
  func dots(under hash: Int, where isUnder: (Key) -> Bool) -> ContiguousArray<Dot> { [] }

  /// The live row at a dot.
  @usableFromInline
  func row(at dot: Dot) -> Row<Key, Payload>? { nil }

  /// The number of the stretch that the next event is in; 0 where it is in none.
  @usableFromInline
  func stretchOfNextEvent() -> UInt64 { 0 }

  /// Makes an event that adds a row and kills others.
  @usableFromInline
  func write(_ row: Row<Key, Payload>, killing killed: ContiguousArray<Dot>) {}

  /// Makes an event that kills rows; none where there are no rows to kill.
  @usableFromInline
  func remove(_ killed: ContiguousArray<Dot>) {}
}
