import CRDTKit
import Toolkit

/// A trace as text: what each replica did, and the events.
struct TraceText {
  let run: TraceRun
  let filter: TraceFilter
  /// How much of a text is shown, in characters.
  private static let lengthMax = 100

  /// Writes all of it.
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
    let counts = [
      replica.edits, replica.sent, replica.received, replica.lost, replica.bytesSent,
      replica.bytesReceived, replica.crashes,
    ]
    return [name] + counts.map(\.grouped) + [replica.digest.map(clipped) ?? ""]
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
