/// The words of the command line: a command, what it works on, and options.
struct Arguments {
  /// Options that stand alone.
  private static let flags: Set = ["compact", "purge", "pauses", "full", "read-only", "on-disk"]

  private(set) var command = ""
  private(set) var operands: [String] = []
  private var options: [String: String] = [:]

  init(_ words: ArraySlice<String>) throws(UsageError) {
    var rest = words
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        if command.isEmpty { command = word } else { operands.append(word) }
        continue
      }
      let name = String(word.dropFirst(2))
      if Self.flags.contains(name) {
        options[name] = ""
      } else if let value = rest.popFirst() {
        options[name] = value
      } else {
        throw UsageError(message: "'\(word)' needs a value")
      }
    }
    guard !command.isEmpty else { throw UsageError(message: "a command is missing") }
  }

  subscript(name: String) -> String? { options[name] }

  func has(_ flag: String) -> Bool { options[flag] != nil }

  func number<Number: FixedWidthInteger>(
    _ name: String, default standard: Number
  ) throws(UsageError) -> Number {
    guard let text = options[name] else { return standard }
    guard let number = Number(text) else {
      throw UsageError(message: "'\(text)' is no number for --\(name)")
    }
    return number
  }

  /// The one folder that the command works on.
  var folder: String {
    get throws(UsageError) {
      guard operands.count == 1 else { throw UsageError(message: "\(command) needs one folder") }
      return operands[0]
    }
  }
}

/// What is wrong with the command line.
struct UsageError: Error {
  var message: String
}
