import Toolkit

/// A field of a ``Scenario`` that a file and usually an option set.
struct ScenarioField {
  enum Kind {
    case integer(ClosedRange<Int>, WritableKeyPath<Scenario, Int>)
    case number(ClosedRange<Double>, WritableKeyPath<Scenario, Double>)
    case chance(WritableKeyPath<Scenario, Double?>)
    /// A time in milliseconds, which the scenario has in microseconds.
    case milliseconds(WritableKeyPath<Scenario, Int>)
    case seed(WritableKeyPath<Scenario, UInt64>)
    /// A text; `set` returns `nil` if the text is invalid.
    case text(wanted: String, set: (inout Scenario, String) -> Void?, get: (Scenario) -> String?)
  }

  /// The object of the file that it is in; empty for the scenario itself.
  var object: String
  var name: String
  var kind: Kind

  /// The option that sets it, if any: with its name unless that says too little.
  var option: String? {
    switch name {
    case "decoding", "late", "reconnect", "torn", "down", "relaxed", "faults", "compaction": nil
    case "operations": "ops"
    case "count": "crashes"
    case "death": "deaths"
    default: name
    }
  }

  /// Whether it is part of the file form of a shrunken run, whose steps stand for the rest.
  var isSaved: Bool {
    !["jumps", "jump", "count", "torn", "restores", "down"].contains(name)
  }

  /// All fields, in the order of a saved file.
  static var all: [ScenarioField] {
    let chances = 0.0...1.0
    let fields: [(path: String, kind: Kind)] = [
      ("engine", choice(\.engine)),
      ("replicas", .integer(2...Scenario.maximumReplicas, \.replicas)),
      ("topology", topology),
      ("workload", choice(\.workload)),
      ("style", choice(\.style)),
      ("history", .text(wanted: "a text", set: { $0.history = $1 }, get: \.history)),
      ("operations", .integer(0...Scenario.operationsMax, \.operations)),
      ("rate", .number(0.001...1e9, \.rate)),
      ("interval", .number(0.001...1e6, \.interval)),
      ("keys", .integer(1...1_000_000, \.keys)),
      ("seed", .seed(\.seed)),
      ("crash", .chance(\.crash)),
      ("pause", .chance(\.pause)),
      ("sabotage", sabotage),
      ("decoding", .chance(\.decoding)),
      ("checks", .chance(\.checks)),
      ("links.delay", .milliseconds(\.links.delay)),
      ("links.jitter", .milliseconds(\.links.jitter)),
      ("links.bandwidth", .integer(0...1_000_000_000_000, \.links.bandwidth)),
      ("links.late", .milliseconds(\.links.lateMax)),
      ("links.reconnect", .milliseconds(\.links.reconnectMax)),
      ("links.loss", .number(chances, \.links.faults.loss)),
      ("links.duplicate", .number(chances, \.links.faults.duplicate)),
      ("links.reorder", .number(chances, \.links.faults.reorder)),
      ("links.corrupt", .number(chances, \.links.faults.corrupt)),
      ("links.cut", .number(chances, \.links.faults.cut)),
      // Replicas refuse stamps of clocks that are five minutes ahead.
      ("clocks.skew", .integer(0...60_000, \.clocks.skew)),
      ("clocks.drift", .integer(0...10_000, \.clocks.drift)),
      ("clocks.jumps", .integer(0...1_000, \.clocks.jumps)),
      ("clocks.jump", .integer(0...60_000, \.clocks.jump)),
      ("crashes.count", .integer(0...100_000, \.crashes.count)),
      ("crashes.torn", .integer(0...100_000, \.crashes.torn)),
      ("crashes.restores", .integer(0...1_000, \.crashes.restores)),
      ("crashes.down", .integer(1...1_000_000, \.crashes.downOrZero)),
      ("crashes.death", .number(0...0.5, \.crashes.death)),
      ("disks.relaxed", .number(chances, \.disks.relaxed)),
      ("disks.faults", .number(chances, \.disks.faults)),
      ("disks.compaction", .integer(0...1_000_000_000, \.disks.compaction)),
    ]
    return fields.map { path, kind in
      let names = path.split(separator: ".").map(String.init)
      return ScenarioField(
        object: names.count > 1 ? names[0] : "", name: names[names.count - 1], kind: kind)
    }
  }

  /// The objects of a file that hold fields.
  static let objects = ["", "links", "clocks", "crashes", "disks"]

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ path: WritableKeyPath<Scenario, Choice>
  ) -> Kind {
    .text(
      wanted: "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "),
      set: { scenario, text in Choice(rawValue: text).map { scenario[keyPath: path] = $0 } },
      get: { $0[keyPath: path].rawValue })
  }

  private static var topology: Kind {
    .text(
      wanted: Topology.forms,
      set: { scenario, text in Topology(text).map { scenario.topology = $0 } },
      get: \.topology.description)
  }

  private static var sabotage: Kind {
    .text(
      wanted: FaultInjection.forms,
      set: { scenario, text in
        scenario.sabotage = FaultInjection(text)
        return scenario.sabotage == nil && text != "none" ? nil : ()
      }, get: \.sabotage?.description)
  }

  /// The value of the field in a file; `nil` if it has none.
  func json(of scenario: Scenario) -> JSONValue? {
    switch kind {
    case .integer(_, let path): .integer(scenario[keyPath: path])
    case .number(_, let path): .number(scenario[keyPath: path])
    case .chance(let path): scenario[keyPath: path].map { .number($0) }
    case .milliseconds(let path): .number(Double(scenario[keyPath: path]) / 1_000)
    case .seed(let path): .unsigned(scenario[keyPath: path])
    case .text(_, _, let get): get(scenario).map { .string($0) }
    }
  }

  /// Sets the field to the value of an option.
  func set(_ scenario: inout Scenario, to value: OptionValue) throws(UsageError) {
    switch kind {
    case .integer(let range, let path): scenario[keyPath: path] = try value.integer(in: range)
    case .number(let range, let path): scenario[keyPath: path] = try value.number(in: range)
    case .chance(let path): scenario[keyPath: path] = try value.number(in: 0...1)
    case .milliseconds(let path):
      scenario[keyPath: path] = Int((try value.number(in: 0...1e6) * 1_000).rounded())
    case .seed(let path): scenario[keyPath: path] = try value.seed()
    case .text(let wanted, let set, _):
      guard set(&scenario, value.text) != nil else { throw value.invalid(wanted) }
    }
  }
}

extension Scenario.Crashes {
  fileprivate var downOrZero: Int {
    get { down ?? 0 }
    set { down = newValue == 0 ? nil : newValue }
  }
}
