/// Takes arguments apart as `getopt_long` does: `--n 5` and `--n=5` are the same.
struct ArgumentScanner {
  private var rest: [String]
  private var option = ""
  private var attached: String?

  init(_ arguments: some Collection<String>) {
    rest = arguments.reversed()
  }

  /// The next option's name; `nil` at the end.
  mutating func next() throws(UsageError) -> String? {
    guard let argument = rest.popLast() else { return nil }
    guard argument.hasPrefix("-"), argument != "-" else {
      throw UsageError(message: "unexpected argument '\(argument)'")
    }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    option = String(parts[0])
    attached = parts.count > 1 ? String(parts[1]) : nil
    return option
  }

  /// The value of the option just given.
  mutating func value() throws(UsageError) -> String {
    if let attached { return attached }
    guard let value = rest.popLast() else {
      throw UsageError(message: "option '\(option)' requires an argument")
    }
    return value
  }

  /// True: the option just given is there, and rightly has no value.
  func flag() throws(UsageError) -> Bool {
    guard attached == nil else {
      throw UsageError(message: "option '\(option)' doesn't allow an argument")
    }
    return true
  }
}
