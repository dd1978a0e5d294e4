import CRDTKit
package import Toolkit

/// `crdt-demo trace`: what is in a trace, or in what two differ.
package enum TraceCommand {
  private static func show(
    _ options: TraceOptions, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    if options.files.count == 2 {
      return try compare(options.files[0], options.files[1], &console)
    }
    let run = TraceRun(try TraceReader.events(in: options.files[0]))
    if let replica = options.filter.replica, replica >= run.replicas.count {
      console.error(
        "invalid value '\(replica + 1)' for '--replica': "
          + "the trace has \(run.replicas.count.counted("replica"))")
      console.hint(Console.hint)
      return .usage
    }
    if let html = options.html {
      try FileWriter.writeText(ReportPage(run: run).html, to: html)
    } else {
      TraceText(run: run, filter: options.filter).write(to: &console)
    }
    return .success
  }

  private static func compare(
    _ left: String, _ right: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    var left = try TraceReader(path: left)
    var right = try TraceReader(path: right)
    guard let difference = try TraceComparison(&left, &right) else {
      return .success
    }
    console.write("\(difference)\n")
    return .diverged
  }
}

extension TraceCommand: Command {
  package static let name = "trace"
  package static let operands = "[OPTION]... FILE [FILE]"
  package static let statuses =
    "0 if it was shown or two are equal, 1 if two differ,"

  package static var options: [ArgumentScanner.Option] {
    ["replica", "kind", "from", "to", "html"]
  }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let options = try TraceOptions(arguments)
    return Console.reporting { (console) throws(CommandFailure) in try show(options, &console) }
  }

  package static let help = """
    trace shows what is in a trace of 'simulate': what each replica did, and the
    events. Of two traces it shows the first difference; the status is 0 if there is
    none, 1 if there is one. FILE may be - for the standard input.

          --replica=N        only events of the replica N, counted from 1, be it as
                               sender, receiver or end of a link
          --kind=KINDS       only events of these kinds, such as lose,crash
          --from=SECONDS     only events from this time on
          --to=SECONDS       only events until this time
          --html=FILE        write a page of HTML that shows the trace, and no text
    """
}

/// The request to `crdt-demo trace`.
struct TraceOptions: Equatable {
  /// One trace to show, or two to compare.
  var files: [String] = []
  /// Which events are listed.
  var filter = TraceFilter()
  /// Where a page goes that shows the trace.
  var html: String?

  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    filter.replica = try arguments["replica"]?.integer(in: 1...TraceEvent.maximumReplicas)
    filter.replica? -= 1
    if let kinds = arguments["kind"] { filter.kinds = try Self.kinds(kinds.text) }
    if let from = try arguments["from"]?.number(in: 0...Self.secondsMax) {
      filter.from = Self.microseconds(from)
    }
    if let to = try arguments["to"]?.number(in: 0...Self.secondsMax) {
      filter.to = Self.microseconds(to)
    }
    html = arguments.values["html"]
    try check()
  }

  private static let secondsMax = 9e9

  private static func microseconds(_ seconds: Double) -> UInt64 {
    UInt64((seconds * 1_000_000).rounded())
  }

  private static func kinds(_ text: String) throws(UsageError) -> Set<TraceEvent.Kind> {
    var kinds: Set<TraceEvent.Kind> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = TraceEvent.Kind(rawValue: String(name)) else {
        let all = TraceEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("invalid value '\(name)' for '--kind': it must be one of \(all)")
      }
      kinds.insert(kind)
    }
    return kinds
  }

  /// Checks what depends on more than one option.
  private func check() throws(UsageError) {
    guard !files.isEmpty else { throw UsageError("missing file operand") }
    guard files.count <= 2 else { throw UsageError("extra operand '\(files[2])'") }
    guard html != "" else { throw UsageError("'--html' needs the name of a file") }
    guard files.count == 2 else { return }
    guard filter == TraceFilter(), html == nil else {
      throw UsageError("two traces are compared as they are, without options")
    }
    if files == ["-", "-"] { throw UsageError("only one trace can be on the standard input") }
  }
}

/// Which events of a trace are shown.
struct TraceFilter: Equatable {
  /// Only those that this replica has part in.
  var replica: Int?
  /// Only these kinds; all where there are none.
  var kinds: Set<TraceEvent.Kind> = []
  /// Microseconds from which on, and until which.
  var from: UInt64 = 0
  var to = UInt64.max

  /// Whether an event is shown.
  func admits(_ event: TraceEvent) -> Bool {
    guard event.time >= from, event.time <= to else { return false }
    guard kinds.isEmpty || kinds.contains(event.kind) else { return false }
    return replica == nil || replica == event.replica || replica == event.peer
  }
}

/// A trace as text: what each replica did, and the events.
struct TraceText {
  let run: TraceRun
  let filter: TraceFilter
  /// How much of a text is shown, in characters.
  private static let lengthMax = 100

  func write(to console: inout Console) {
    console.write(console.styled(.bold, run.title.visible) + "\n")
    if let command = run.command { console.write("\(command.visible)\n") }
    console.write("\n" + table.lines { console.styled($0, $1) } + "\n")
    var listed = 0
    for event in run.events where filter.admits(event) {
      console.write(line(event) + "\n")
      listed += 1
    }
    if listed < run.events.count {
      console.write("\(listed.grouped) of \(run.events.count.counted("event"))\n")
    }
    if let verdict = run.verdict { console.write("\n\(clipped(verdict))\n") }
  }

  private var table: TextTable {
    var table = TextTable(header: [
      ["", "", "messages", "messages", "messages", "bytes", "bytes", "", ""],
      ["replica", "edits", "sent", "received", "lost", "sent", "received", "crashes", "digest"],
    ])
    for (index, replica) in run.replicas.enumerated() {
      table.rows.append(row("\(index + 1)", replica))
    }
    if run.replicas.count > 1 { table.footer = row("all", run.total) }
    return table
  }

  private func row(_ name: String, _ replica: TraceRun.Replica) -> [String] {
    [name] + TraceRun.Replica.fields.map { replica[keyPath: $0].grouped } + [
      replica.digest.map(clipped) ?? ""
    ]
  }

  /// An event in a line: when, who, what.
  private func line(_ event: TraceEvent) -> String {
    var words = [TraceTime.text(event.time).rightAligned(to: 12), event.sentence]
    if let digest = event.digest { words.append("[\(clipped(digest))]") }
    if let value = event.value { words.append(clipped(value)) }
    if let detail = event.detail { words.append("(\(clipped(detail)))") }
    return words.joined(separator: "  ")
  }

  /// A text without what a terminal would act on, or its beginning where it is long.
  private func clipped(_ text: String) -> String {
    text.clipped(to: Self.lengthMax)
  }
}

/// The first difference between two traces.
struct TraceComparison: Equatable {
  /// One of the traces, where they differ.
  struct Side: Equatable {
    /// What the trace is called.
    var name: String
    /// The event there; `nil` where the trace has ended.
    var event: TraceEvent?
  }

  /// The line, from 1; all before it are equal.
  var line: Int
  var left: Side
  var right: Side

  /// Compares traces as they are read; `nil` if they are equal.
  init?(_ left: inout TraceReader, _ right: inout TraceReader) throws(CommandFailure) {
    while true {
      let sides = (try left.next(), try right.next())
      if sides.0 == nil, sides.1 == nil { return nil }
      guard sides.0 != sides.1 else { continue }
      self.left = Side(name: left.name, event: sides.0)
      self.right = Side(name: right.name, event: sides.1)
      line = max(left.line, right.line)
      return
    }
  }

  /// Compares events, the left ones with those expected; `nil` if they are equal.
  init?(of left: [TraceEvent], named leftName: String, with right: [TraceEvent], named name: String)
  {
    let same = zip(left, right).prefix { $0 == $1 }.count
    guard same < max(left.count, right.count) else { return nil }
    line = same + 1
    self.left = Side(name: leftName, event: same < left.count ? left[same] : nil)
    self.right = Side(name: name, event: same < right.count ? right[same] : nil)
  }
}

extension TraceComparison: CustomStringConvertible {
  var description: String {
    var heading = "the traces differ first in line \(line.grouped)"
    if let left = left.event, let right = right.event {
      heading += ", in \(left.differences(from: right).joined(separator: ", "))"
    }
    return [left, right].reduce(heading + ":") { $0 + "\n  \(text($1))" }
  }

  private func text(_ side: Side) -> String {
    guard let event = side.event else {
      return "\(side.name.visible):\(line): nothing, the trace ends before it"
    }
    return "\(side.name.visible):\(line): \(event.line)"
  }
}
