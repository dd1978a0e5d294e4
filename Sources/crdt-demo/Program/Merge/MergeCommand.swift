import CRDTKit
import Toolkit

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

  init(_ arguments: Arguments) throws(UsageError) {
    schema = arguments.values["schema"]
    output = arguments.values["output"]
    name = arguments.values["name"]
    try take(arguments.operands)
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

/// `crdt-demo merge`: three versions of a JSON file made one.
enum MergeCommand {
  private static func merge(
    _ options: MergeOptions, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let rules = try rules(options.schema)
    let base = try read(options.base, "base", options)
    let ours = try read(options.ours, "ours", options)
    let theirs = try read(options.theirs, "theirs", options)
    let merge = JSONMerge(
      // Empty is what git gives for the base where both sides added the file.
      base: base.bytes.isEmpty ? nil : try side(base), ours: try side(ours),
      theirs: try side(theirs), rules: rules.collection, deletion: rules.deletion)
    try console.deliver(merge.text, to: options.output)
    let report = MergeReport(of: merge.conflicts, in: options.name ?? options.ours)
    for line in report.lines { console.error(line) }
    return merge.conflicts.isEmpty ? .success : .diverged
  }

  private static func rules(_ path: String?) throws(CommandFailure) -> MergeRules {
    guard let path else { return MergeRules() }
    return try CommandFailure.naming(path) { () throws(CommandFailure) in
      try MergeRules(parsing: FileReader.read(path, sizeMax: MergeRules.sizeMax))
    }
  }

  /// The bytes of a version, and what messages call it.
  private static func read(
    _ path: String, _ side: String, _ options: MergeOptions
  ) throws(CommandFailure) -> (bytes: [UInt8], name: String) {
    // The names that git gives the files say nothing to its user.
    let name = options.name.map { "\($0.visible) (\(side))" } ?? path.visible
    return try CommandFailure.naming(name) { () throws(CommandFailure) in
      (try FileReader.read(path, sizeMax: JSONText.sizeMax), name)
    }
  }

  private static func side(
    _ file: (bytes: [UInt8], name: String)
  ) throws(CommandFailure) -> JSONSide {
    do throws(JSONFailure) {
      return try JSONSide(JSONText(parsing: file.bytes, allowsMark: true))
    } catch {
      throw CommandFailure("\(file.name):\(error)")
    }
  }
}

extension MergeCommand: Command {
  static let name = "merge"
  static let operands = "[OPTION]... BASE OURS THEIRS"
  static let statuses =
    "0 if it was merged, 1 if there are conflicts,"

  static var options: [ArgumentScanner.Option] {
    [.init(name: "output", letter: "o"), "schema", "name"]
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let options = try MergeOptions(arguments)
    return Console.reporting { (console) throws(CommandFailure) in try merge(options, &console) }
  }

  static let help = """
    merge makes one JSON file of two that were changed and the one they began as,
    member by member; an empty BASE stands for none. They may begin with a byte
    order mark, and be as large as fits into memory. It prints the file laid out as
    OURS, untouched parts as they were. Where both sides changed a value and no rule
    decides, that is a conflict: it is reported, and the file shows OURS there, so
    that it stays JSON. As a merge driver of git:

      git config merge.json.driver 'crdt-demo merge -o %A --name %P %O %A %B'
      git config merge.json.recursive binary

      -o, --output=FILE      write to FILE, all or nothing, not to standard output
          --schema=FILE      the rules of fields, as JSON, with paths from the root:
                               {"fields": {"tags": "set", "stats.*": "counter"},
                                "deletion": "updateWins"}; without "deletion", a
                               change against a removal is a conflict
          --name=NAME        what messages call the file (default OURS)
    """
}

/// The conflicts of a merge, as people read them.
struct MergeReport {
  /// How many conflicts are shown.
  static let conflictsMax = 1_000
  /// How much of a value or path is shown, in characters.
  static let lengthMax = 200

  var lines: [String]

  init(of conflicts: [Document.ThreeWayConflict], in file: String) {
    let file = file.visible
    lines = conflicts.prefix(Self.conflictsMax).map { conflict in
      let path = conflict.path.names.isEmpty ? "the root" : Self.text(of: conflict.path)
      return "\(file): conflict at \(path): base \(Self.text(of: conflict.base)), "
        + "ours \(Self.text(of: conflict.ours)), theirs \(Self.text(of: conflict.theirs))"
    }
    if conflicts.count > Self.conflictsMax {
      lines.append("\(file): and \((conflicts.count - Self.conflictsMax).grouped) more conflicts")
    }
  }

  /// A path, quoted if it would be unclear otherwise.
  private static func text(of path: FieldPath) -> String {
    let text = path.description
    let quoted = text.jsonQuoted
    let isPlain = quoted.utf8.count == text.utf8.count + 2 && !text.contains { ": ,".contains($0) }
    return clipped(isPlain && !text.isEmpty ? text : quoted)
  }

  private static func text(of value: Document.Value?) -> String {
    value.map { clipped(JSONValue(plain: $0).description) } ?? "absent"
  }

  /// A text, or its beginning where it is long.
  static func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard
      let end = scalars.index(
        scalars.startIndex, offsetBy: lengthMax, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
