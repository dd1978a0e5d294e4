/// Finds the rows under a prefix of nested keys: all rows of a map's entry.
///
/// Prefixes are known by their hash; whoever asks compares the keys. The dots of
/// a prefix are kept as runs, so that a set of a million elements inserted one
/// after another is one run.
@frozen
@usableFromInline
package struct GroupIndex: Sendable {
  /// Events of one replica with consecutive counters.
  @frozen
  @usableFromInline
  struct Run: Sendable {
    @usableFromInline let replica: ReplicaID
    @usableFromInline let first: UInt64
    @usableFromInline var last: UInt64

    @inlinable
    init(_ dot: Dot) {
      replica = dot.replica
      first = dot.counter
      last = dot.counter
    }
  }

  @usableFromInline typealias Shard = [Int: ContiguousArray<Run>]

  /// Runs by the hash of their prefix, cut into shards so that a change after a
  /// copy copies one of them.
  @usableFromInline var shards: ContiguousArray<Shard>
  @usableFromInline var covered: VersionVector = [:]
  @usableFromInline var coveredEvents: UInt64 = 0
  /// How many dots were added, those of dead rows included.
  @usableFromInline var dotCount = 0

  @inlinable
  init(room: Int) {
    shards = ContiguousArray(repeating: [:], count: Swift.max(room / 256, 1))
  }

  @inlinable
  func shard(of hash: Int) -> Int {
    Int(UInt(bitPattern: hash) % UInt(shards.count))
  }

  @inlinable
  func runs(of hash: Int) -> ContiguousArray<Run> {
    shards[shard(of: hash)][hash] ?? []
  }

  @inlinable
  mutating func append(_ dot: Dot, under hash: Int) {
    dotCount &+= 1
    let shard = shard(of: hash)
    shards[shard][hash, default: []].append(following: dot)
  }
}

extension ContiguousArray<GroupIndex.Run> {
  @inlinable
  mutating func append(following dot: Dot) {
    let place = count - 1
    if place >= 0, self[place].replica == dot.replica, self[place].last &+ 1 == dot.counter {
      self[place].last = dot.counter
    } else {
      append(GroupIndex.Run(dot))
    }
  }
}
