import Toolkit

extension Scenario {
  /// The size limit of a scenario file in bytes.
  static let sizeMax = 4 << 20
  static let replicasMax = 1_000
  static let operationsMax = 20_000_000
  /// The latest time in a scenario, in seconds.
  static let secondsMax = 1_000_000.0

  /// Reads a scenario from JSON; missing fields have their defaults.
  ///
  /// It does not check that the fields are consistent, because flags may still change them.
  init(parsing bytes: [UInt8]) throws(JSONFailure) {
    let text = try JSONText(parsing: bytes)
    var reader = try ScenarioReader(text, text.root)
    self.init()
    try reader.choice("engine", &engine)
    try reader.integer("replicas", in: 2...Self.replicasMax, &replicas)
    try reader.topology("topology", &topology)
    try reader.choice("workload", &workload)
    try reader.choice("style", &style)
    history = try reader.string("history")
    try reader.integer("operations", in: 0...Self.operationsMax, &operations)
    try reader.number("rate", in: 0.001...1e9, &rate)
    try reader.number("interval", in: 0.001...1e6, &interval)
    try reader.integer("keys", in: 1...1_000_000, &keys)
    try reader.seed("seed", &seed)
    if var links = try reader.object("links") { try self.links.read(from: &links) }
    for var partition in try reader.objects("partitions") {
      partitions.append(try Partition(from: &partition))
    }
    if var clocks = try reader.object("clocks") { try self.clocks.read(from: &clocks) }
    crash = try reader.chance("crash")
    pause = try reader.chance("pause")
    if var crashes = try reader.object("crashes") { try self.crashes.read(from: &crashes) }
    for var join in try reader.objects("joins") { joins.append(try MembershipChange(from: &join)) }
    for var leave in try reader.objects("leaves") {
      leaves.append(try MembershipChange(from: &leave))
    }
    if var disks = try reader.object("disks") { try self.disks.read(from: &disks) }
    try reader.sabotage("sabotage", &sabotage)
    decoding = try reader.chance("decoding")
    checks = try reader.chance("checks")
    let steps = try reader.objects("steps")
    if !steps.isEmpty { self.steps = [] }
    for var step in steps { self.steps?.append(try WorldSchedule.Step(from: &step)) }
    try reader.finish()
  }
}

extension LinkConditions {
  fileprivate mutating func read(from reader: inout ScenarioReader) throws(JSONFailure) {
    try reader.milliseconds("delay", upTo: 1e6, &delay)
    try reader.milliseconds("jitter", upTo: 1e6, &jitter)
    try reader.integer("bandwidth", in: 0...1_000_000_000_000, &bandwidth)
    try reader.number("loss", in: 0...1, &faults.loss)
    try reader.number("duplicate", in: 0...1, &faults.duplicate)
    try reader.number("reorder", in: 0...1, &faults.reorder)
    try reader.number("corrupt", in: 0...1, &faults.corrupt)
    try reader.number("cut", in: 0...1, &faults.cut)
    try reader.milliseconds("late", upTo: 1e6, &lateMax)
    try reader.milliseconds("reconnect", upTo: 1e6, &reconnectMax)
    try reader.finish()
  }
}

extension Scenario.Partition {
  fileprivate init(from reader: inout ScenarioReader) throws(JSONFailure) {
    self.init(from: 0, to: 0, groups: [])
    try reader.number("from", in: 0...Scenario.secondsMax, &from)
    try reader.number("to", in: 0...Scenario.secondsMax, &to)
    groups = try reader.groups("groups")
    try reader.finish()
  }
}

extension Scenario.Clocks {
  fileprivate mutating func read(from reader: inout ScenarioReader) throws(JSONFailure) {
    // Replicas refuse stamps of clocks that are five minutes ahead.
    try reader.integer("skew", in: 0...60_000, &skew)
    try reader.integer("drift", in: 0...10_000, &drift)
    try reader.integer("jumps", in: 0...1_000, &jumps)
    try reader.integer("jump", in: 0...60_000, &jump)
    try reader.finish()
  }
}

extension Scenario.Crashes {
  fileprivate mutating func read(from reader: inout ScenarioReader) throws(JSONFailure) {
    try reader.integer("count", in: 0...100_000, &count)
    try reader.integer("torn", in: 0...100_000, &torn)
    try reader.integer("restores", in: 0...1_000, &restores)
    var down = 0
    try reader.integer("down", in: 1...1_000_000, &down)
    if down > 0 { self.down = down }
    try reader.number("death", in: 0...0.5, &death)
    try reader.finish()
  }
}

extension DiskSettings {
  fileprivate mutating func read(from reader: inout ScenarioReader) throws(JSONFailure) {
    try reader.number("relaxed", in: 0...1, &relaxed)
    try reader.number("faults", in: 0...1, &faults)
    try reader.integer("compaction", in: 0...1_000_000_000, &compaction)
    try reader.finish()
  }
}

extension Scenario.MembershipChange {
  fileprivate init(from reader: inout ScenarioReader) throws(JSONFailure) {
    self.init(at: 0, replica: 0)
    try reader.number("at", in: 0...Scenario.secondsMax, &at)
    try reader.integer("replica", in: 0...Scenario.replicasMax - 1, &replica)
    try reader.finish()
  }
}
