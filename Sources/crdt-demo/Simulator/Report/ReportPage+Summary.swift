import Toolkit

extension ReportPage {
  /// The figures that matter most.
  var tiles: String {
    guard !run.replicas.isEmpty else { return "" }
    var tiles = [verdictTile]
    if let seed { tiles.append(tile("Seed", seed)) }
    tiles.append(tile("Replicas", run.replicas.count.grouped))
    tiles.append(tile("Time", TraceTime.rough(run.end)))
    if let time = run.convergence, run.end > 0 {
      tiles.append(tile("All agree since", TraceTime.rough(time)))
    }
    tiles.append(tile("Edits", run.total.edits.grouped))
    tiles.append(
      tile("Messages", run.total.sent.grouped, "\(ByteCount.text(run.total.bytesSent)) sent"))
    let lost = run.counts[.lose] ?? 0
    let damaged = run.counts[.corrupt] ?? 0
    tiles.append(tile("Messages lost", lost.grouped, "\(damaged.grouped) damaged"))
    for (kind, name) in Self.rareKinds {
      if let count = run.counts[kind] { tiles.append(tile(name, count.grouped)) }
    }
    return "<section class=\"tiles\" aria-label=\"Summary\">\n\(tiles.joined())</section>\n"
  }

  private static let rareKinds: [(TraceEvent.Kind, String)] = [
    (.crash, "Crashes"), (.cut, "Links cut"), (.partition, "Partitions"), (.pause, "Pauses"),
    (.clock, "Clock jumps"), (.join, "Joins"), (.leave, "Leaves"),
  ]

  private var verdictTile: String {
    let isWell = run.violations.isEmpty && disagreeing == 0
    let text =
      !run.violations.isEmpty
      ? "a law was broken"
      : !run.hasDigests
        ? "no states in the trace"
        : disagreeing == 0
          ? "all agree"
          : "\(disagreeing.counted("replica")) \(disagreeing == 1 ? "differs" : "differ")"
    let verdict = run.verdict.map { HTML.escaped($0.clipped(to: 160)) } ?? ""
    return "<div class=\"tile verdict \(isWell ? "well" : "ill")\"><h2>In the end</h2>"
      + "<p class=\"figure\">\(text)</p><p class=\"note\">\(verdict)</p></div>\n"
  }

  /// How many of those that take part hold another state than most in the end.
  var disagreeing: Int {
    guard let common = run.commonDigest else { return 0 }
    return run.replicas.count { $0.isPresent && $0.digest != common }
  }

  private func tile(_ name: String, _ figure: String, _ note: String = "") -> String {
    "<div class=\"tile\"><h2>\(name)</h2><p class=\"figure\">\(HTML.escaped(figure))</p>"
      + (note.isEmpty ? "" : "<p class=\"note\">\(HTML.escaped(note))</p>") + "</div>\n"
  }

  /// The seed that the command names.
  private var seed: String? {
    guard let words = run.command?.split(separator: " ") else { return nil }
    for (word, next) in zip(words, words.dropFirst()) where word == "--seed" || word == "-s" {
      return String(next).clipped(to: 24)
    }
    return words.first { $0.hasPrefix("--seed=") }.map { String($0.dropFirst(7)).clipped(to: 24) }
  }

  /// What laws were broken.
  var violations: String {
    guard !run.violations.isEmpty else { return "" }
    let items = run.violations.map { "<li>\(HTML.escaped($0.clipped(to: 600)))</li>" }.joined()
    return "<section class=\"card alarm\"><h2>What went wrong</h2><ul>\(items)</ul></section>\n"
  }

  /// A row for each replica.
  var table: String {
    guard !run.replicas.isEmpty else { return "" }
    let rows = EvenSample.places(of: run.replicas.count, max: Self.rowsMax)
    let note =
      rows.count < run.replicas.count
      ? "<p>\(rows.count.grouped) of \(run.replicas.count.grouped) replicas, evenly chosen.</p>"
      : ""
    let heads = [
      "Replica", "Edits", "Sent", "Received", "Lost", "Bytes sent", "Bytes received", "Crashes",
    ].map { "<th scope=\"col\">\($0)</th>" }.joined()
    let common = run.commonDigest
    let body = rows.map { row($0, common: common) }.joined()
    return """
      <section class="card\(rows.count <= 24 ? " whole" : "")"><h2>Replica by replica</h2>\(note)
      <div class="scroll" tabindex="0" role="group" aria-label="Table of the replicas"><table>
      <thead><tr>\(heads)<th scope="col" class="text">Digest in the end</th>\
      <th scope="col" class="text">Agrees</th></tr></thead>
      <tbody>
      \(body)</tbody>
      <tfoot>\(footer)</tfoot>
      </table></div></section>

      """
  }

  private static let rowsMax = 1_000

  private func cells(_ replica: TraceRun.Replica) -> String {
    TraceRun.Replica.fields.map { "<td>\(replica[keyPath: $0].grouped)</td>" }.joined()
  }

  private func row(_ index: Int, common: String?) -> String {
    let replica = run.replicas[index]
    let agrees =
      !replica.isPresent
      ? "<td class=\"text muted\">has left</td>"
      : replica.digest == nil
        ? "<td class=\"text muted\">unknown</td>"
        : replica.digest == common
          ? "<td class=\"text well\">yes</td>" : "<td class=\"text ill\">no</td>"
    let digest = HTML.escaped(replica.digest?.clipped(to: 32) ?? "–")
    return "<tr><th scope=\"row\">\(index + 1)</th>\(cells(replica))"
      + "<td class=\"text\"><code>\(digest)</code></td>\(agrees)</tr>\n"
  }

  private var footer: String {
    "<tr><th scope=\"row\">all</th>\(cells(run.total))<td class=\"text\"></td>"
      + "<td class=\"text\"></td></tr>"
  }
}
