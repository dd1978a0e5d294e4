import Toolkit

/// The words of the command line: a command, what it works on, and options.
extension Arguments {
  private static let names = [
    "acks", "bytes", "compaction-bytes", "count", "disk", "free-bytes", "from", "heads", "in",
    "keep", "kind", "make", "megabytes", "milliseconds", "peers", "progress", "read",
    "relaxed-share", "run", "sabotage", "seed", "segment-bytes", "shape", "strangers", "tasks",
    "threads",
  ]
  private static let flags = [
    "compact", "full", "on-disk", "pauses", "purge", "read-only",
  ]

  init(_ words: ArraySlice<String>) throws(UsageError) {
    try self.init(
      words,
      options: Self.names.map { ArgumentScanner.Option(name: $0) } + Self.flags.map { .flag($0) })
    if operands.isEmpty { throw UsageError("a command is missing") }
  }

  var command: String { operands[0] }

  func text(_ name: String) -> String? { self[name]?.text }

  func number<Number: FixedWidthInteger>(
    _ name: String, default standard: Number
  ) throws(UsageError) -> Number {
    guard let value = self[name] else { return standard }
    guard let number = Number(value.text) else { throw value.invalid("a whole number") }
    return number
  }

  /// The one folder that the command works on.
  var folder: String {
    get throws(UsageError) {
      guard operands.count == 2 else { throw UsageError("\(command) needs one folder") }
      return operands[1]
    }
  }
}
