import CRDTKit

/// The clock that a replica writes by: a hybrid one, over a wall clock that is up
/// to two seconds off.
struct SkewedClock {
  /// When all simulations begin.
  private static let beginning: UInt64 = 1_800_000_000_000

  private var clock: HybridLogicalClock
  /// Milliseconds that have gone by since the beginning, as this replica sees it.
  private var elapsed: UInt64
  /// How wrong the wall clock is, beyond that.
  var error: ClockError
  /// The most milliseconds between two operations.
  ///
  /// However many there are, they take no more than a minute or so: else one
  /// replica's clock could come to be too far ahead of another's.
  private let stepMax: Int

  init(
    replica: ReplicaID, operations: Int, error: ClockError = ClockError(),
    using generator: inout SplitMix64
  ) {
    clock = HybridLogicalClock(replica: replica)
    self.error = error
    elapsed = UInt64(generator.below(4_000))
    stepMax = min(20, max(1, 100_000 / max(operations, 1)))
  }

  /// What the wall clock shows.
  var wallMilliseconds: UInt64 { error.milliseconds(after: elapsed, since: Self.beginning) }

  /// The replica that the stamps name.
  var replica: ReplicaID { clock.replica }

  /// From now on, makes stamps of another replica.
  mutating func impersonate(_ replica: ReplicaID) {
    clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
  }

  /// The stamp of the next operation, a little later.
  mutating func next(using generator: inout SplitMix64) -> HybridTimestamp {
    advance(using: &generator)
    return clock.now(wallMilliseconds: wallMilliseconds)
  }

  /// Lets a little time go by.
  mutating func advance(using generator: inout SplitMix64) {
    elapsed += UInt64(generator.below(stepMax))
  }

  /// Makes sure that later stamps are greater than those of a delta.
  mutating func receive(
    _ delta: TableDelta<Document>
  ) throws(ClockDriftError) {
    guard let latest = delta.latestTimestamp else { return }
    try clock.receive(latest, wallMilliseconds: wallMilliseconds)
  }
}
