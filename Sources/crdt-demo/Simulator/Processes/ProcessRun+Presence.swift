import CRDTKit
import CRDTStoreTesting
import Toolkit

extension ProcessRun {
  /// Starts the replicas that are present from the beginning.
  mutating func startProcesses() throws(CommandFailure) {
    for place in made.indices where !isAway[place] { try pool.start(place) }
    for place in made.indices where !isAway[place] { try introduce(place) }
  }

  /// Starts a process, and sends its settings.
  mutating func start(_ place: Int) throws(CommandFailure) {
    try pool.start(place)
    try introduce(place)
  }

  private mutating func introduce(_ place: Int) throws(CommandFailure) {
    if setup.scenario.crash == nil {
      pool.send(.start(settings(of: place)), to: place)
    } else {
      try open(place)
    }
    isRunning[place] = true
  }

  /// Tells a process who it is, and waits until its store is open; once in a while kills
  /// it even then, and goes on with another.
  private mutating func open(_ place: Int) throws(CommandFailure) {
    sendStart(to: place)
    var delay = drawDelayOfOpening()
    var moment: ContinuousClock.Instant?
    while true {
      if let due = moment, due <= .now {
        try endByKill(place)
        try pool.start(place)
        sendStart(to: place)
        (moment, delay) = (nil, drawDelayOfOpening())
        continue
      }
      let pause = moment.map { Int(($0 - .now) / .milliseconds(1)) }
      guard let (_, reply) = try pool.nextReply(of: [place], milliseconds: pause) else { continue }
      switch reply {
      case .awake: moment = delay.map { .now + $0 }
      case .holds:
        mortals[place].take(reply)
        guard moment == nil else { continue }
        made[place] = mortals[place].acknowledged.account.counts.operations
        return
      default: throw unasked(place)
      }
    }
  }

  private mutating func sendStart(to place: Int) {
    pool.send(.start(settings(of: place)), to: place)
    mortals[place].isOpening = true
  }

  /// How many processes of a replica may be killed one after another before one of them
  /// opens the store.
  private static var openingsKilledMax: Int { 2 }

  /// How long after it has begun to open its store a process is killed, if it is.
  private mutating func drawDelayOfOpening() -> Duration? {
    let isHit = moments.happens(setup.scenario.crash ?? 0)
    let delay = Duration.microseconds(moments.below(2_000))
    guard isHit, openingsKilled < Self.openingsKilledMax else {
      openingsKilled = 0
      return nil
    }
    openingsKilled += 1
    return delay
  }

  /// Kills those at once that are stopped when it is their turn, and lets those be that
  /// have no process.
  mutating func killStopped() throws(CommandFailure) {
    for place in doomed.keys.sorted() {
      if !isRunning[place] { doomed[place] = nil } else if world.isPaused(place) { try kill(place) }
    }
  }

  /// Kills a replica's process, which is replaced later.
  mutating func kill(_ place: Int) throws(CommandFailure) {
    try endByKill(place)
    owing.remove(place)
    stopped.remove(place)
    isRunning[place] = false
    world.nodes[place].crash(.crash, draw: 0)
    world.goDown(place, detail: "killed by SIGKILL")
    world.act(.restart(place), at: world.now + max(doomed[place] ?? 1, 1))
    doomed[place] = nil
  }

  private mutating func endByKill(_ place: Int) throws(CommandFailure) {
    for reply in try pool.kill(place) { mortals[place].take(reply) }
    mortals[place].kills += 1
  }

  /// Lets a replica end for good, if it can by now; what it has not passed on goes with it.
  mutating func leave(_ place: Int) throws(CommandFailure) {
    if !isAway[place] {
      // Who is stopped or down can leave when it goes on.
      guard isRunning[place], !world.isPaused(place) else { return }
      farewells.merge(try reports(of: [place])) { $1 }
      try pool.end(place)
    }
    leaving.remove(place)
    (doomed[place], halting[place], isRunning[place]) = (nil, nil, false)
    world.perform(.leave(place))
    world.nodes[place].crash(.crash, draw: 0)
  }

  /// The reports of all replicas, including those that left.
  mutating func collectReports() throws(CommandFailure) -> [ReplicaReport] {
    pool.occasion = "when asked for its report"
    let reports = try reports(of: Set(made.indices.filter { isRunning[$0] }))
    return made.indices.map { place in
      var report = reports[place] ?? farewells[place] ?? ReplicaReport()
      if setup.scenario.crash != nil { report.marks = mortals[place].marks }
      return report
    }
  }

  /// Requests reports from replicas.
  private mutating func reports(of places: Set<Int>) throws(CommandFailure) -> [Int: ReplicaReport]
  {
    for place in places.sorted() { pool.send(.report, to: place) }
    var reports: [Int: ReplicaReport] = [:]
    while reports.count < places.count {
      let waiting = places.filter { reports[$0] == nil }
      guard let (place, reply) = try pool.nextReply(of: waiting) else { continue }
      guard case .report(let report) = reply else { throw unasked(place) }
      reports[place] = report
    }
    return reports
  }

  /// Makes the folder of the stores, which must be missing or empty: stores of an earlier
  /// run hold what this one doesn't know of.
  func makeStoreFolder() throws(CommandFailure) {
    guard let folder = setup.store else { return }
    do throws(Syscalls.Failure) {
      if try Syscalls.makeFolder(folder) { return }
      if try Syscalls.isEmptyFolder(folder) { return }
    } catch {
      throw CommandFailure("the folder '\(folder)' can't be used for stores: \(error.trouble)")
    }
    throw CommandFailure("the folder '\(folder)' is not empty; name a new one for the stores")
  }

  /// The settings of a replica's store.
  func storeSettings(of place: Int) -> StoreSettings? {
    guard let folder = setup.store else { return nil }
    let mortal = mortals[place]
    return StoreSettings(
      path: "\(folder)/\(place + 1)", isMortal: setup.scenario.crash != nil, deaths: mortal.kills,
      acknowledged: mortal.acknowledged, intended: mortal.intended)
  }

  /// How many changes that a replica told were durable are not there: when its store was
  /// opened again, or in the end, with it and all who could receive them from it.
  func eventsLost(_ reports: [ReplicaReport], in groups: [[Int]]) -> Int {
    var lost = mortals.reduce(0) { $0 + $1.lost }
    for group in groups + farewells.keys.map({ [$0] }) {
      for place in group {
        let missing = group.map {
          mortals[$0].acknowledged.eventsMissing(in: reports[place].version)
        }
        lost += missing.max() ?? 0
      }
    }
    return lost
  }
}
