import Toolkit

/// What a simulation is about: who takes part, what they do, and what goes wrong.
///
/// Every field has a default; a file of JSON sets some of them, and flags of the
/// command line others. Replicas are counted from 0.
struct Scenario: Equatable, Sendable {
  /// Where replicas are.
  enum Engine: String, CaseIterable, Sendable {
    /// Each is a process of its own.
    case processes
    /// All are in one process, in virtual time.
    case world
  }

  /// A time in which some replicas can't reach others.
  struct Partition: Equatable, Sendable {
    /// Seconds from the beginning.
    var from: Double
    var to: Double
    /// Who can reach whom; who is in no group is with all others that aren't.
    var groups: [[Int]]
  }

  /// How wrong clocks are: bounds, within which each replica's error is drawn.
  struct Clocks: Equatable, Sendable {
    /// Milliseconds that a clock is off from the beginning.
    var skew = 0
    /// How much too fast or slow it goes, in parts per million.
    var drift = 0
    /// How many times in all a clock jumps, and by how many milliseconds.
    var jumps = 0
    var jump = 10_000
  }

  /// How often replicas go down, in all, at random moments.
  struct Crashes: Equatable, Sendable {
    /// What was durable is there afterwards.
    var count = 0
    /// In the middle of an edit.
    var torn = 0
    /// To be started again from an older copy.
    var restores = 0
    /// The most milliseconds until a replica is up again; by default a tenth of the
    /// run, and no more than a second.
    var down: Int?
    /// The chance that a replica dies whenever a session asks for something.
    var death = 0.0
  }

  /// A replica that comes or leaves.
  struct MembershipChange: Equatable, Sendable {
    /// Seconds from the beginning.
    var at: Double
    var replica: Int
  }

  var engine = Engine.processes
  var replicas = 4
  var topology = Topology.mesh
  var workload = Workload.mixed
  var style = WorldStyle.session
  /// A file with a history, to be replayed lane by lane in place of drawn edits.
  var history: String?
  /// Operations in all, shared among the replicas.
  var operations = 2_000
  /// Operations a second of virtual time, in all.
  var rate = 1_000.0
  /// Milliseconds from one synchronisation of a replica to the next.
  var interval = 100.0
  /// How many keys, elements or fields are changed.
  var keys = 64
  var seed: UInt64 = 1
  var links = LinkConditions(faults: .standard)
  var partitions: [Partition] = []
  var clocks = Clocks()
  /// The chance that a replica goes down in a round, or in an interval of a world.
  var crash: Double?
  /// The chance that a replica is stopped for a while in a round, or in an interval.
  var pause: Double?
  var crashes = Crashes()
  var joins: [MembershipChange] = []
  var leaves: [MembershipChange] = []
  /// What the disks of stores are like.
  var disks = DiskSettings()
  var sabotage: FaultInjection?
  /// The chance that a replica of a world reads its value back from bytes before it does
  /// something.
  var decoding: Double?
  /// Just what is to happen, in place of drawn edits and faults; `nil` for those.
  var steps: [WorldSchedule.Step]?
  /// The chance that a state is judged when it has changed; `nil` for as often as
  /// the size allows.
  var checks: Double?
}

extension Scenario {
  /// The most intervals that a replica is stopped: longer than others wait for an answer.
  static let pauseIntervalsMax = 12

  /// How many operations are made a second in all: by processes some ten each in a round,
  /// unless a rate is given.
  var operationsPerSecond: Double {
    engine == .world || rate != Scenario().rate ? rate : 10_000 * Double(replicas) / interval
  }

  /// What is wrong with how its fields go together, if anything.
  var problem: String? {
    if let problem = topology.problem(among: replicas) { return problem }
    let named =
      partitions.flatMap { $0.groups.flatMap { $0 } } + (joins + leaves).map(\.replica)
    if let problem = sabotage?.problem(of: engine) { return problem }
    if let sabotage, sabotage.replica >= replicas {
      return "there is no replica \(sabotage.replica + 1) to sabotage"
    }
    if let stranger = named.first(where: { $0 >= replicas }) {
      return "there is no replica \(stranger): the last is \(replicas - 1)"
    }
    for partition in partitions {
      guard partition.from < partition.to else { return "a partition must end after it begins" }
      let places = partition.groups.flatMap { $0 }
      guard Set(places).count == places.count else {
        return "a replica can't be in two groups of a partition"
      }
    }
    if let problem = problemOfSteps { return problem }
    if Set(joins.map(\.replica)).count < joins.count { return "a replica can't join twice" }
    if Set(leaves.map(\.replica)).count == replicas { return "not all replicas can leave" }
    return engine == .processes ? problemOfProcesses : problemOfStyle ?? problemOfLength
  }

  /// How many notes a server has at most, all of which are compared again and again.
  private static let notesMax = 10_000

  private var problemOfStyle: String? {
    if style == .store, history != nil || ![.mixed, .notes].contains(workload) {
      return "stores hold documents: set the workload to mixed or notes"
    }
    if style == .outbox {
      if history != nil || workload != .mixed {
        return "apps with an outbox have no other workload"
      }
      if keys > Self.notesMax { return "apps with an outbox have \(Self.notesMax) keys at most" }
      if topology != .mesh, topology != .star { return "apps with an outbox are in a star" }
      if (joins + leaves).contains(where: { $0.replica == 0 }) {
        return "replica 0 is the server, which neither joins nor leaves"
      }
    }
    let sabotage = sabotage?.kind.ofWorlds ?? .none
    return sabotage.fits(style)
      ? nil : "worlds of the style \(style) can't be sabotaged by \(sabotage.rawValue)"
  }

  /// How many times replicas of a world may be called in all, for synchronisations.
  private static let callsMax = 1e9

  /// How many crashes or pauses of a world may come of their chances.
  private static let chancesMax = 100_000.0

  /// Refuses what would take days though it is said in a line.
  private var problemOfLength: String? {
    let ends = partitions.map(\.to) + (joins + leaves).map(\.at)
    let last = Double(steps?.last?.time ?? 0) / 1_000_000
    let drawn = steps == nil ? Double(operations) / rate : 0
    let seconds = max(drawn, last, ends.max() ?? 0)
    let calls = seconds * 1_000 / interval * Double(replicas)
    guard calls * max(crash ?? 0, pause ?? 0) <= Self.chancesMax else {
      return "crashes or pauses would be too many: lower their chances or raise the interval"
    }
    return calls <= Self.callsMax
      ? nil
      : "\(OptionValue.short(seconds.rounded())) s of virtual time with a synchronisation each "
        + "\(OptionValue.short(interval)) ms take too long: raise the rate or the interval"
  }

  /// How many rounds of processes may be waited for what is yet to happen.
  private static let roundsMax = 10_000

  private var problemOfProcesses: String? {
    if replicas > 64 { return "processes can be 64 at most; set the engine to world" }
    let work = rate == Scenario().rate ? 0 : Double(operations) / rate
    let end = (partitions.map(\.to) + (joins + leaves).map(\.at)).reduce(work, max)
    guard end * 1_000 / interval <= Double(Self.roundsMax) else {
      return "\(OptionValue.short(end)) s are more than \(Self.roundsMax) rounds of "
        + "\(OptionValue.short(interval)) ms"
    }
    let strange = fieldsOfWorlds
    guard !strange.isEmpty else { return nil }
    return "processes have no \(strange.joined(separator: ", ")): set the engine to world"
  }

  /// The fields that only a world takes, and that are not as they are by default.
  private var fieldsOfWorlds: [String] {
    let plain = Scenario()
    var links = links
    (links.delay, links.jitter) = (plain.links.delay, plain.links.jitter)
    (links.bandwidth, links.faults) = (plain.links.bandwidth, plain.links.faults)
    let fields: [(name: String, isPlain: Bool)] = [
      ("style", style == plain.style),
      ("late or reconnect of links", links == plain.links),
      ("crashes", crashes == plain.crashes),
      ("disks", disks == plain.disks), ("checks", checks == nil), ("steps", steps == nil),
    ]
    return fields.filter { !$0.isPlain }.map(\.name)
  }
}
