/// A command of the program: its usage, its help and its action.
package protocol Command {
  static var name: String { get }
  /// What follows the name when it is called.
  static var operands: String { get }
  static var help: String { get }
  /// What it means if its exit status is 0, and if it is 1, which some never have.
  static var statuses: String { get }

  /// The options that it takes, whatever follows its name.
  static var options: [ArgumentScanner.Option] { get }

  /// The options that it takes, given the words after its name; ``options`` by default.
  static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option]

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus
}

extension Command {
  package static var options: [ArgumentScanner.Option] { [] }

  package static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option] {
    options
  }

  /// How it is called.
  package static var usage: String { "\(Console.name) \(name) \(operands)" }

  /// All that the help says of it.
  package static var page: String {
    """
    Usage: \(usage)
    \(help)

      -h, --help             show this help and exit

    Exit status: \(statuses)
    2 if something went wrong (a file, a pipe, a process), 64 if the command line
    can't be understood.

    """
  }
}

/// The parsed arguments of a command.
package struct Arguments: Equatable {
  /// Options that all commands take.
  package static let commonOptions: [ArgumentScanner.Option] = [
    .flag("help", "h"), .flag("version", "V"),
  ]

  /// All of it, in order.
  package private(set) var all: [ArgumentScanner.Argument] = []

  /// Parses words up to one that requests something else.
  package init(
    _ words: some Sequence<String>, options: [ArgumentScanner.Option]
  ) throws(UsageError) {
    var scanner = ArgumentScanner(words, options: options)
    while let argument = try scanner.next() {
      all.append(argument)
      if isHelp || isVersion { return }
    }
  }

  /// Parses the words after a command's name.
  package init(_ words: ArraySlice<String>, of command: any Command.Type) throws(UsageError) {
    try self.init(words, options: try command.options(for: words) + Self.commonOptions)
  }

  /// Whether help was asked for, or the version.
  package var isHelp: Bool { all.last == .flag(name: "help") }
  package var isVersion: Bool { all.last == .flag(name: "version") }

  package var operands: [String] {
    all.compactMap { if case .operand(let text) = $0 { text } else { nil } }
  }

  /// Options in the order given; flags have an empty value.
  package var options: [(name: String, value: String)] {
    all.compactMap {
      switch $0 {
      case .flag(let name): (name, "")
      case .option(let name, let value): (name, value)
      case .operand: nil
      }
    }
  }

  /// The last value of each option.
  package var values: [String: String] {
    Dictionary(options.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The last value of an option, if it was given.
  package subscript(name: String) -> OptionValue? {
    values[name].map { OptionValue(name: name, text: $0) }
  }

  /// Whether a flag was given.
  package func has(_ flag: String) -> Bool { all.contains(.flag(name: flag)) }

  /// The only operand; a message names one that is missing.
  package func operand(_ name: String) throws(UsageError) -> String {
    guard let operand = operands.first else { throw UsageError("missing \(name)") }
    guard operands.count == 1 else { throw UsageError("extra operand '\(operands[1])'") }
    return operand
  }

  /// Throws if there are operands.
  package func checkNoOperands() throws(UsageError) {
    if let operand = operands.first { throw UsageError("extra operand '\(operand)'") }
  }
}

/// The operands of a command, as the help names them: one in brackets may be left out,
/// and one that ends in `...` may be there several times.
package struct OperandNames: ExpressibleByArrayLiteral {
  private let names: [String]

  package init(arrayLiteral names: String...) {
    self.names = names
  }

  /// Throws if there are too few or too many operands.
  package func check(_ words: [String]) throws(UsageError) {
    let required = names.filter { !$0.hasPrefix("[") }
    guard words.count >= required.count else {
      let name = required[words.count]
      throw UsageError("missing operand \(name.hasSuffix("...") ? String(name.dropLast(3)) : name)")
    }
    let takesMore = names.last?.hasSuffix("...") ?? false
    guard takesMore || words.count <= names.count else {
      throw UsageError("extra operand '\(words[names.count])'")
    }
  }
}
