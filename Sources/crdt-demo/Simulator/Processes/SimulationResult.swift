import CRDTKit
import Toolkit

/// The result of a simulation.
struct SimulationResult {
  var setup: ProcessScenario
  var rounds: Int
  /// Rounds after the links healed.
  var healRounds: Int
  /// What each replica has told, in the end or when it left.
  var reports: [ReplicaReport]
  /// Who was there in the end, in groups that can reach each other.
  var groups: [[Int]]
  /// What happened on all links.
  var links: WorldCounts
  /// How many processes of each replica were killed.
  var kills: [Int] = []
  /// How many times each was stopped.
  var pauses: [Int] = []
  /// How many changes that a replica had told were durable were not there later.
  var lost = 0

  /// What all replicas did.
  var total: ReplicaCounts { reports.reduce(into: ReplicaCounts()) { $0 += $1.counts } }
}

extension ReplicaReport {
  /// The digest of the whole document, in 16 hexadecimal digits.
  var digest: String { digests.first ?? "" }
}

extension SimulationResult {
  /// Whether all replicas that reach each other hold the same document, byte for byte,
  /// read it alike, and nothing that was written is missing from it.
  var hasConverged: Bool {
    differingParts.isEmpty && hasExactSums && hasAllEntries && lost == 0
  }

  /// The digest of each replica's whole document.
  var digests: [String] { reports.map(\.digest) }

  /// The parts of the document in which replicas differ that reach each other.
  var differingParts: [String] {
    DocumentSummary.partNames.indices.filter { part in
      groups.contains { group in
        Set(group.map { part < reports[$0].digests.count ? reports[$0].digests[part] : "" }).count
          > 1
      }
    }.map { DocumentSummary.partNames[$0] }
  }

  /// Whether the ledger's counters hold every replica's additions, once.
  var hasExactSums: Bool {
    groups.allSatisfy { group in
      let sums = accounts(in: group).reduce([0, 0]) { sums, account in
        zip(sums, account.added).map { $0 + $1 }
      }
      return group.allSatisfy { reports[$0].sums == sums }
    }
  }

  /// Whether every replica holds all entries that any has made in the ledger.
  var hasAllEntries: Bool {
    groups.allSatisfy { group in
      let made = accounts(in: group).map(\.entriesMade)
      return group.allSatisfy { reports[$0].entries == made }
    }
  }

  /// What each replica has done to the ledger as far as a group must know of it: of
  /// those outside, what it has received.
  private func accounts(in group: [Int]) -> [(added: [Int], entriesMade: Int)] {
    let version = group.first.map { reports[$0].version } ?? [:]
    return reports.enumerated().map { place, report in
      guard !group.contains(place) else { return (report.added, report.entriesMade) }
      let heard = version[SharedDocument.replica(place)]
      let mark = report.marks.last { $0.counter <= heard }
      return (mark?.added ?? [0, 0], mark?.entriesMade ?? 0)
    }
  }

  /// The numbers of replicas in ascending order: of many in a row, the first and last.
  static func names(of group: [Int]) -> String {
    var rows: [ClosedRange<Int>] = []
    for number in group.map({ $0 + 1 }) {
      if let last = rows.last, last.upperBound + 1 == number {
        rows[rows.count - 1] = last.lowerBound...number
      } else {
        rows.append(number...number)
      }
    }
    return rows.map { row in
      row.count > 4
        ? "\(row.lowerBound) to \(row.upperBound)" : row.map(String.init).joined(separator: ", ")
    }.joined(separator: ", ")
  }

  /// The digest of each group, in the order of their first replicas, with its members
  /// where there are several or some have left.
  var holdings: String {
    guard groups.count != 1 || groups.first?.count != reports.count else {
      return "all \(reports.count) replicas hold digest \(digests.first ?? "")"
    }
    return groups.map { group in
      let names = Self.names(of: group)
      let digest = reports[group[0]].digest
      return group.count == 1
        ? "replica \(names) holds digest \(digest)" : "replicas \(names) hold digest \(digest)"
    }.joined(separator: "; ")
  }

  private var scenario: Scenario { setup.scenario }

  /// The result as programs read it.
  var json: JSONValue {
    .object(setting + crashes + pausesMade + outcome)
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private var setting: Members {
    [
      ("converged", .bool(hasConverged)),
      ("digest", hasConverged ? .string(groups.first.map { reports[$0[0]].digest } ?? "") : .null),
      ("seed", .unsigned(scenario.seed)),
      ("topology", .string(scenario.topology.description)),
      ("operations", .integer(scenario.operations)),
      ("loss", .number(scenario.links.faults.loss)),
      ("duplicate", .number(scenario.links.faults.duplicate)),
      ("reorder", .number(scenario.links.faults.reorder)),
      ("corrupt", .number(scenario.links.faults.corrupt)),
      ("cut", .number(scenario.links.faults.cut)),
      ("free_running", .bool(setup.isFreeRunning)),
    ]
  }

  private var crashes: Members {
    guard let crash = scenario.crash else { return [] }
    return [
      ("crash", .number(crash)),
      ("kills", .integer(kills.reduce(0, +))),
      ("lost", .integer(lost)),
    ]
  }

  private var pausesMade: Members {
    guard let pause = scenario.pause else { return [] }
    return [("pause", .number(pause)), ("pauses", .integer(pauses.reduce(0, +)))]
  }

  private var outcome: Members {
    [
      ("rounds", .integer(rounds)),
      ("heal_rounds", .integer(healRounds)),
      ("chunks", .integer(links.sent)),
      ("chunks_lost", .integer(links.lost)),
      ("chunks_duplicated", .integer(links.duplicated)),
      ("chunks_reordered", .integer(links.reordered)),
      ("chunks_corrupted", .integer(links.corrupted)),
      ("cuts", .integer(links.cuts)),
      ("connections", .integer(links.connections)),
      ("exact_sums", .bool(hasExactSums)),
      ("all_entries", .bool(hasAllEntries)),
      ("differing_parts", .array(differingParts.map(JSONValue.string))),
      ("replicas", .array(reports.enumerated().map(json))),
    ]
  }

  /// The digest of each part of a replica's document.
  private static func parts(_ report: ReplicaReport) -> [(name: String, value: JSONValue)] {
    zip(DocumentSummary.partNames, report.digests).map { name, digest in
      (name: name, value: .string(digest))
    }
  }

  private func json(_ index: Int, _ report: ReplicaReport) -> JSONValue {
    let counts = report.counts
    let crashes: Members = scenario.crash == nil ? [] : [("kills", .integer(kills[index]))]
    let members: Members =
      [("replica", .integer(index + 1))]
      + Self.columns.map { ($0.name, .integer(counts[keyPath: $0.path])) } + [
        ("conflicts_open", .integer(report.conflictsOpen)),
        ("time_ms", .number(Double(counts.microseconds) / 1_000)),
        ("digest", .string(report.digest)),
        ("parts", .object(Self.parts(report))),
      ]
    return .object(members + crashes)
  }

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

  /// The counts of a replica, with their names in JSON and their headings in the table, if
  /// they are shown there.
  private static var columns: [(name: String, heading: String, path: KeyPath<ReplicaCounts, Int>)] {
    [
      ("operations", "operations", \.operations), ("records_purged", "", \.recordsPurged),
      ("frames_sent", "frames sent", \.framesSent), ("bytes_sent", "bytes sent", \.bytesSent),
      ("bytes_received", "bytes received", \.bytesReceived), ("streams", "streams", \.connections),
      ("streams_damaged", "damaged", \.streamsDamaged),
      ("streams_stalled", "stalled", \.streamsStalled),
      ("deltas_learned", "deltas learned", \.deltasLearned),
    ]
  }

  private var table: TextTable {
    let columns = Self.columns.filter { $0.heading != "" }
    let words = columns.map { $0.heading.split(separator: " ").map(String.init) }
    var table = TextTable(header: [
      [""] + words.map { $0.count > 1 ? $0[0] : "" } + [""],
      ["replica"] + words.map { $0[$0.count - 1] } + ["time"],
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
    let columns = Self.columns.filter { $0.heading != "" }.map { counts[keyPath: $0.path] }
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
