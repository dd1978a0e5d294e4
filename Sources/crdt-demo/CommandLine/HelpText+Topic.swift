extension HelpText {
  /// A command that help can be asked for.
  enum Topic: String, CaseIterable {
    case simulate, soak, trace, experiment, replay, merge, convert, store, serve, notes
    case outboxScenario = "outbox-scenario"
  }
}

extension HelpText.Topic {
  /// How it is called.
  var usage: String {
    switch self {
    case .simulate, .soak, .outboxScenario: "crdt-demo \(rawValue) [OPTION]..."
    case .trace: "crdt-demo trace [OPTION]... FILE [FILE]"
    case .experiment: "crdt-demo experiment NAME [OPTION]..."
    case .replay, .convert: "crdt-demo \(rawValue) [OPTION]... FILE"
    case .merge: "crdt-demo merge [OPTION]... BASE OURS THEIRS"
    case .store: "crdt-demo store COMMAND DIR [ARGUMENT]..."
    case .serve: "crdt-demo serve [OPTION]... DIR"
    case .notes: "crdt-demo notes [-s DIR] COMMAND [ARGUMENT]..."
    }
  }

  /// What there is to say of it.
  var text: String {
    switch self {
    case .simulate: HelpText.simulate + "\n\n" + HelpText.world
    case .soak: HelpText.soak
    case .trace: HelpText.trace
    case .experiment: HelpText.experiment
    case .replay: HelpText.replay
    case .merge: HelpText.merge
    case .convert: HelpText.convert
    case .store: HelpText.store
    case .serve: HelpText.serve
    case .notes: HelpText.notes
    case .outboxScenario: HelpText.outboxScenario
    }
  }

  /// What it means if its exit status is 0, and if it is 1, which some never have.
  private var statuses: String {
    switch self {
    case .simulate:
      "0 if the replicas converged, 1 if they did not, or if a world\n"
        + "found something that never may be,"
    case .soak: "0 if no fault was found, 1 if one was,"
    case .trace: "0 if it was shown or two are equal, 1 if two differ,"
    case .experiment:
      "0 if all was met, 1 if a published ratio was missed or replicas\ndid not agree,"
    case .replay: "0 if all lanes converged, 1 if they did not,"
    case .merge: "0 if it was merged, 1 if there are conflicts,"
    case .convert, .serve: "0 if it was done,"
    case .store:
      "0 if it was done, 1 if the store has not what it was asked for or\n"
        + "isn't sound, or a rule kept a field from being written,"
    case .notes: "0 if it was done, 1 if what was asked for is not so or not allowed,"
    case .outboxScenario: "0 if the server has what the app has, 1 if it has not,"
    }
  }

  /// The whole page.
  var page: String {
    """
    Usage: \(usage)
    \(text)

      -h, --help             show this help and exit

    Exit status: \(statuses)
    2 if something went wrong (a file, a pipe, a process), 64 if the command line
    can't be understood.

    """
  }
}
