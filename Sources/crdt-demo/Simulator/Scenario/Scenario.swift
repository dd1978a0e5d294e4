import Toolkit

/// The description of a simulation: its replicas, their edits, and the faults.
///
/// Every field has a default. A JSON file and command line flags set fields. Replicas are
/// counted from 0.
struct Scenario: Equatable, Sendable {
  /// The place where replicas run.
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
    /// The groups of replicas that can reach each other.
    ///
    /// All replicas outside them form another group.
    var groups: [[Int]]
  }

  /// How wrong clocks are: bounds, within which each replica's error is drawn.
  struct Clocks: Equatable, Sendable {
    /// The initial error of a clock in milliseconds.
    var skew = 0
    /// The drift of a clock in parts per million.
    var drift = 0
    /// How many times in all a clock jumps, and by how many milliseconds.
    var jumps = 0
    var jump = 10_000
  }

  /// The total numbers of crashes at random times.
  struct Crashes: Equatable, Sendable {
    /// What was durable is there afterwards.
    var count = 0
    /// In the middle of an edit.
    var torn = 0
    /// To be started again from an older copy.
    var restores = 0
    /// The longest downtime in milliseconds; by default a tenth of the run, and at most a
    /// second.
    var down: Int?
    /// The probability that a replica crashes at each request of a session.
    var death = 0.0
  }

  /// A replica that joins or leaves.
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
  /// A history file to replay lane by lane instead of random edits.
  var history: String?
  /// The total number of operations of all replicas.
  var operations = 2_000
  /// The total number of operations a second of virtual time.
  var rate = 1_000.0
  /// Milliseconds from one synchronisation of a replica to the next.
  var interval = 100.0
  /// How many keys, elements or fields are changed.
  var keys = 64
  var seed: UInt64 = 1
  var links = LinkConditions(faults: .standard)
  var partitions: [Partition] = []
  var clocks = Clocks()
  /// The probability that a replica crashes in a round, or in an interval of a world.
  var crash: Double?
  /// The probability that a replica is paused in a round, or in an interval.
  var pause: Double?
  var crashes = Crashes()
  var joins: [MembershipChange] = []
  var leaves: [MembershipChange] = []
  /// The conditions of the stores' disks.
  var disks = DiskSettings()
  var sabotage: FaultInjection?
  /// The probability that a replica of a world decodes its value again from bytes before an
  /// action.
  var decoding: Double?
  /// The exact steps instead of random edits and faults; `nil` for random ones.
  var steps: [WorldSchedule.Step]?
  /// The probability that a changed state is checked; `nil` for as often as the size
  /// allows.
  var checks: Double?
}

extension Scenario {
  /// The longest pause in intervals, which is longer than others wait for an answer.
  static let pauseIntervalsMax = 12

  /// How many operations are made a second in all: by processes some ten each in a round,
  /// unless a rate is given.
  var operationsPerSecond: Double {
    engine == .world || rate != Scenario().rate ? rate : 10_000 * Double(replicas) / interval
  }

  /// The inconsistency of its fields, if any.
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

  /// How many operations there are at most in a text or a list, which is judged as a whole
  /// again and again.
  private static let positionOperationsMax = 20_000

  private var problemOfStyle: String? {
    if !workload.isOfDocuments, history == nil, operations > Self.positionOperationsMax {
      return "a \(workload.rawValue) has \(Self.positionOperationsMax) operations at most"
    }
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

  /// Throws if a short description would run for days.
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
    if history == nil, !workload.isOfDocuments {
      return "processes hold documents, not a \(workload.rawValue): set the engine to world"
    }
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

  /// The fields that only a world supports, and that differ from their defaults.
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
