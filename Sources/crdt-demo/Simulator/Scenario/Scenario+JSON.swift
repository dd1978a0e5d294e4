import Toolkit

extension Scenario {
  /// The size limit of a scenario file in bytes.
  static let sizeMax = 4 << 20
  static let maximumReplicas = 1_000
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
    for object in ScenarioField.objects {
      let fields = ScenarioField.all.filter { $0.object == object }
      if object.isEmpty {
        for field in fields { try reader.read(field, into: &self) }
      } else if var inner = try reader.object(object) {
        for field in fields { try inner.read(field, into: &self) }
        try inner.finish()
      }
    }
    for var partition in try reader.objects("partitions") {
      partitions.append(try Partition(from: &partition))
    }
    for var join in try reader.objects("joins") { joins.append(try MembershipChange(from: &join)) }
    for var leave in try reader.objects("leaves") {
      leaves.append(try MembershipChange(from: &leave))
    }
    let steps = try reader.objects("steps")
    if !steps.isEmpty { self.steps = [] }
    for var step in steps { self.steps?.append(try WorldSchedule.Step(from: &step)) }
    try reader.finish()
  }

  /// The greatest number of steps in a file.
  static let stepsMax = 1_000

  /// The scenario that plays a schedule which was made of another and then made smaller,
  /// step by step as it is.
  ///
  /// What of a schedule no scenario says is as in the other.
  init(saying schedule: WorldSchedule, madeOf original: Scenario) {
    self = original
    (replicas, topology, workload) = (schedule.replicas, schedule.topology, schedule.workload)
    (links, keys, checks) = (schedule.conditions, schedule.settings.keys, schedule.sampling)
    if schedule.clocks.isEmpty { (clocks.skew, clocks.drift) = (0, 0) }
    (history, crash, pause, clocks.jumps) = (nil, nil, nil, 0)
    crashes = Crashes(death: schedule.settings.death)
    disks = schedule.settings.disks
    decoding = schedule.settings.decoding > 0 ? schedule.settings.decoding : nil
    (partitions, joins, leaves) = ([], [], [])
    steps = schedule.steps
    operations = schedule.steps.count { if case .edit = $0.what { true } else { false } }
  }

  /// The file form of a world's scenario.
  var json: JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    for object in ScenarioField.objects where object != "disks" || disks != DiskSettings() {
      let fields = ScenarioField.all.filter { $0.object == object && $0.isSaved }
        .compactMap { field in field.json(of: self).map { (name: field.name, value: $0) } }
      members += object.isEmpty ? fields : [(object, .object(fields))]
    }
    if let steps { members.append(("steps", .array(steps.map(\.json)))) }
    return .object(members)
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

extension Scenario.MembershipChange {
  fileprivate init(from reader: inout ScenarioReader) throws(JSONFailure) {
    self.init(at: 0, replica: 0)
    try reader.number("at", in: 0...Scenario.secondsMax, &at)
    try reader.integer("replica", in: 0...Scenario.maximumReplicas - 1, &replica)
    try reader.finish()
  }
}

extension Scenario.Partition: LosslessStringConvertible {
  /// Parses `FROM-TO:A,B/C,D`: seconds, and groups of replicas counted from 0.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let times = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2, let from = Scenario.seconds(times[0]),
      let to = Scenario.seconds(times[1])
    else { return nil }
    var groups: [[Int]] = []
    for group in parts[1].split(separator: "/", omittingEmptySubsequences: false) {
      let names = group.split(separator: ",", omittingEmptySubsequences: false)
      let places = names.compactMap(Scenario.place)
      guard places.count == names.count else { return nil }
      groups.append(places)
    }
    self.init(from: from, to: to, groups: groups)
  }

  var description: String {
    let groups = groups.map { $0.map(String.init).joined(separator: ",") }
    return "\(OptionValue.short(from))-\(OptionValue.short(to)):\(groups.joined(separator: "/"))"
  }

  /// Groups in words, replicas counted from 1.
  static func words(_ groups: [[Int]]) -> String {
    groups.map { $0.map { "\($0 + 1)" }.joined(separator: " ") }.joined(separator: " | ")
  }
}

extension Scenario.MembershipChange: LosslessStringConvertible {
  /// Parses `SECONDS:REPLICA`, with replicas counted from 0.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let at = Scenario.seconds(parts[0]),
      let replica = Scenario.place(parts[1])
    else { return nil }
    self.init(at: at, replica: replica)
  }

  var description: String { "\(OptionValue.short(at)):\(replica)" }
}

extension Scenario {
  fileprivate static func seconds(_ text: Substring) -> Double? {
    Double(text).flatMap { (0...secondsMax).contains($0) ? $0 : nil }
  }

  fileprivate static func place(_ text: Substring) -> Int? {
    Int(text).flatMap { (0..<maximumReplicas).contains($0) ? $0 : nil }
  }
}
