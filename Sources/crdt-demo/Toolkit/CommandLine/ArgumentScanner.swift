/// Parses a command line like `getopt_long`, with operands and options in any order.
///
/// It accepts `--seed=7`, `--seed 7`, `-s7`, `-s 7` and `-qs7`. A long option may be
/// abbreviated to a unique prefix. Everything after `--` is an operand.
package struct ArgumentScanner {
  /// An option that a command knows.
  package struct Option {
    package var name: String
    package var letter: Character?
    package var takesValue = true

    package init(name: String, letter: Character? = nil, takesValue: Bool = true) {
      (self.name, self.letter, self.takesValue) = (name, letter, takesValue)
    }
  }

  /// A piece of the command line.
  package enum Argument: Equatable {
    case option(name: String, value: String)
    case flag(name: String)
    case operand(String)
  }

  private let options: [Option]
  /// The remaining words.
  package private(set) var words: ArraySlice<String>
  private var letters: Substring = ""
  private var onlyOperandsFollow = false

  package init(_ words: some Sequence<String>, options: [Option]) {
    self.words = ArraySlice(words)
    self.options = options
  }

  /// The next piece, or `nil` after the last.
  package mutating func next() throws(UsageError) -> Argument? {
    if !letters.isEmpty { return try shortOption() }
    guard let word = words.popFirst() else { return nil }
    if onlyOperandsFollow || !word.hasPrefix("-") || word == "-" { return .operand(word) }
    if word == "--" {
      onlyOperandsFollow = true
      return try next()
    }
    if word.hasPrefix("--") { return try longOption(word) }
    letters = word.dropFirst()
    return try shortOption()
  }

  private mutating func longOption(_ word: String) throws(UsageError) -> Argument {
    let parts = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let option = try option(named: parts[0])
    let value = parts.count > 1 ? String(parts[1]) : nil
    guard option.takesValue else {
      guard value == nil else {
        throw UsageError("option '--\(option.name)' doesn't allow an argument")
      }
      return .flag(name: option.name)
    }
    guard let value = value ?? words.popFirst() else {
      throw UsageError("option '--\(option.name)' requires an argument")
    }
    return .option(name: option.name, value: value)
  }

  private func option(named name: Substring) throws(UsageError) -> Option {
    if let exact = options.first(where: { $0.name == name }) { return exact }
    let matches = options.filter { !name.isEmpty && $0.name.hasPrefix(name) }
    guard let match = matches.first else {
      throw UsageError("unrecognized option '--\(name)'")
    }
    guard matches.count == 1 else {
      let names = matches.map { "'--\($0.name)'" }.joined(separator: " ")
      throw UsageError("option '--\(name)' is ambiguous; possibilities: \(names)")
    }
    return match
  }

  private mutating func shortOption() throws(UsageError) -> Argument {
    let letter = letters.removeFirst()
    guard let option = options.first(where: { $0.letter == letter }) else {
      throw UsageError("invalid option -- '\(letter)'")
    }
    guard option.takesValue else { return .flag(name: option.name) }
    let attached = String(letters)
    letters = ""
    guard let value = attached.isEmpty ? words.popFirst() : attached else {
      throw UsageError("option requires an argument -- '\(letter)'")
    }
    return .option(name: option.name, value: value)
  }
}

extension ArgumentScanner.Option: ExpressibleByStringLiteral {
  /// An option that takes a value and has no letter.
  package init(stringLiteral name: String) { self.init(name: name) }

  /// An option that takes no value.
  package static func flag(_ name: String, _ letter: Character? = nil) -> Self {
    Self(name: name, letter: letter, takesValue: false)
  }
}

extension String {
  /// The text quoted as one shell word.
  package var quotedForShell: String {
    let isPlain = utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte
        || [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: ",")].contains(byte)
    }
    guard !isPlain else { return self }
    let pieces = split(separator: "'", omittingEmptySubsequences: false)
    return "'" + pieces.joined(separator: "'\\''") + "'"
  }
}
