/// Draws which processes are stopped for a while, and for how long.
struct Pauser {
  /// How a process is stopped.
  struct Pause: Equatable {
    /// How long after the round has begun.
    var delay: Duration
    /// For how many rounds.
    var rounds: Int
  }

  /// The most rounds that a process is stopped: longer than others wait for an answer.
  static let roundsMax = 12

  private let chance: Double
  /// A round takes about so long, or less.
  private let microsecondsMax: Int
  private var generator: SplitMix64
  /// How many times each was stopped.
  private(set) var counts: [Int]

  init(options: SimulationOptions, microsecondsMax: Int) {
    chance = options.pause ?? 0
    self.microsecondsMax = microsecondsMax
    generator = SplitMix64(seed: options.seed, stream: 1 << 61)
    counts = Array(repeating: 0, count: options.replicas)
  }

  /// The places of those who are stopped in a round.
  mutating func draw(sparing spared: [Bool]) -> [Int: Pause] {
    guard chance > 0 else { return [:] }
    var pauses: [Int: Pause] = [:]
    for (index, isSpared) in spared.enumerated() {
      let isHit = generator.happens(chance)
      let pause = Pause(
        delay: .microseconds(generator.below(microsecondsMax)),
        rounds: 1 + generator.below(Self.roundsMax))
      guard isHit, !isSpared else { continue }
      pauses[index] = pause
      counts[index] += 1
    }
    return pauses
  }
}
