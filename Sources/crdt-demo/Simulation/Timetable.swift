/// What is to happen in which step, beside what is drawn in it.
///
/// A step is a round, or a millisecond of replicas that run freely. A round stands for
/// one interval of a scenario: what is to happen at a moment happens before the first
/// round that doesn't begin earlier.
struct Timetable {
  enum Event: Equatable {
    case join(Int)
    case leave(Int)
    /// A replica's clock jumps.
    case jump(Int, milliseconds: Int)
    /// From now on, only replicas of one group reach each other.
    case part([[Int]])
    /// The partition into these groups is over.
    case heal([[Int]])
  }

  private struct Entry {
    var round: Int
    var event: Event
  }

  /// In the order of their rounds, and those of a round in the order they were given.
  private var entries: ArraySlice<Entry>

  init(options: SimulationOptions) {
    var entries: [Entry] = []
    let interval = options.isFreeRunning ? 1 : options.interval
    func add(_ event: Event, at seconds: Double) {
      entries.append(
        Entry(round: Self.round(at: seconds, interval: interval), event: event))
    }
    for partition in options.partitions {
      add(.part(partition.groups), at: partition.from)
      add(.heal(partition.groups), at: partition.to)
    }
    for join in options.joins { add(.join(join.replica), at: join.at) }
    for leave in options.leaves { add(.leave(leave.replica), at: leave.at) }
    var random = SplitMix64(seed: options.seed, stream: 1 << 58)
    for _ in 0..<options.clocks.jumps {
      let place = random.below(options.replicas)
      let event = Event.jump(place, milliseconds: random.within(options.clocks.jump))
      entries.append(Entry(round: 1 + random.below(options.roundsExpected), event: event))
    }
    self.entries =
      entries.indices.sorted {
        entries[$0].round != entries[$1].round ? entries[$0].round < entries[$1].round : $0 < $1
      }.map { entries[$0] }[...]
  }

  /// The round that a moment of a scenario is in.
  static func round(at seconds: Double, interval: Double) -> Int {
    // What is a whole number but for its last bits is meant to be one.
    max(1, Int((seconds * 1_000 / interval - 1e-6).rounded(.up)))
  }

  /// When something happens next; `nil` if nothing does.
  var next: Int? { entries.first?.round }

  /// Whether all has happened.
  var isOver: Bool { entries.isEmpty }

  /// Takes off what is due in a round.
  mutating func due(at round: Int) -> [Event] {
    let due = entries.prefix { $0.round <= round }
    entries = entries.dropFirst(due.count)
    return due.map(\.event)
  }
}
