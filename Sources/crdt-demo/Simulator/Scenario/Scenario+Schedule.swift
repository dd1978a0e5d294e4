import CRDTStoreTesting

extension Scenario {
  /// The schedule of this scenario in a world; a history replaces the random edits.
  func schedule(history: HistoryTrace? = nil) -> WorldSchedule {
    var random = SeededGenerator(seed: seed, stream: 7)
    var schedule = WorldSchedule()
    schedule.seed = seed
    schedule.replicas = replicas
    schedule.topology = style == .outbox ? .star : topology
    schedule.style = style
    schedule.workload = history == nil ? workload : .map
    schedule.conditions = links
    schedule.interval = UInt64(max(interval * 1_000, 1))
    schedule.settings = settings
    if clocks.skew > 0 || clocks.drift > 0 {
      schedule.clocks = (0..<replicas).map { _ in
        WorldClock(
          offset: Int64(random.within(clocks.skew)), drift: Int64(random.within(clocks.drift)))
      }
    }
    if let steps {
      schedule.steps = steps.map(masked)
      schedule.settings.isMortal =
        settings.isMortal || steps.contains { WorldSchedule.isCrash($0.what) }
    } else if let history {
      add(history, to: &schedule)
    } else {
      drawEdits(for: &schedule, &random)
    }
    addFaults(to: &schedule, &random)
    schedule.sampling = checks ?? sampling(steps: schedule.steps.count)
    return schedule
  }

  /// A step whose draw is what the workload takes it for.
  private func masked(_ step: WorldSchedule.Step) -> WorldSchedule.Step {
    guard case .edit(let place, let draw) = step.what else { return step }
    return WorldSchedule.Step(time: step.time, what: .edit(place, drawn(draw)))
  }

  /// The number of an edit, of those that stand for the workload's changes.
  private func drawn(_ draw: UInt64) -> UInt64 {
    workload == .mixed ? draw | 1 << 63 : draw & ~(1 << 63)
  }

  /// A run of some length judges some hundreds or thousands of states.
  private func sampling(steps: Int) -> Double {
    // Datagrams change each replica for each edit; sessions bring many at once.
    let changes = steps * (style == .datagram ? replicas : min(replicas, 8))
    return changes <= 2_000 ? 1 : 2_000 / Double(changes)
  }

  private var settings: NodeSettings {
    var settings = NodeSettings()
    settings.keys = keys
    settings.pieceMax = 1_024
    settings.death = crashes.death
    settings.isMortal =
      crash ?? 0 > 0 || crashes.death > 0 || crashes.count + crashes.torn + crashes.restores > 0
      || sabotage != nil
    settings.decoding = decoding ?? 0
    settings.inboxMax = 1_024
    settings.answerTime = UInt64(2 * (links.delay + links.jitter) + 1_000)
    // A round trip, with a tick at both ends, and some time to spare.
    let trip = 2 * Double(links.delay + links.jitter + links.lateMax) / (interval * 1_000)
    settings.patience = 6 + Int(min(trip, 1e6))
    settings.disks = disks
    settings.sabotage = sabotage?.kind.ofWorlds ?? .none
    return settings
  }

  private func drawEdits(for schedule: inout WorldSchedule, _ random: inout SeededGenerator) {
    schedule.steps.reserveCapacity(operations)
    let pause = 1_000_000 / operationsPerSecond
    for number in 0..<operations {
      // Processes make equal numbers of edits.
      let place = engine == .processes ? number % replicas : random.below(replicas)
      let draw = drawn(random.next())
      let time = UInt64(Double(number) * pause)
      schedule.steps.append(WorldSchedule.Step(time: time, what: .edit(place, draw)))
    }
  }

  /// Replays a history: each lane at one replica, in the order of the commits.
  private func add(_ history: HistoryTrace, to schedule: inout WorldSchedule) {
    let (edits, keys) = history.edits(among: replicas)
    schedule.settings.keys = max(keys, 1)
    let count = UInt64(schedule.settings.keys)
    // Numbers that the map takes for just these changes: see `MVRegister.change`.
    let removals = ((3 << 40) / count + 1) * count
    for (serial, (place, edit)) in edits.prefix(Self.operationsMax).enumerated() {
      let base = edit.isRemoval ? removals : (UInt64(serial) % ((1 << 40) / count - 1)) * count
      let time = UInt64(Double(serial) * 1_000_000 / operationsPerSecond)
      schedule.steps.append(
        WorldSchedule.Step(time: time, what: .edit(place, base + UInt64(edit.key))))
    }
  }

  private func addFaults(to schedule: inout WorldSchedule, _ random: inout SeededGenerator) {
    let length = Int(clamping: (schedule.steps.last?.time ?? 0) + 1)
    var faults: [WorldSchedule.Step] = []
    func add(_ what: WorldAction, at time: UInt64) {
      faults.append(WorldSchedule.Step(time: time, what: what))
    }
    for partition in partitions {
      let (from, to) = (Self.microseconds(partition.from), Self.microseconds(partition.to))
      add(.partition(partition.groups, length: to - from), at: from)
    }
    for (kind, count) in [
      (CrashKind.crash, crashes.count), (.torn, crashes.torn), (.restore, crashes.restores),
    ] {
      for _ in 0..<count {
        let down = UInt64(1 + random.below(downMax(in: length)))
        let draw = random.next() & ~(1 << 63)
        add(
          .crash(random.below(replicas), kind, draw: draw, down: down),
          at: UInt64(random.below(length)))
      }
    }
    for _ in 0..<clocks.jumps {
      add(
        .jump(random.below(replicas), Int64(random.within(clocks.jump))),
        at: UInt64(random.below(length)))
    }
    addByChance(in: length, add)
    for join in joins { add(.join(join.replica), at: Self.microseconds(join.at)) }
    for leave in leaves { add(.leave(leave.replica), at: Self.microseconds(leave.at)) }
    guard !faults.isEmpty else { return }
    // A stable sort keeps the order of faults at the same time.
    let all = faults + schedule.steps
    schedule.steps = all.indices.sorted {
      all[$0].time != all[$1].time ? all[$0].time < all[$1].time : $0 < $1
    }.map { all[$0] }
  }

  /// Adds crashes and pauses, as many as their chances give in so many microseconds.
  private func addByChance(
    in length: Int, _ add: (WorldAction, UInt64) -> Void
  ) {
    var random = SeededGenerator(seed: seed, stream: 9)
    let chances = Double(length) / (interval * 1_000) * Double(replicas)
    func count(_ chance: Double?) -> Int {
      let expected = chances * (chance ?? 0)
      return Int(expected) + (random.happens(expected - expected.rounded(.down)) ? 1 : 0)
    }
    for _ in 0..<count(crash) {
      let down = UInt64(1 + random.below(downMax(in: length)))
      let place = random.below(replicas)
      add(.crash(place, .crash, draw: 0, down: down), UInt64(random.below(length)))
    }
    let pauseMax = Int(min(Double(Self.pauseIntervalsMax) * interval * 1_000, 1e12))
    for _ in 0..<count(pause) {
      let pause = UInt64(1 + random.below(max(pauseMax, 1)))
      add(.pause(random.below(replicas), length: pause), UInt64(random.below(length)))
    }
  }

  /// The longest time that a replica is down, in microseconds.
  private func downMax(in length: Int) -> Int {
    crashes.down.map { $0 * 1_000 } ?? min(max(length / 10, 1_000), 1_000_000)
  }

  private static func microseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000) }
}
