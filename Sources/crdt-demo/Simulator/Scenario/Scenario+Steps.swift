import Toolkit

extension WorldSchedule.Step {
  /// The latest moment and the longest time of a step, in microseconds.
  static let timeMax = 1_000_000_000_000

  /// Reads a step of a scenario: a time and one event.
  init(from reader: inout ScenarioReader) throws(JSONFailure) {
    var (time, length, change) = (0, 1, 0)
    var draw: UInt64 = 0
    var kind = CrashKind.crash
    try reader.integer("time", in: 0...Self.timeMax, &time)
    try reader.integer("for", in: 1...Self.timeMax, &length)
    try reader.integer("by", in: -60_000...60_000, &change)
    try reader.seed("draw", &draw)
    try reader.choice("kind", &kind)
    var found: [WorldAction] = []
    var ahead = 0
    try reader.integer("ahead", in: 1...Self.timeMax, &ahead)
    if let place = try reader.place("edit") {
      found.append(
        ahead > 0 ? .editAhead(place, draw, by: Int64(ahead)) : .edit(place, draw))
    }
    if let ends = try reader.pair("cut") {
      found.append(.cut(ends.0, ends.1, pause: UInt64(length)))
    }
    let groups = try reader.groups("partition")
    if !groups.isEmpty { found.append(.partition(groups, length: UInt64(length))) }
    if let place = try reader.place("crash") {
      found.append(.crash(place, kind, draw: draw & ~(1 << 63), down: UInt64(length)))
    }
    if let place = try reader.place("join") { found.append(.join(place)) }
    if let ends = try reader.pair("copy") {
      found.append(.copy(ends.0, to: ends.1, draw: draw & ~(1 << 63)))
    }
    if let place = try reader.place("leave") { found.append(.leave(place)) }
    if let place = try reader.place("pause") {
      found.append(.pause(place, length: UInt64(length)))
    }
    if let place = try reader.place("jump") { found.append(.jump(place, Int64(change))) }
    try reader.finish()
    guard found.count == 1 else {
      throw reader.refusal(
        "a step is one of edit, cut, partition, crash, join, copy, leave, pause, jump")
    }
    self.init(time: UInt64(time), what: found[0])
  }

  /// The file form of the step.
  var json: JSONValue {
    .object([("time", .unsigned(time))] + members)
  }

  private var members: [(name: String, value: JSONValue)] {
    switch what {
    case .edit(let place, let draw): [("edit", .integer(place)), ("draw", .unsigned(draw))]
    case .editAhead(let place, let draw, let ahead):
      [
        ("edit", .integer(place)), ("draw", .unsigned(draw)), ("ahead", .integer(Int(ahead))),
      ]
    case .cut(let one, let other, let pause):
      [("cut", .array([.integer(one), .integer(other)])), ("for", .unsigned(pause))]
    case .partition(let groups, let length):
      [
        ("partition", .array(groups.map { .array($0.map(JSONValue.integer)) })),
        ("for", .unsigned(length)),
      ]
    case .crash(let place, let kind, let draw, let down):
      [
        ("crash", .integer(place)), ("kind", .string(kind.rawValue)), ("draw", .unsigned(draw)),
        ("for", .unsigned(down)),
      ]
    case .join(let place): [("join", .integer(place))]
    case .copy(let source, let place, let draw):
      [("copy", .array([.integer(source), .integer(place)])), ("draw", .unsigned(draw))]
    case .leave(let place): [("leave", .integer(place))]
    case .pause(let place, let length): [("pause", .integer(place)), ("for", .unsigned(length))]
    case .jump(let place, let change):
      [("jump", .integer(place)), ("by", .integer(Int(change)))]
    // The world adds them by itself.
    case .heal, .restart, .resume, .collapse: []
    }
  }
}

extension Scenario {
  var problemOfSteps: String? {
    guard let steps else { return nil }
    let places = steps.flatMap { step in
      if case .partition(let groups, _) = step.what { return groups.flatMap { $0 } }
      return WorldSchedule.places(in: step.what)
    }
    if let stranger = places.first(where: { $0 >= replicas }) {
      return "there is no replica \(stranger): the last is \(replicas - 1)"
    }
    var (joined, left) = (Set<Int>(), Set<Int>())
    for step in steps {
      switch step.what {
      case .join(let place), .copy(_, let place, _):
        guard joined.insert(place).inserted else { return "a replica can't join twice" }
      case .leave(let place): left.insert(place)
      default: break
      }
    }
    if style == .outbox, joined.contains(0) || left.contains(0) {
      return "replica 0 is the server, which neither joins nor leaves"
    }
    let isAhead = steps.contains { if case .editAhead = $0.what { true } else { false } }
    if isAhead, style != .store || workload != .notes {
      return "an edit that is ahead needs the style store and the workload notes"
    }
    if left.count == replicas { return "not all replicas can leave" }
    return zip(steps, steps.dropFirst()).allSatisfy { $0.time <= $1.time }
      ? nil : "steps must be in the order of their times"
  }
}
