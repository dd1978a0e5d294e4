import Toolkit

extension SimulationResult {
  /// The result in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    var text = style(.bold, setup.setting)
    text += ", \(setup.work)\n"
    text += "links: \(setup.scenario.links.faults)\n\(storeLine)\n"
    text += table.lines(styled: style) + "\n"
    text += linkLines
    text += crashLine
    text += pauseLine
    text += contents
    return text + verdict(styled: style) + "\n"
  }

  private var storeLine: String {
    guard let folder = setup.store else { return "" }
    let crash =
      setup.scenario.crash.map { ", processes killed: \(LinkFaults.percent($0)) a round" } ?? ""
    return "stores: in \(folder)\(crash)\n"
  }

  private var crashLine: String {
    guard setup.scenario.crash != nil else { return "" }
    return "crashes \(kills.reduce(0, +).grouped) kills, acknowledged changes lost: "
      + "\(lost.grouped)\n"
  }

  private var pauseLine: String {
    guard setup.scenario.pause != nil else { return "" }
    return "pauses  \(pauses.reduce(0, +).grouped)\n"
  }

  private var linkLines: String {
    let (counts, rest) = (links, String(repeating: " ", count: 8))
    return "links   \(counts.bytes.grouped) bytes in \(counts.sent.grouped) chunks: "
      + "\(counts.lost.grouped) lost, \(counts.duplicated.grouped) duplicated, "
      + "\(counts.reordered.grouped) overtaken, \(counts.corrupted.grouped) corrupted\n"
      + "\(rest)\(counts.cuts.grouped) cuts, \(counts.connections.grouped) connections; "
      + "healed in \(healRounds) rounds\n"
  }

  private var table: TextTable {
    var table = TextTable(header: [
      ["", "", "frames", "bytes", "bytes", "", "", "", "deltas", ""],
      [
        "replica", "operations", "sent", "sent", "received", "streams", "damaged", "stalled",
        "learned", "time",
      ],
    ])
    table.rows = reports.enumerated().map { index, report in
      row("\(index + 1)", report.counts)
    }
    table.footer = row("all", total)
    if setup.scenario.crash != nil { addKills(to: &table) }
    return table
  }

  /// Adds a column before the times.
  private func addKills(to table: inout TextTable) {
    let last = table.header[0].count - 1
    for (line, word) in ["", "kills"].enumerated() { table.header[line].insert(word, at: last) }
    for (index, count) in kills.enumerated() { table.rows[index].insert(count.grouped, at: last) }
    table.footer?.insert(kills.reduce(0, +).grouped, at: last)
  }

  private func row(_ name: String, _ counts: ReplicaCounts) -> [String] {
    let columns = [
      counts.operations, counts.framesSent, counts.bytesSent, counts.bytesReceived,
      counts.connections, counts.streamsDamaged, counts.streamsStalled, counts.deltasLearned,
    ]
    let tenths = (counts.microseconds + 50) / 100
    // As wide as most times are, so that runs of the same seed look the same.
    let time = "\((tenths / 10).grouped).\(tenths % 10) ms"
    let space = String(repeating: " ", count: max(10 - time.count, 0))
    return [name] + columns.map(\.grouped) + [space + time]
  }

  /// What the first replica holds: all that it reaches, if they have converged.
  private var contents: String {
    guard hasConverged, let place = groups.first?.first else { return "" }
    let lines = reports[place].contents.map { "        \($0)\n" }.joined()
    return "state " + lines.dropFirst(6)
  }

  /// How it ended, in a line.
  var verdict: String { verdict { $1 } }

  private func verdict(styled style: (TextStyle, String) -> String) -> String {
    if hasConverged {
      return style(.green, "converged:") + " \(holdings)"
    }
    let held = groups.flatMap { $0 }.sorted().map { "\($0 + 1): \(digests[$0])" }
      .joined(separator: ", ")
    let names = differingParts.joined(separator: ", ")
    let parts = names.isEmpty ? "" : "; they differ in \(names)"
    let sums = hasExactSums ? "" : "; counters are not exact"
    let entries = hasAllEntries ? "" : "; entries are missing"
    let losses = lost == 0 ? "" : "; \(lost.grouped) acknowledged changes were lost"
    return style(.red, "diverged:")
      + " replicas hold digests \(held)\(parts)\(sums)\(entries)\(losses)"
  }
}
