/// Runs a simulation: starts the replicas, carries their packets over the faulty
/// links, heals the links, and asks how it went.
///
/// All packets pass through here. In rounds, every replica gets the packets that
/// have arrived, makes some operations and says what to send; when all have, the
/// links draw their faults, in the order of the replicas. So nothing depends on
/// real time.
struct Coordinator {
  private let options: SimulationOptions
  private let shares: [Int]
  private var pool: ReplicaPool
  private var network: Network
  private var made: [Int]
  private var rounds = 0
  /// Shows how far the work is.
  private let progress: (String) -> Void

  init(options: SimulationOptions, progress: @escaping (String) -> Void) {
    self.options = options
    self.progress = progress
    let (share, rest) = options.operations.quotientAndRemainder(dividingBy: options.replicas)
    shares = (0..<options.replicas).map { share + ($0 < rest ? 1 : 0) }
    made = Array(repeating: 0, count: options.replicas)
    network = Network(options: options)
    pool = ReplicaPool(count: options.replicas, timeout: .seconds(options.timeoutSeconds))
  }

  /// Runs the simulation to its end.
  ///
  /// No child is left behind, however it ends.
  mutating func run() throws(Trouble) -> SimulationResult {
    do {
      try startReplicas()
      if options.isFreeRunning { try runFreely() } else { try runRounds() }
      let healRounds = try heal()
      let reports = try collectReports()
      try pool.stop(patiently: true)
      return SimulationResult(
        options: options, rounds: rounds, healRounds: healRounds, reports: reports,
        links: network.counts)
    } catch {
      try? pool.stop(patiently: false)
      throw error
    }
  }

  private mutating func startReplicas() throws(Trouble) {
    try pool.start()
    for index in shares.indices {
      let settings = ReplicaSettings(
        index: index,
        neighbours: options.topology.neighbours(of: index, among: options.replicas),
        operations: shares[index],
        batchMax: max(20, shares[index] / 100),
        seed: options.seed,
        isFreeRunning: options.isFreeRunning,
        patienceMilliseconds: Int(options.timeoutSeconds * 2_000) + 5_000,
        sabotage: options.sabotage.flatMap { $0.replica == index ? $0 : nil })
      pool.send(.start(settings), to: index)
    }
  }

  private mutating func runRounds() throws(Trouble) {
    while made != shares {
      rounds += 1
      pool.occasion = "in round \(rounds)"
      let before = made
      let round = rounds
      try exchange { .work(round: round, packets: $0) }
      for index in made.indices where made[index] == before[index] && made[index] < shares[index] {
        throw Trouble("replica \(index + 1) made no operation \(pool.occasion)")
      }
      progress(
        "round \(rounds): \(made.reduce(0, +).grouped) of \(options.operations.grouped) operations")
    }
  }

  /// Heals the links and lets the replicas tell one another all they missed:
  /// until nobody has anything more to say.
  private mutating func heal() throws(Trouble) -> Int {
    network.heal()
    let roundsMax = 4 * options.replicas + 16
    for round in 1...roundsMax {
      rounds += 1
      pool.occasion = "in round \(round) after the links healed"
      progress("healing: round \(round)")
      try exchange { .heal(isFirst: round == 1, packets: $0) }
      if network.isQuiet { return round }
    }
    return roundsMax
  }

  /// One round: gives every replica what has arrived, and takes what they send.
  private mutating func exchange(_ order: ([Packet]) -> Order) throws(Trouble) {
    for (index, packets) in network.arrivals(at: rounds).enumerated() {
      pool.send(order(packets), to: index)
    }
    var sent: [[Packet]] = Array(repeating: [], count: shares.count)
    var waiting = Set(shares.indices)
    while !waiting.isEmpty {
      guard let (index, reply) = try pool.nextReply(of: waiting) else { continue }
      switch reply {
      case .round(let packets, let operationsMade):
        guard waiting.remove(index) != nil else { throw unasked(index) }
        sent[index] += packets
        made[index] = operationsMade
      case .packets(let packets, _): sent[index] += packets
      case .report, .trouble: throw unasked(index)
      }
    }
    for (index, packets) in sent.enumerated() {
      try network.send(packets, from: index, at: rounds + 1)
    }
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

  private func unasked(_ index: Int) -> Trouble {
    Trouble("replica \(index + 1), \(pool.occasion), said what it was not asked for")
  }
}

extension Coordinator {
  /// How late, in milliseconds, a packet is for each step that others overtake it.
  private static let stepMilliseconds = 2

  /// Lets the replicas go at their own pace, and carries packets as they come,
  /// until all have made their operations and nothing is under way.
  private mutating func runFreely() throws(Trouble) {
    pool.occasion = "while running freely"
    let clock = ContinuousClock()
    let start = clock.now
    while made != shares || !network.isQuiet {
      let now = Int((clock.now - start) / .milliseconds(1))
      deliver(network.arrivals(at: now))
      let busy = Set(shares.indices.filter { made[$0] < shares[$0] })
      let pause = max(0, (network.nextArrival ?? now + 100) - now)
      guard let (index, reply) = try pool.nextReply(of: busy, milliseconds: pause) else { continue }
      guard case .packets(let packets, let operationsMade) = reply, operationsMade <= shares[index]
      else { throw unasked(index) }
      made[index] = operationsMade
      let arrival = Int((clock.now - start) / .milliseconds(1))
      try network.send(packets, from: index, at: arrival, step: Self.stepMilliseconds)
      progress("\(made.reduce(0, +).grouped) of \(options.operations.grouped) operations")
    }
  }

  /// Hands over what has arrived.
  ///
  /// What a replica is too slow to take is lost, as in any network.
  private mutating func deliver(_ arrived: [[Packet]]) {
    for (index, packets) in arrived.enumerated() where !packets.isEmpty {
      if pool.isClogged(index) {
        network.drop(packets, to: index)
      } else {
        pool.send(.packets(packets), to: index)
      }
    }
  }
}
