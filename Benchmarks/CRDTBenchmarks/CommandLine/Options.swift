import Toolkit

/// What the arguments ask for.
struct Options {
  static let countBounds = 1_000...10_000_000
  static let countUsual = 1_000_000
  static let countQuick = 20_000

  var wantsHelp = false
  var writesJSON = false
  var isQuick = false
  private(set) var filterText = ""

  private var filter: Regex<AnyRegexOutput>?
  private var countAsked: Int?

  /// How many elements the rows are about.
  var count: Int { countAsked ?? (isQuick ? Self.countQuick : Self.countUsual) }

  init(arguments: some Collection<String>) throws(UsageError) {
    let known: [ArgumentScanner.Option] = [
      "n", "filter", .flag("help"), .flag("json"), .flag("quick"),
    ]
    let arguments = try Arguments(arguments, options: known)
    try arguments.checkNoOperands()
    wantsHelp = arguments.has("help")
    writesJSON = arguments.has("json")
    isQuick = arguments.has("quick")
    countAsked = try arguments["n"]?.integer(in: Self.countBounds)
    guard let text = arguments["filter"]?.text else { return }
    filterText = text
    do { filter = try Regex(text) } catch {
      throw UsageError("invalid argument '\(text)' for '--filter': \(error)")
    }
  }

  func wants(_ name: String) -> Bool {
    guard let filter else { return true }
    return name.contains(filter)
  }
}

extension Options {
  static let help = """
    Usage: crdt-benchmark [OPTION]...
    Measures CRDTKit's types, each beside a standard-library baseline in the same run.

      --filter REGEX  only the rows whose names match (Swift regular expression)
      --n N           elements, \(countBounds.lowerBound) to \(countBounds.upperBound) \
    (default \(countUsual))
      --quick         a short run to see that all works: n \(countQuick), few runs
      --json          one object a line instead of the table
      --help          this text

    Exit status: 0 done, 2 trouble, 64 wrong arguments. The bars are stated for
    n = \(countUsual) in release builds and judged only there; a bar that is not met
    shows in the table and does not change the status.
    """
}
