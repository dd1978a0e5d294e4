/// The workload of the nodes of an experiment.
struct ExperimentWorkload: Equatable, Sendable {
  /// The kind of state, and of update.
  enum Kind: Equatable, Sendable {
    /// Each update adds an element that no other adds.
    case set
    /// Each update adds one.
    case counter
    /// Each update gives a share of the node's own keys, in percent, a new time.
    case map(percent: Int)
  }

  var kind: Kind
  var nodeCount: Int
  var updatesPerNode = 100

  /// How many keys there are in all.
  static let keyCount = 1_000

  /// The update that a node makes at a second, from 1.
  func update(
    by node: Int, at second: Int, using random: inout SplitMix64
  ) -> ExperimentUpdate {
    switch kind {
    case .set: return .insert(node * updatesPerNode + second - 1)
    case .counter: return .increment
    case .map(let percent):
      let blockSize = Self.keyCount / nodeCount + 1
      var keys = Array(
        min(node * blockSize, Self.keyCount)..<min((node + 1) * blockSize, Self.keyCount))
      let count = min(blockSize * percent / 100 + 1, keys.count)
      for place in 0..<count {
        keys.swapAt(place, place + random.below(keys.count - place))
      }
      return .stamp(keys: Array(keys[..<count]), time: Self.time(ofSecond: second))
    }
  }

  /// The clock's microseconds: all that is stamped in a second has one time.
  private static func time(ofSecond second: Int) -> UInt64 {
    1_548_000_000_000_000 + UInt64(second) * 1_000_000
  }

  /// What an update adds to what is read in the end.
  func apply(
    _ update: ExperimentUpdate, by node: Int, to reading: inout [UInt64: UInt64]
  ) {
    switch update {
    case .insert(let number): reading[UInt64(number)] = 1
    case .increment: reading[UInt64(node), default: 0] += 1
    case .stamp(let keys, let time):
      for key in keys { reading[UInt64(key)] = max(reading[UInt64(key)] ?? 0, time) }
    }
  }
}
