/// Draws which processes are killed, and when.
struct Reaper {
  private let chance: Double
  /// A round takes about so long, or less.
  private let microsecondsMax: Int
  private var generator: SplitMix64
  /// How many times in a row a process was killed while it opened its store.
  private var openings = 0

  /// How many processes of a replica may be killed one after another before one of
  /// them opens the store.
  private static let openingsMax = 2

  init(options: SimulationOptions, microsecondsMax: Int) {
    chance = options.crash ?? 0
    self.microsecondsMax = microsecondsMax
    generator = SplitMix64(seed: options.seed, stream: 1 << 62)
  }

  /// The places of those who are killed in a round, and how long after they have
  /// begun with it.
  mutating func drawDoomed(sparing spared: [Bool]) -> [Int: Duration] {
    var doomed: [Int: Duration] = [:]
    for (index, isSpared) in spared.enumerated() {
      let isHit = generator.happens(chance)
      let delay = drawDelay(microsecondsMax)
      if isHit, !isSpared { doomed[index] = delay }
    }
    return doomed
  }

  /// How long after it has begun to open its store a process is killed, if it is.
  mutating func drawDelayOfOpening() -> Duration? {
    let isHit = generator.happens(chance)
    let delay = drawDelay(2_000)
    guard isHit, openings < Self.openingsMax else {
      openings = 0
      return nil
    }
    openings += 1
    return delay
  }

  private mutating func drawDelay(_ microsecondsMax: Int) -> Duration {
    .microseconds(generator.below(microsecondsMax))
  }
}
