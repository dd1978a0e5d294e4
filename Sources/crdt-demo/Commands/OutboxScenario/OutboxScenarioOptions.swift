/// What `crdt-demo outbox-scenario` is asked for.
struct OutboxScenarioOptions: Equatable {
  /// What the names and changes of records follow from.
  var seed: UInt64 = 1
  /// Whether events are printed as lines of JSON.
  var json = false

  /// The options that it takes, beside those that all commands do.
  static let known = [
    ArgumentScanner.Option(name: "seed", letter: "s"),
    ArgumentScanner.Option(name: "json", letter: "j", takesValue: false),
  ]
}
