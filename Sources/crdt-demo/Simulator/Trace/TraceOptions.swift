import Toolkit

/// The request to `crdt-demo trace`.
struct TraceOptions: Equatable {
  /// One trace to show, or two to compare.
  var files: [String] = []
  /// Which events are listed.
  var filter = TraceFilter()
  /// Where a page goes that shows the trace.
  var html: String?

  static let known: [ArgumentScanner.Option] = [
    "replica",
    "kind",
    "from",
    "to",
    "html",
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    for (name, text) in arguments.options { try set(name, to: text) }
    try check()
  }

  /// Sets an option to the value it was given.
  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "replica": filter.replica = try value.integer(in: 1...TraceEvent.replicasMax) - 1
    case "kind": filter.kinds = try Self.kinds(text)
    case "from": filter.from = Self.microseconds(try value.number(in: 0...Self.secondsMax))
    case "to": filter.to = Self.microseconds(try value.number(in: 0...Self.secondsMax))
    default: html = text
    }
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
