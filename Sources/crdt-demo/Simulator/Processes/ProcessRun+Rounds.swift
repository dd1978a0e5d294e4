import CRDTStoreTesting
import Toolkit

extension ProcessRun {
  /// Lets the replicas make their operations, round by round, until all is done and all
  /// that was to happen meanwhile is over.
  mutating func runRounds() throws(CommandFailure) {
    while !isOver {
      rounds += 1
      pool.occasion = "in round \(rounds)"
      try advance(to: UInt64(rounds) * schedule.interval)
      try exchange(isHealed: false)
      show("round \(rounds): \(workDone)")
    }
  }

  /// Runs the processes at their own pace, by the system's clock.
  mutating func runFreely() throws(CommandFailure) {
    pool.occasion = "while running freely"
    let clock = ContinuousClock()
    let start = clock.now
    var turns = made
    var nextOrders = Array(repeating: UInt64(0), count: made.count)
    var answers: [Int: Answer] = [:]
    while !isOver || awaitsSabotage(turns) || !owing.isEmpty {
      try advance(to: UInt64((clock.now - start) / .microseconds(1)))
      for (place, length) in halting { halt(place, for: length) }
      halting = [:]
      for place in made.indices where canWork(place) && nextOrders[place] <= world.now {
        if isOver, !awaitsSabotage(turns) { break }
        turns[place] += 1
        nextOrders[place] = world.now + Self.paceMicroseconds
        order(place, round: turns[place], isHealed: false)
      }
      let waiting = owing.filter { !world.isPaused($0) }
      guard let (place, reply) = try pool.nextReply(of: waiting, milliseconds: 1) else { continue }
      try take(reply, of: place, into: &answers[place, default: Answer()])
      guard let answer = answers[place], answer.isWhole else { continue }
      answers[place] = nil
      post(answer, from: place)
      show(workDone)
    }
  }

  /// How often a process that runs freely gets an order at most.
  private static var paceMicroseconds: UInt64 { 3_000 }

  /// Whether a replica has still to go wrong on purpose, in a turn that it would have had by
  /// now on a machine that isn't busy: on another, all operations may be made in fewer.
  private func awaitsSabotage(_ turns: [Int]) -> Bool {
    guard let sabotage = setup.scenario.sabotage, made.indices.contains(sabotage.replica) else {
      return false
    }
    return turns[sabotage.replica] < sabotage.round && !world.hasLeft(sabotage.replica)
      && UInt64(clamping: sabotage.round) <= schedule.quietTime / Self.paceMicroseconds
  }

  /// Heals the links, connects all anew and lets the replicas tell one another all they
  /// missed.
  ///
  /// That is over when nobody has anything more to say. Gives how many rounds it took;
  /// how many it may take grows with the way from one replica to another and with how
  /// much there is to tell.
  mutating func heal() throws(CommandFailure) -> Int {
    let bytesBefore = world.counts.bytes
    world.conditions = LinkConditions()
    world.heal()
    world.reconnectAll()
    var round = 0
    repeat {
      let bytes = world.counts.bytes - bytesBefore
      guard round < 4 * made.count + 16 + bytes / Self.roundBytes else {
        throw CommandFailure(
          "\(round) rounds after the links healed, the replicas still have to talk")
      }
      round += 1
      rounds += 1
      pool.occasion = "in round \(round) after the links healed"
      show("healing: round \(round)")
      try advance(to: world.now + schedule.interval)
      try exchange(isHealed: true)
    } while world.nextTime != nil || world.nodes.contains { !$0.inbox.isEmpty }
    return round
  }

  /// How many bytes a link carries in a round at least, where there are so many.
  private static var roundBytes: Int { 1 << 14 }

  /// Whether all that was to happen has happened and all operations are made.
  private var isOver: Bool {
    stepsBegun == schedule.steps.count && world.now >= schedule.quietTime && leaving.isEmpty
      && stopped.isEmpty
      && made.indices.allSatisfy {
        world.hasLeft($0)
          || isRunning[$0] && made[$0] == targets[$0] && doomed[$0] == nil
            && halting[$0] == nil
      }
  }

  /// Performs all events before a time, then advances to it.
  private mutating func advance(to time: UInt64) throws(CommandFailure) {
    while stepsBegun < schedule.steps.count, schedule.steps[stepsBegun].time <= time {
      let step = schedule.steps[stepsBegun]
      world.run(until: step.time)
      stepsBegun += 1
      begin(step)
    }
    world.run(until: time)
    for place in stopped.sorted() where !world.isPaused(place) {
      stopped.remove(place)
      pool.resume(place)
    }
    for place in leaving.sorted() where !owing.contains(place) { try leave(place) }
    for place in made.indices where world.isUp(place) && !isRunning[place] {
      try start(place)
    }
  }

  private mutating func begin(_ step: WorldSchedule.Step) {
    switch step.what {
    case .edit(let place, _): targets[place] += 1
    case .crash(let place, _, _, let down): doomed[place] = down
    case .pause(let place, let length): halting[place] = length
    case .leave(let place): leaving.insert(place)
    case .join(let place):
      isAway[place] = false
      world.perform(step.what)
    case .jump(let place, let milliseconds): jump(place, by: milliseconds)
    default: world.perform(step.what)
    }
  }

  /// The most milliseconds that a clock is off, jumps and all: so much that replicas
  /// still take each other's stamps.
  private static var clockErrorMax: Int64 { 60_000 }

  private mutating func jump(_ place: Int, by milliseconds: Int64) {
    let offset = world.clock(of: place).offset
    let target = min(max(offset + milliseconds, -Self.clockErrorMax), Self.clockErrorMax)
    world.perform(.jump(place, target - offset))
  }

  /// Whether a process can receive an order.
  private func canWork(_ place: Int) -> Bool {
    world.isUp(place) && isRunning[place] && !world.isPaused(place) && !owing.contains(place)
  }

  private mutating func order(_ place: Int, round: Int, isHealed: Bool) {
    let messages = world.nodes[place].takeInbox()
    owing.insert(place)
    pool.send(
      isHealed
        ? .heal(messages)
        : .work(
          round: round, milliseconds: world.wallMilliseconds(of: place), target: targets[place],
          messages), to: place)
  }

  /// A process's answer to an order.
  struct Answer {
    var isWhole = false
    var messages: [LinkMessage] = []
    var state: ReplicaState?
  }

  /// Performs a round: sends an order to every running process, waits for all answers, and
  /// posts their messages.
  ///
  /// Some processes are killed or paused meanwhile.
  private mutating func exchange(isHealed: Bool) throws(CommandFailure) {
    try killStopped()
    for place in made.indices where canWork(place) {
      order(place, round: rounds, isHealed: isHealed)
    }
    var (deaths, halts): ([Int: ContinuousClock.Instant], [Int: ContinuousClock.Instant]) = (
      [:], [:]
    )
    for (place, length) in halting.sorted(by: { $0.key < $1.key }) where owing.contains(place) {
      guard doomed[place] == nil, !world.isPaused(place) else { continue }
      halts[place] = .now + drawDelay(Self.roundMicroseconds)
      beginPause(of: place, for: length)
    }
    halting = [:]
    var answers: [Int: Answer] = [:]
    while true {
      let waiting = owing.filter { !world.isPaused($0) }
      if waiting.isEmpty, deaths.isEmpty, halts.isEmpty { break }
      if let place = halts.first(where: { $0.value <= .now })?.key {
        halts[place] = nil
        pool.halt(place)
        continue
      }
      if let place = deaths.first(where: { $0.value <= .now })?.key {
        (deaths[place], answers[place]) = (nil, nil)
        try kill(place)
        continue
      }
      let moment = [halts.values.min(), deaths.values.min()].compactMap { $0 }.min()
      let pause = moment.map { Int(($0 - ContinuousClock.now) / .milliseconds(1)) }
      let listening = waiting.union(deaths.keys)
      guard let (place, reply) = try pool.nextReply(of: listening, milliseconds: pause) else {
        continue
      }
      if case .awake = reply, doomed[place] != nil {
        deaths[place] = .now + drawDelay(Self.roundMicroseconds)
      }
      try take(reply, of: place, into: &answers[place, default: Answer()])
    }
    for (place, answer) in answers.sorted(by: { $0.key < $1.key }) where answer.isWhole {
      post(answer, from: place)
    }
  }

  /// A round takes about so long, or less.
  private static var roundMicroseconds: Int { 2_000 }

  private mutating func drawDelay(_ microsecondsMax: Int) -> Duration {
    .microseconds(moments.below(microsecondsMax))
  }

  /// Processes a message of a process.
  private mutating func take(
    _ reply: Reply, of place: Int, into answer: inout Answer
  ) throws(CommandFailure) {
    if mortals[place].take(reply) { return }
    switch reply {
    case .state(let state): answer.state = state
    case .round(let messages, let operationsMade):
      guard owing.remove(place) != nil, operationsMade <= targets[place] else {
        throw unasked(place)
      }
      made[place] = operationsMade
      (answer.messages, answer.isWhole) = (messages, true)
    default: throw unasked(place)
    }
  }

  private mutating func post(_ answer: Answer, from place: Int) {
    traceState(of: place, answer.state)
    world.call(place) { node, context in node.send(answer.messages, &context) }
  }

  private mutating func beginPause(of place: Int, for length: UInt64) {
    pauses[place] += 1
    stopped.insert(place)
    world.perform(.pause(place, length: length))
  }

  /// Stops a process wherever it is.
  private mutating func halt(_ place: Int, for length: UInt64) {
    guard world.isUp(place), isRunning[place], !world.isPaused(place) else { return }
    beginPause(of: place, for: length)
    pool.halt(place)
  }
}
