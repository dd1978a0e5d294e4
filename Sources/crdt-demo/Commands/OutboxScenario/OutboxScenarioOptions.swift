/// What `crdt-demo outbox-scenario` is asked for.
struct OutboxScenarioOptions: Equatable {
  /// What the names and changes of records follow from.
  var seed: UInt64 = 1
  /// Whether events are printed as lines of JSON.
  var json = false

  init(_ arguments: Arguments) throws(UsageError) {
    try arguments.checkNoOperands()
    json = arguments.has("json")
    for case .option(let name, let text) in arguments.all {
      seed = try OptionValue(name: name, text: text).seed()
    }
  }

  /// The options that it takes, beside those that all commands do.
  static let known = [
    ArgumentScanner.Option(name: "seed", letter: "s"),
    ArgumentScanner.Option(name: "json", letter: "j", takesValue: false),
  ]
}
