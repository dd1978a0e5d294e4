import CRDTStoreTesting

extension WorldSchedule {
  /// One of this many worlds has stores.
  private static var storeShare: Int { 60 }
  /// In one of this many worlds, a name may be used in two places.
  private static var forkShare: Int { 5 }
  /// One of this many worlds has apps and a server.
  private static var outboxShare: Int { 100 }
  /// One of this many worlds has a text.
  private static var textShare: Int { 12 }
  /// One of this many worlds that have none has a list.
  private static var listShare: Int { 12 }

  /// Draws a small world with faults of every class; of a style, or any, and where asked
  /// for with names that are used in two places.
  init(seed: UInt64, of wanted: WorldStyle? = nil, hasForks: Bool = false) {
    var random = SeededGenerator(seed: seed, stream: 5)
    self.seed = seed
    replicas = 2 + random.below(4)
    topology = Topology.allCases[random.below(Topology.allCases.count)]
    style = Self.drawStyle(&random)
    workload = Self.drawWorkload(&random)
    interval = UInt64(20_000 + random.below(60_000))
    conditions = Self.drawConditions(&random)
    settings = Self.drawSettings(&random)
    clocks = (0..<replicas).map { _ in
      WorldClock(offset: Int64(random.below(4_000)) - 2_000, drift: Int64(random.below(400)) - 200)
    }
    let length = 100_000 + random.below(200_000)
    drawEdits(length, &random)
    drawFaults(length, &random)
    drawPauses(length)
    drawForks(length, always: hasForks)
    steps.sort { $0.time < $1.time }
    sampling = 0.15
    settings.isMortal = settings.death > 0 || steps.contains { Self.isCrash($0.what) }
    var bytes = SeededGenerator(seed: seed, stream: 15)
    if bytes.below(5) == 0 { settings.decoding = 0.02 * Double(1 + bytes.below(20)) }
    // Drawn separately, so that worlds without stores don't change.
    var disks = SeededGenerator(seed: seed, stream: 12)
    let isOfStores = disks.below(Self.storeShare) == 0
    var apps = SeededGenerator(seed: seed, stream: 13)
    let isOfApps = apps.below(Self.outboxShare) == 0
    if let wanted {
      style = wanted
    } else if isOfStores {
      style = .store
    } else if isOfApps {
      style = .outbox
    }
    drawPositions()
    // So often that what is late in coming along a tree is asked for elsewhere.
    if style == .group { interval /= 4 }
    if style == .outbox { becomeApps() }
    if style.hasDisks { becomeStores(&disks) }
  }

  /// Lets the replicas write in a text or a list now and then, if the style lets them.
  ///
  /// Drawn separately, so that other worlds don't change.
  private mutating func drawPositions() {
    guard !style.hasDisks else { return }
    var random = SeededGenerator(seed: seed, stream: 18)
    var lists = SeededGenerator(seed: seed, stream: 19)
    if random.below(Self.textShare) == 0 {
      become(.text)
    } else if lists.below(Self.listShare) == 0 {
      become(.list)
    }
  }

  /// Lets the replicas write in a text or a list.
  mutating func become(_ workload: Workload) {
    self.workload = workload
    for place in steps.indices {
      guard case .edit(let node, let number) = steps[place].what else { continue }
      steps[place].what = .edit(node, number & ~(1 << 63))
    }
  }

  /// Lets a title be refused now and then, and another be written before it is sent again.
  ///
  /// Drawn separately, so that other worlds don't change.
  private mutating func becomeApps() {
    topology = .star
    var random = SeededGenerator(seed: seed, stream: 17)
    guard random.below(4) == 0 else { return }
    let app = 1 + random.below(replicas - 1)
    let key = UInt64(random.below(settings.keys))
    // So long that what was written is told, and answered.
    let gap = 8 * interval + 8 * conditions.latency
    let (refuse, allow, title) = (UInt64(4), UInt64(5), UInt64(4))
    var time = UInt64(random.below(200_000))
    for (place, kind) in [(0, refuse), (app, title), (0, allow), (app, title), (0, allow)] {
      let draw = kind << 40 | UInt64(random.below(1 << 20)) << 20
      let keys = UInt64(settings.keys)
      steps.append(Step(time: time, what: .edit(place, draw + (key + keys - draw % keys) % keys)))
      time += place == 0 ? 1_000 : gap
    }
    steps.sort { $0.time < $1.time }
  }

  /// Draws the conditions of stores: failing disks, and commits that don't wait for them.
  private mutating func becomeStores(_ random: inout SeededGenerator) {
    workload = random.below(3) == 0 ? .mixed : .notes
    settings.disks.relaxed = random.below(2) == 0 ? 0 : 0.5
    settings.disks.faults = random.below(3) == 0 ? 0.2 : 0
    settings.disks.compaction = random.below(3) == 0 ? 0 : 256 << random.below(4)
    drawAhead()
    for place in steps.indices {
      switch steps[place].what {
      case .edit(let node, let number):
        let bit: UInt64 = style == .store && workload == .mixed ? 1 << 63 : 0
        steps[place].what = .edit(node, number & ~(1 << 63) | bit)
      case .crash(let node, let kind, _, let down):
        steps[place].what = .crash(node, kind, draw: random.next() & ~(1 << 63), down: down)
      default: break
      }
    }
  }

  /// Lets some edits be made under a clock that is days to years ahead, where no older copy
  /// comes back and nothing fails while they are written anew.
  ///
  /// They are one replica's: the others refuse what is ahead, and write nothing of it anew.
  private mutating func drawAhead() {
    var random = SeededGenerator(seed: seed, stream: 16)
    let goesBack = steps.contains { step in
      switch step.what {
      case .crash(_, .restore, _, _), .crash(_, .inPlace, _, _), .copy: true
      default: false
      }
    }
    let isCalm = settings.death == 0 && settings.disks.faults == 0
    guard style == .store, isCalm, !goesBack, random.below(4) == 0 else { return }
    workload = .notes
    let edits = steps.indices.filter { if case .edit = steps[$0].what { true } else { false } }
    var writer: Int?
    for _ in 0..<1 + random.below(2) {
      let step = edits[random.below(edits.count)]
      guard case .edit(let node, let number) = steps[step].what, writer ?? node == node else {
        continue
      }
      writer = node
      let days = Int64(1) << random.below(11)
      steps[step].what = .editAhead(node, number & ~(1 << 63), by: days * 86_400_000)
    }
  }

  static func isCrash(_ what: WorldAction) -> Bool {
    if case .crash = what { true } else { false }
  }

  private static func drawStyle(_ random: inout SeededGenerator) -> WorldStyle {
    switch random.below(20) {
    case 0..<3: .session
    case 3, 4: .group
    default: .datagram
    }
  }

  private static func drawWorkload(_ random: inout SeededGenerator) -> Workload {
    switch random.below(20) {
    case 0..<12: .set
    case 12..<15: .map
    case 15..<18: .counter
    case 18: .notes
    default: .mixed
    }
  }

  private static func drawConditions(_ random: inout SeededGenerator) -> LinkConditions {
    func chance(_ most: Double) -> Double {
      random.below(2) == 0 ? 0 : most * Double(1 + random.below(100)) / 100
    }
    var conditions = LinkConditions()
    conditions.delay = 100 + random.below(30_000)
    conditions.jitter = random.below(2) == 0 ? 0 : random.below(20_000)
    conditions.bandwidth = random.below(4) == 0 ? 10_000 + random.below(100_000) : 0
    conditions.faults = LinkFaults(
      loss: chance(0.3), duplicate: chance(0.3), reorder: chance(0.3), corrupt: chance(0.2),
      cut: chance(0.1))
    conditions.lateMax = 1 + random.below(60_000)
    conditions.reconnectMax = 1 + random.below(60_000)
    return conditions
  }

  private static func drawSettings(_ random: inout SeededGenerator) -> NodeSettings {
    var settings = NodeSettings()
    settings.keys = 1 + random.below(6)
    settings.pieceMax = random.below(2) == 0 ? 0 : 8 + random.below(200)
    if random.below(2) == 0 { settings.limits = .small }
    settings.death = random.below(3) == 0 ? 0.05 : 0
    settings.inboxMax = random.below(4)
    settings.patience = 3 + random.below(4)
    settings.stall = random.below(3) == 0 ? 0.02 * Double(1 + random.below(10)) : 0
    return settings
  }

  private mutating func drawEdits(_ length: Int, _ random: inout SeededGenerator) {
    for _ in 0..<5 + random.below(21) {
      let place = random.below(replicas)
      var number = random.next()
      number = workload == .mixed ? number | 1 << 63 : number & ~(1 << 63)
      steps.append(Step(time: UInt64(random.below(length)), what: .edit(place, number)))
    }
  }

  private mutating func drawFaults(_ length: Int, _ random: inout SeededGenerator) {
    for _ in 0..<random.below(7) {
      let time = UInt64(random.below(length))
      let place = random.below(replicas)
      let span = UInt64(1 + random.below(100_000))
      let what: WorldAction =
        switch random.below(12) {
        case 0, 1: .cut(place, (place + 1) % replicas, pause: span)
        case 2, 3: .partition([[place]], length: span)
        case 4...6: .crash(place, .crash, draw: 0, down: span)
        case 7: .crash(place, .torn, draw: random.next() & ~(1 << 63), down: span)
        case 8: .crash(place, .restore, draw: 0, down: span)
        case 9: .jump(place, Int64(random.below(120_000)) - 60_000)
        case 10: replicas > 2 ? .leave(place) : .jump(place, 5_000)
        default: .join(place)
        }
      steps.append(Step(time: time, what: what))
    }
    keepOneJoinEach()
  }

  /// Pauses are drawn separately, so that the rest of a schedule doesn't change.
  private mutating func drawPauses(_ length: Int) {
    var random = SeededGenerator(seed: seed, stream: 11)
    for _ in 0..<random.below(3) {
      let pause = WorldAction.pause(
        random.below(replicas), length: UInt64(1 + random.below(100_000)))
      steps.append(Step(time: UInt64(random.below(length)), what: pause))
    }
  }

  /// The use of one name in two places is drawn separately, too.
  private mutating func drawForks(_ length: Int, always: Bool) {
    var random = SeededGenerator(seed: seed, stream: 14)
    guard random.below(Self.forkShare) == 0 || always else { return }
    let last = replicas - 1
    var isCopied = steps.contains { $0.what == .join(last) }
    for _ in 0..<1 + random.below(3) {
      let (time, place) = (UInt64(random.below(length)), random.below(replicas))
      let (draw, span) = (random.next() & ~(1 << 63), UInt64(1 + random.below(60_000)))
      var what = WorldAction.crash(place, .inPlace, draw: draw, down: span)
      if random.below(3) == 0, !isCopied, place != last {
        isCopied = true
        what = .copy(place, to: last, draw: draw)
      }
      steps.append(Step(time: time, what: what))
    }
  }

  /// A replica joins once, and at most all but one leave.
  private mutating func keepOneJoinEach() {
    var joined: Set<Int> = []
    var left: Set<Int> = []
    steps.removeAll { step in
      switch step.what {
      case .join(let place): !joined.insert(place).inserted
      case .leave(let place): left.count + 2 >= replicas || !left.insert(place).inserted
      default: false
      }
    }
  }
}
