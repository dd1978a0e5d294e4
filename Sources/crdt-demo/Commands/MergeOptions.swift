/// What `crdt-demo merge` was asked for.
struct MergeOptions: Equatable {
  /// The paths of the three versions; `-` stands for the standard input.
  var base = ""
  var ours = ""
  var theirs = ""
  /// The path of the rules.
  var schema: String?
  /// Where the merged file goes, unless to the standard output.
  var output: String?
  /// What messages call the file.
  var name: String?

  static let known = [
    ArgumentScanner.Option(name: "output", letter: "o"),
    ArgumentScanner.Option(name: "schema"),
    ArgumentScanner.Option(name: "name"),
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    for (name, value) in arguments.options { set(name, to: value) }
    try take(arguments.operands)
  }

  private mutating func set(_ option: String, to value: String) {
    switch option {
    case "output": output = value
    case "schema": schema = value
    default: name = value
    }
  }

  /// Takes the operands: the three versions.
  private mutating func take(_ files: [String]) throws(UsageError) {
    let names = ["BASE", "OURS", "THEIRS"]
    guard files.count >= names.count else {
      throw UsageError("missing operand \(names[files.count])")
    }
    guard files.count == names.count else { throw UsageError("extra operand '\(files[3])'") }
    guard (files + [schema ?? ""]).count(where: { $0 == "-" }) < 2 else {
      throw UsageError("only one file can be the standard input")
    }
    (base, ours, theirs) = (files[0], files[1], files[2])
  }
}
