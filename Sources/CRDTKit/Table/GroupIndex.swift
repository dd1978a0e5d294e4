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
  /// Runs that may still grow, each in a place given by its hash.
  @usableFromInline var openRuns: ContiguousArray<(hash: Int, run: Run)?> = []
  /// How many dots were added, those of dead rows included.
  @usableFromInline var dotCount = 0
  /// How many of them there were when the index was made of the living rows.
  @usableFromInline var renewedDotCount = 0

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

  /// Adds a dot; ``flush()`` must follow before runs are asked for.
  ///
  /// Rows of one group mostly come one after another: their run is put into its
  /// shard when it ends.
  @inlinable
  mutating func append(_ dot: Dot, under hash: Int) {
    dotCount &+= 1
    let place = hash & (Self.openCount - 1)
    if openRuns.isEmpty { openRuns = ContiguousArray(repeating: nil, count: Self.openCount) }
    if let open = openRuns[place] {
      if open.hash == hash, open.run.replica == dot.replica, open.run.last &+ 1 == dot.counter {
        openRuns[place]?.run.last = dot.counter
        return
      }
      close(open)
    }
    openRuns[place] = (hash, Run(dot))
  }

  /// Puts the runs that may still have grown into their shards.
  @inlinable
  mutating func flush() {
    for case let open? in openRuns { close(open) }
    openRuns = []
  }

  @inlinable
  mutating func close(_ open: (hash: Int, run: Run)) {
    let shard = shard(of: open.hash)
    shards[shard][open.hash, default: []].append(following: open.run)
  }

  /// How many runs are kept open.
  @inlinable
  static var openCount: Int { 8 }
}

extension ContiguousArray<GroupIndex.Run> {
  /// Adds a run, as a part of the last one where it goes on from there.
  @inlinable
  mutating func append(following run: GroupIndex.Run) {
    let place = count - 1
    if place >= 0, self[place].replica == run.replica, self[place].last &+ 1 == run.first {
      self[place].last = run.last
    } else {
      append(run)
    }
  }
}
