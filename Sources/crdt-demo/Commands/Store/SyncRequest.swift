/// With what `crdt-demo store sync` is to bring a store in sync, and for how long.
struct SyncRequest: Equatable {
  /// What the store is brought in sync with.
  enum Partner: Equatable {
    /// A folder that others sync with as well.
    case folder(String)
    /// Another store on this machine.
    case store(String)
    /// A store that a command serves on its standard input and output, which may
    /// neither say nor take a byte for so many seconds.
    case command(String, timeoutSeconds: Int)
  }

  var partner: Partner
  /// Whether the two are one document from now on, should they be of different ones.
  var joins = false
  /// How many seconds to wait after a round before the next; `nil` for one round.
  var pauseSeconds: Int?
}

extension SyncRequest {
  static let options = [
    ArgumentScanner.Option(name: "folder"), ArgumentScanner.Option(name: "with"),
    ArgumentScanner.Option(name: "command"),
    ArgumentScanner.Option(name: "timeout"),
    ArgumentScanner.Option(name: "watch", letter: "w", takesValue: false),
    ArgumentScanner.Option(name: "every"),
    ArgumentScanner.Option(name: "join", takesValue: false),
  ]

  /// Understands the values of options by their names; flags have an empty one.
  init(_ values: [String: String]) throws(UsageError) {
    partner = try Partner(values)
    let pause = try values["every"].map { (text) throws(UsageError) in
      try OptionValue(name: "every", text: text).integer(in: 1...86_400)
    }
    guard values["watch"] != nil || pause == nil else {
      throw UsageError("'--every' is for '--watch'")
    }
    pauseSeconds = values["watch"] == nil ? nil : pause ?? 5
    joins = values["join"] != nil
    // Whatever comes later was not meant.
    guard !joins || pauseSeconds == nil else {
      throw UsageError("'--join' is for one round: join, then watch")
    }
  }
}

extension SyncRequest.Partner {
  /// For how long a command may be silent unless something else is said: the store is
  /// locked meanwhile.
  private static let usualTimeoutSeconds = 30

  /// Understands the values of options by their names, of which one says who it is.
  init(_ values: [String: String]) throws(UsageError) {
    var partners: [Self] = []
    if let path = values["folder"] { partners.append(.folder(path)) }
    if let path = values["with"] { partners.append(.store(path)) }
    let timeout = try values["timeout"].map { (text) throws(UsageError) in
      try OptionValue(name: "timeout", text: text).integer(in: 1...86_400)
    }
    if let command = values["command"] {
      partners.append(
        .command(command, timeoutSeconds: timeout ?? Self.usualTimeoutSeconds))
    } else if timeout != nil {
      throw UsageError("'--timeout' is for '--command'")
    }
    guard let partner = partners.first, partners.count == 1 else {
      throw UsageError("give one of --folder, --with and --command")
    }
    for name in ["folder", "with", "command"] where values[name] == "" {
      throw UsageError("the value of '--\(name)' is empty")
    }
    self = partner
  }
}
