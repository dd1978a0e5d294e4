import Toolkit

extension Scenario {
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
    var members: [(name: String, value: JSONValue)] = [
      ("engine", .string(engine.rawValue)), ("replicas", .integer(replicas)),
      ("topology", .string(topology.description)), ("workload", .string(workload.rawValue)),
      ("style", .string(style.rawValue)), ("operations", .integer(operations)),
      ("rate", .number(rate)), ("interval", .number(interval)), ("keys", .integer(keys)),
      ("seed", .unsigned(seed)), ("links", links.json),
      ("clocks", .object([("skew", .integer(clocks.skew)), ("drift", .integer(clocks.drift))])),
      ("crashes", .object([("death", .number(crashes.death))])),
    ]
    if disks != DiskSettings() { members.append(("disks", disks.json)) }
    if let sabotage { members.append(("sabotage", .string("\(sabotage)"))) }
    if let decoding { members.append(("decoding", .number(decoding))) }
    if let checks { members.append(("checks", .number(checks))) }
    if let steps { members.append(("steps", .array(steps.map(\.json)))) }
    return .object(members)
  }
}

extension DiskSettings {
  fileprivate var json: JSONValue {
    .object([
      ("relaxed", .number(relaxed)), ("faults", .number(faults)),
      ("compaction", .integer(compaction)),
    ])
  }
}

extension LinkConditions {
  fileprivate var json: JSONValue {
    func milliseconds(_ microseconds: Int) -> JSONValue { .number(Double(microseconds) / 1_000) }
    return .object([
      ("delay", milliseconds(delay)), ("jitter", milliseconds(jitter)),
      ("bandwidth", .integer(bandwidth)), ("late", milliseconds(lateMax)),
      ("reconnect", milliseconds(reconnectMax)), ("loss", .number(faults.loss)),
      ("duplicate", .number(faults.duplicate)), ("reorder", .number(faults.reorder)),
      ("corrupt", .number(faults.corrupt)), ("cut", .number(faults.cut)),
    ])
  }
}
