/// Runs a simulation: starts the replicas, carries their streams of bytes over the
/// faulty links, heals the links, and asks how it went.
///
/// All bytes pass through here. In rounds, every replica gets what has arrived,
/// makes some operations and says what to send; when all have, the links draw
/// their faults, in the order of the replicas. So nothing depends on real time.
struct Coordinator {
  let options: SimulationOptions
  let shares: [Int]
  var pool: ReplicaPool
  var network: Network
  /// Takes down what happens, if anybody wants to know.
  let recorder: TraceRecorder?
  /// What is known of replicas whose processes are killed.
  var mortals: [MortalReplica]
  /// Says who is killed, and when.
  var reaper: Reaper
  var made: [Int]
  /// How many operations of each replica are in the trace.
  var recorded: [Int]
  /// What replicas have told of their documents in a round.
  var told: [ReplicaState?]
  /// The digests that are in the trace.
  var recordedDigests: [String?]
  private var rounds = 0
  /// Shows how far the work is.
  let progress: ProgressSink?

  init(
    options: SimulationOptions, trace: TraceSink? = nil,
    progress: ProgressSink? = nil
  ) {
    self.options = options
    self.progress = progress
    recorder = trace.map { TraceRecorder($0) }
    let (share, rest) = options.operations.quotientAndRemainder(dividingBy: options.replicas)
    shares = (0..<options.replicas).map { share + ($0 < rest ? 1 : 0) }
    made = Array(repeating: 0, count: options.replicas)
    mortals = Array(repeating: MortalReplica(), count: options.replicas)
    reaper = Reaper(options: options, batchMax: Self.batchMax(shares[0]))
    recorded = made
    told = Array(repeating: nil, count: options.replicas)
    recordedDigests = Array(repeating: nil, count: options.replicas)
    network = Network(options: options, recorder: recorder)
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
      let result = SimulationResult(
        options: options, rounds: rounds, healRounds: healRounds, reports: reports,
        links: network.counts, connections: network.connections, kills: mortals.map(\.kills),
        lost: eventsLost(reports))
      record(result)
      return result
    } catch {
      try? pool.stop(patiently: false)
      recorder?.record(.violation, detail: "\(error)")
      recorder?.record(.end, detail: "the run ended early: \(error)")
      let lost = eventsLost([])
      guard lost > 0 else { throw error }
      throw Trouble("\(error); \(lost.grouped) acknowledged changes were lost before")
    }
  }

  private mutating func startReplicas() throws(Trouble) {
    try pool.start()
    for index in shares.indices {
      if options.crash == nil {
        pool.send(.start(settings(of: index)), to: index)
      } else {
        try open(index)
      }
    }
  }

  /// The most operations that a replica makes in one round.
  private static func batchMax(_ share: Int) -> Int { max(20, share / 100) }

  func settings(of index: Int) -> ReplicaSettings {
    ReplicaSettings(
      index: index,
      replicas: options.replicas,
      neighbours: options.topology.neighbours(of: index, among: options.replicas),
      operations: shares[index],
      batchMax: Self.batchMax(shares[index]),
      seed: options.seed,
      isFreeRunning: options.isFreeRunning,
      patienceMilliseconds: Int(options.timeoutSeconds * 2_000) + 5_000,
      sabotage: options.sabotage.flatMap { $0.replica == index ? $0 : nil },
      store: storeSettings(of: index),
      tellsState: tellsState)
  }

  private mutating func runRounds() throws(Trouble) {
    while made != shares {
      rounds += 1
      pool.occasion = "in round \(rounds)"
      let before = made
      let round = rounds
      let doomed = reaper.drawDoomed(sparing: mortals.map(\.isSpared))
      let killed = try exchange(killing: doomed) { .work(round: round, messages: $0) }
      for index in made.indices {
        let isIdle = made[index] == before[index] && made[index] < shares[index]
        // It is not killed again before it has done something.
        mortals[index].isSpared = isIdle && killed.contains(index)
        guard isIdle, !killed.contains(index) else { continue }
        throw Trouble("replica \(index + 1) made no operation \(pool.occasion)")
      }
      show("round \(rounds): \(workDone)")
    }
  }

  /// How many bytes a link carries in a round at least, where there are so many.
  private static let roundBytes = 1 << 14

  /// Heals the links, connects all anew and lets the replicas tell one another all
  /// they missed: until nobody has anything more to say.
  ///
  /// How many rounds that may take grows with the way from one replica to another
  /// and with how much there is to tell.
  private mutating func heal() throws(Trouble) -> Int {
    let bytesBefore = network.counts.bytes
    recorder?.begin(round: rounds + 1)
    network.heal(at: rounds + 1)
    var round = 0
    while !network.isQuiet {
      let bytes = network.counts.bytes - bytesBefore
      guard round < 4 * options.replicas + 16 + bytes / Self.roundBytes else {
        throw Trouble("\(round) rounds after the links healed, the replicas still have to talk")
      }
      round += 1
      rounds += 1
      pool.occasion = "in round \(round) after the links healed"
      show("healing: round \(round)")
      try exchange(killing: [:]) { .heal($0) }
    }
    return round
  }

  /// One round: gives every replica what has arrived, and takes what they send.
  ///
  /// Some are killed in it, so long after they have begun; says who.
  @discardableResult
  private mutating func exchange(
    killing doomed: [Int: Duration], _ order: ([LinkMessage]) -> Order
  ) throws(Trouble) -> Set<Int> {
    recorder?.begin(round: rounds)
    for (index, messages) in network.arrivals(at: rounds).enumerated() {
      pool.send(order(messages), to: index)
    }
    let (sent, killed) = try gather(killing: doomed)
    recordStates(except: killed)
    for (index, messages) in sent.enumerated() where !killed.contains(index) {
      try network.send(messages, from: index, at: rounds + 1)
    }
    for index in killed.sorted() {
      network.abort(linksOf: index, at: rounds + 1)
      try open(index)
      made[index] = mortals[index].acknowledged.account.counts.operations
    }
    return killed
  }

  /// Waits until all have answered or were killed.
  private mutating func gather(
    killing doomed: [Int: Duration]
  ) throws(Trouble) -> (sent: [[LinkMessage]], killed: Set<Int>) {
    var sent: [[LinkMessage]] = Array(repeating: [], count: shares.count)
    var waiting = Set(shares.indices)
    var killed: Set<Int> = []
    var moments: [Int: ContinuousClock.Instant] = [:]
    while !waiting.isEmpty || !moments.isEmpty {
      if let index = moments.first(where: { $0.value <= .now })?.key {
        moments[index] = nil
        waiting.remove(index)
        killed.insert(index)
        try kill(index)
        continue
      }
      let pause = moments.values.min().map { Int(($0 - .now) / .milliseconds(1)) }
      guard let (index, reply) = try pool.nextReply(of: waiting, milliseconds: pause) else {
        continue
      }
      if mortals[index].take(reply) {
        if case .awake = reply, let delay = doomed[index] { moments[index] = .now + delay }
        continue
      }
      switch reply {
      case .round(let messages, let operationsMade):
        guard waiting.remove(index) != nil else { throw unasked(index) }
        sent[index] += messages
        made[index] = operationsMade
      case .messages(let messages, _): sent[index] += messages
      case .state(let state): told[index] = state
      default: throw unasked(index)
      }
    }
    return (sent, killed)
  }

  private mutating func collectReports() throws(Trouble) -> [ReplicaReport] {
    pool.occasion = "when asked for its report"
    for index in shares.indices { pool.send(.report, to: index) }
    var reports: [Int: ReplicaReport] = [:]
    while reports.count < shares.count {
      let waiting = Set(shares.indices.filter { reports[$0] == nil })
      guard let (index, reply) = try pool.nextReply(of: waiting) else { continue }
      guard case .report(let report) = reply, reports[index] == nil else { throw unasked(index) }
      reports[index] = report
    }
    return shares.indices.compactMap { reports[$0] }
  }

  func unasked(_ index: Int) -> Trouble {
    Trouble("replica \(index + 1), \(pool.occasion), said what it was not asked for")
  }
}

extension Coordinator {
  /// How late, in milliseconds, a chunk is for each step that others overtake it.
  private static let stepMilliseconds = 2

  /// Lets the replicas go at their own pace, and carries their bytes as they come,
  /// until all have made their operations.
  private mutating func runFreely() throws(Trouble) {
    pool.occasion = "while running freely"
    let clock = ContinuousClock()
    let start = clock.now
    while made != shares {
      let now = Int((clock.now - start) / .milliseconds(1))
      recorder?.advance(to: UInt64(now) * 1_000)
      deliver(network.arrivals(at: now))
      let busy = Set(shares.indices.filter { made[$0] < shares[$0] })
      let pause = max(0, (network.nextArrival ?? now + 100) - now)
      guard let (index, reply) = try pool.nextReply(of: busy, milliseconds: pause) else { continue }
      guard case .messages(let messages, let operationsMade) = reply,
        operationsMade <= shares[index]
      else { throw unasked(index) }
      made[index] = operationsMade
      let arrival = Int((clock.now - start) / .milliseconds(1))
      recorder?.advance(to: UInt64(arrival) * 1_000)
      recordStates(except: [])
      try network.send(messages, from: index, at: arrival, step: Self.stepMilliseconds)
      show(workDone)
    }
  }

  /// Hands over what has arrived.
  ///
  /// Bytes that a replica is too slow to take are lost.
  private mutating func deliver(_ arrived: [[LinkMessage]]) {
    for (index, messages) in arrived.enumerated() {
      let taken = messages.filter { message in
        guard pool.isClogged(index), case .bytes = message.content else { return true }
        network.drop(message, to: index)
        return false
      }
      if !taken.isEmpty { pool.send(.messages(taken), to: index) }
    }
  }
}
