import Toolkit

/// Where a run's events go: a file of them, a page that shows them, both or neither.
struct TraceOutput {
  private let writer: TraceWriter?
  private let collector: TraceCollector?
  private let report: String?

  /// Opens the trace's file; the page is written in the end.
  init(trace: String?, report: String?) throws(CommandFailure) {
    writer = if let trace { try TraceWriter(path: trace) } else { nil }
    collector = report == nil ? nil : TraceCollector()
    self.report = report
  }

  /// What takes the events; `nil` if nobody wants them.
  var sink: TraceSink? {
    let (writer, collector) = (writer, collector)
    guard writer != nil || collector != nil else { return nil }
    return { event in
      writer?.write(event)
      collector?.add(event)
    }
  }

  /// Writes what is left, and the page, with the bytes of other runs beside this one's.
  ///
  /// - Throws: ``CommandFailure`` where a file can't be written.
  func finish(series: [ByteSeries] = []) throws(CommandFailure) {
    try writer?.finish()
    guard let report, let collector else { return }
    let run = TraceRun(collector.events, omitted: collector.omitted)
    let page = ReportPage(run: run, series: series)
    try FileWriter.writeText(page.html, to: report)
  }
}

/// Takes what happens in a simulation, in the order in which it happens.
///
/// Times never go back. A run begins with `begin`, whose value says what is simulated
/// and whose detail is the command that does it again, and ends with `end`, whose
/// detail is the verdict. Of a message, `send`, `lose`, `duplicate` and `corrupt` name
/// the sender as the replica and the receiver as its peer; `receive` does it the other
/// way round. A `partition` lasts until the next `heal` of the same replica and peer,
/// or of none.
typealias TraceSink = (TraceEvent) -> Void

/// Keeps the events of a run in memory, for pictures of it.
///
/// Once there are many it keeps only those that are rare: a picture shows but a part
/// of the messages anyway.
final class TraceCollector {
  private static let countMax = 2_000_000
  private static let rareMax = 100_000

  private(set) var events: [TraceEvent] = []
  /// How many events were not kept.
  private(set) var omitted = 0

  /// Takes an event in.
  func add(_ event: TraceEvent) {
    guard events.count < Self.countMax || isRare(event.kind) else {
      omitted += 1
      return
    }
    events.append(event)
  }

  private func isRare(_ kind: TraceEvent.Kind) -> Bool {
    guard events.count < Self.countMax + Self.rareMax else { return kind == .end }
    switch kind {
    case .send, .receive, .edit, .learn, .lose, .duplicate, .corrupt, .connect: return false
    default: return true
    }
  }
}

/// Writes a trace to a file, a line of JSON for each event.
///
/// What was written stays there if the run ends badly: then it is wanted most.
final class TraceWriter {
  /// How many bytes are kept until they are written together.
  private static let bufferMax = 1 << 16

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var trouble: CommandFailure?
  /// How many events were written.
  private(set) var count = 0

  /// Makes the file, or empties the one there is.
  init(path: String) throws(CommandFailure) {
    self.path = path
    do throws(Syscalls.Failure) {
      descriptor = try Syscalls.openEmpty(path)
    } catch {
      throw CommandFailure("\(path): \(error.reason)")
    }
  }

  deinit {
    Syscalls.closeDescriptor(descriptor)
  }

  /// Writes an event; what goes wrong is told by ``finish()``.
  func write(_ event: TraceEvent) {
    guard trouble == nil else { return }
    count += 1
    buffer += event.line.utf8
    buffer.append(0x0A)
    if buffer.count >= Self.bufferMax { flush() }
  }

  private func flush() {
    do throws(Syscalls.Failure) {
      try FileWriter.writeAll(descriptor, buffer)
    } catch {
      trouble = CommandFailure("\(path): \(error.reason)")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what is left.
  func finish() throws(CommandFailure) {
    flush()
    if let trouble { throw trouble }
  }
}
