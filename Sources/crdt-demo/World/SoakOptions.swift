/// What `crdt-demo soak` is asked for.
struct SoakOptions: Equatable {
  /// The seed of the first schedule; those after it have the numbers that follow.
  var seed: UInt64 = 1
  /// How many schedules are played at most.
  var schedules: Int?
  var minutes: Double?
  /// How many are played at a time.
  var lanes = 1
  var isQuiet = false
  /// The style of all worlds; `nil` for any.
  var style: WorldStyle?
  var sabotage = WorldSabotage.none

  static let known = [
    ArgumentScanner.Option(name: "seed", letter: "s"),
    ArgumentScanner.Option(name: "schedules", letter: "n"),
    ArgumentScanner.Option(name: "minutes", letter: "m"),
    ArgumentScanner.Option(name: "lanes", letter: "l"),
    ArgumentScanner.Option(name: "style"),
    ArgumentScanner.Option(name: "sabotage"),
    ArgumentScanner.Option(name: "quiet", letter: "q", takesValue: false),
  ]

  init() {}

  init(_ arguments: Arguments) throws(UsageError) {
    try arguments.checkNoOperands()
    isQuiet = arguments.has("quiet")
    for (name, text) in arguments.options where name != "quiet" { try set(name, to: text) }
    try check()
  }

  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "seed": seed = try value.seed()
    case "schedules": schedules = try value.integer(in: 1...1_000_000_000_000)
    case "minutes": minutes = try value.number(in: 0.001...1e6)
    case "style": style = try value.choice(of: WorldStyle.self)
    case "sabotage": sabotage = try value.choice(of: WorldSabotage.self)
    default: lanes = try value.integer(in: 1...256)
    }
  }

  /// Refuses what doesn't go together.
  private func check() throws(UsageError) {
    if let style, !sabotage.fits(style) {
      throw UsageError("worlds of the style \(style) can't be sabotaged by \(sabotage.rawValue)")
    }
  }

  /// A run that has played nothing yet.
  var run: SoakRun { SoakRun(style: style, sabotage: sabotage) }
}
