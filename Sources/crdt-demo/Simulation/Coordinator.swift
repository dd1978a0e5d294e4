/// Runs a simulation: starts the replicas, carries their streams of bytes over the
/// faulty links, heals the links, and asks how it went.
///
/// All bytes pass through here. In rounds, every replica gets what has arrived,
/// makes some operations and says what to send; when all have, the links draw
/// their faults, in the order of the replicas. So nothing depends on real time.
struct Coordinator {
  /// Whether a replica takes part.
  enum Presence {
    /// It will come.
    case away
    case here
    /// It has left for good.
    case gone
  }

  let options: SimulationOptions
  let shares: [Int]
  /// What the operations of each replica are.
  let tasks: [ReplicaTask]
  var pool: ReplicaPool
  var network: Network
  /// Takes down what happens, if anybody wants to know.
  let recorder: TraceRecorder?
  var presence: [Presence]
  /// What is known of replicas whose processes are killed.
  var mortals: [MortalReplica]
  /// Says who is killed, and when.
  var reaper: Reaper
  /// Says who is stopped for a while, and when.
  var pauser: Pauser
  /// Those that are stopped, by their places.
  var standstills: [Int: Standstill] = [:]
  /// Says who comes and leaves, and when the network parts.
  var timetable: Timetable
  /// Those that leave as soon as they can.
  var leaving: Set<Int> = []
  /// What those have told who left.
  var farewells: [Int: ReplicaReport] = [:]
  /// How many rounds each replica has yet to answer.
  var owed: [Int]
  var made: [Int]
  /// How wrong each replica's clock is.
  var clocks: [ClockError]
  /// How many operations of each replica are in the trace.
  var recorded: [Int]
  /// What replicas have told of their documents in a round.
  var told: [ReplicaState?]
  /// The digests that are in the trace.
  var recordedDigests: [String?]
  /// How many rounds have begun.
  var rounds = 0
  /// Shows how far the work is.
  let progress: ProgressSink?

  init(
    options: SimulationOptions, history: HistoryTrace? = nil, trace: TraceSink? = nil,
    progress: ProgressSink? = nil
  ) {
    self.options = options
    self.progress = progress
    recorder = trace.map { TraceRecorder($0) }
    tasks = options.tasks(replaying: history)
    shares = options.shares(of: tasks)
    clocks = ClockError.draw(options)
    made = Array(repeating: 0, count: options.replicas)
    owed = made
    presence = Array(repeating: .here, count: options.replicas)
    for join in options.joins { presence[join.replica] = .away }
    mortals = Array(repeating: MortalReplica(), count: options.replicas)
    if !options.leaves.isEmpty {
      for index in mortals.indices { mortals[index].marked = SharedDocument.replica(index) }
    }
    let microsecondsMax = options.roundMicroseconds(shares)
    reaper = Reaper(options: options, microsecondsMax: microsecondsMax)
    pauser = Pauser(options: options, microsecondsMax: microsecondsMax)
    timetable = Timetable(options: options)
    recorded = made
    told = Array(repeating: nil, count: options.replicas)
    recordedDigests = Array(repeating: nil, count: options.replicas)
    network = Network(options: options, recorder: recorder)
    for join in options.joins { network.close(linksOf: join.replica, at: 0) }
    pool = ReplicaPool(count: options.replicas, timeout: .seconds(options.timeoutSeconds))
  }

  /// Runs the simulation to its end.
  ///
  /// No child is left behind, however it ends.
  mutating func run() throws(Trouble) -> SimulationResult {
    recorder?.record(.begin, value: options.title, detail: options.command)
    do {
      try makeStoreFolder()
      try startReplicas()
      if options.isFreeRunning { try runFreely() } else { try runRounds() }
      let healRounds = try heal()
      let reports = try collectReports()
      try pool.stop(patiently: true)
      let result = result(healRounds: healRounds, reports: reports)
      record(result)
      return result
    } catch {
      try? pool.stop(patiently: false)
      recorder?.record(.violation, detail: "\(error)")
      recorder?.record(.end, detail: "the run ended early: \(error)")
      let lost = mortals.reduce(0) { $0 + $1.lost }
      guard lost > 0 else { throw error }
      throw Trouble("\(error); \(lost.grouped) acknowledged changes were lost before")
    }
  }

  private func result(healRounds: Int, reports: [ReplicaReport]) -> SimulationResult {
    let groups = remainingGroups
    return SimulationResult(
      options: options, rounds: rounds, healRounds: healRounds, reports: reports, groups: groups,
      links: network.counts, connections: network.connections, kills: mortals.map(\.kills),
      pauses: pauser.counts, lost: eventsLost(reports, in: groups))
  }

  func unasked(_ index: Int) -> Trouble {
    Trouble("replica \(index + 1), \(pool.occasion), said what it was not asked for")
  }
}
