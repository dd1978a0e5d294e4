import CRDTKit

/// The clock that a replica writes by: a hybrid one, over the wall clock that its
/// coordinator gives it.
struct ReplicaClock {
  private var clock: HybridLogicalClock
  /// What the wall clock shows.
  private(set) var wallMilliseconds: UInt64

  init(replica: ReplicaID, wallMilliseconds: UInt64) {
    clock = HybridLogicalClock(replica: replica)
    self.wallMilliseconds = wallMilliseconds
  }

  /// The replica that the stamps name.
  var replica: ReplicaID { clock.replica }

  /// Sets the wall clock.
  mutating func set(_ milliseconds: UInt64) { wallMilliseconds = milliseconds }

  /// Lets a millisecond pass.
  mutating func advance() { wallMilliseconds += 1 }

  /// From now on, makes stamps of another replica: a fault for tests.
  mutating func impersonate(_ replica: ReplicaID) {
    clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
  }

  /// The stamp of the next operation, a millisecond later.
  mutating func next() -> HybridTimestamp {
    advance()
    return clock.now(wallMilliseconds: wallMilliseconds)
  }

  /// Makes sure that later stamps are greater than those of a delta.
  mutating func receive(_ delta: TableDelta<Document>) throws(ClockDriftError) {
    guard let latest = delta.latestTimestamp else { return }
    try clock.receive(latest, wallMilliseconds: wallMilliseconds)
  }
}
