/// How long one direction of a link takes for what is sent over it.
///
/// Time goes by in steps: rounds, or the milliseconds of replicas that run freely.
struct LinkPace {
  private let conditions: LinkConditions
  /// How many microseconds a step stands for.
  private let step: Double
  /// How many steps what is sent takes at least.
  private let lead: Int
  private var generator: SplitMix64
  /// When the bytes sent so far are on their way, in microseconds.
  private var freeAt = 0.0
  /// The step at which the last chunk arrives that others didn't overtake.
  private(set) var arrivesAt = 0

  init(options: SimulationOptions, from source: Int, to target: Int) {
    conditions = options.links
    step = options.isFreeRunning ? 1_000 : options.interval * 1_000
    lead = options.isFreeRunning ? 0 : 1
    generator = SplitMix64(
      seed: options.seed, stream: UInt64(source) << 32 | UInt64(target) | 1 << 59)
  }

  /// The step at which a chunk arrives that could arrive in this one, if nothing goes
  /// wrong: behind all before it.
  mutating func arrival(of bytes: Int, at now: Int) -> Int {
    let delay = conditions.delay + conditions.jitter
    guard conditions.bandwidth > 0 || Double(delay) > step * Double(lead) else { return now }
    freeAt = max(freeAt, Double(now - lead) * step)
    if conditions.bandwidth > 0 {
      freeAt += Double(bytes) * 1_000_000 / Double(conditions.bandwidth)
    }
    let jitter = generator.below(conditions.jitter + 1)
    let time = (freeAt + Double(conditions.delay + jitter)) / step
    // What would take for ever is never waited for: the links heal before.
    arrivesAt = max(now, arrivesAt, Int(min((time - 1e-6).rounded(.up), 1e15)))
    return arrivesAt
  }

  /// What is sent by the next connection may arrive before what the last one lost would
  /// have, once the link is free.
  mutating func begin() {
    arrivesAt = 0
  }
}

extension LinkPace {
  /// How many times a replica speaks that hears nothing of its neighbour, and thinks
  /// nothing of it: as long as all that can be under way takes, there and back.
  static func patience(_ options: SimulationOptions, windowBytes: Int) -> Int {
    let links = options.links
    let turn = options.isFreeRunning ? 3_000 : options.interval * 1_000
    var trip = Double(links.delay + links.jitter)
    if links.bandwidth > 0 { trip += Double(windowBytes) * 1_000_000 / Double(links.bandwidth) }
    let turns = trip / turn
    return 2 * FaultyStream.delayMax + 2 + (turns > 1 ? 2 * Int(min(turns.rounded(.up), 500)) : 0)
  }
}
