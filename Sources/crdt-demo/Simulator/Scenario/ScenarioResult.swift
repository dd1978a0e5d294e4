import Toolkit

/// The result of a scenario in a world.
struct ScenarioResult {
  var scenario: Scenario
  var title: String
  var outcome: WorldOutcome
  /// The processor time.
  var seconds: Double

  /// Deltas delivered a second, with all that goes with it but judging.
  private var rate: Int {
    let judging = Double(outcome.checkingMicroseconds) / 1e6
    return Int(Double(outcome.deltas) / max(seconds - judging, 1e-6))
  }

  /// The result in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    let counts = outcome.counts
    var lines = [
      style(.bold, title),
      "links: \(scenario.links.faults)",
      "\(operations), \(counts.sent.grouped) messages sent, "
        + "\(counts.delivered.grouped) delivered, \(counts.bytes.grouped) bytes",
      "faults: \(counts.faultsInWords.isEmpty ? "none" : counts.faultsInWords)",
      "\((Double(outcome.time) / 1e6).text(decimals: 3)) s of virtual time in \(seconds.text(decimals: 3)) s;"
        + " \(outcome.checks.grouped) states judged in"
        + " \((Double(outcome.checkingMicroseconds) / 1e6).text(decimals: 3)) s of it",
      scenario.style == .outbox
        ? "\(counts.outboxes)"
        : "\(outcome.deltas.grouped) deltas delivered (\(outcome.applied.grouped) new,"
          + " \(outcome.gaps.grouped) over a gap), \(rate.grouped)/s of one core but for judging",
    ]
    if scenario.style.hasDisks { lines.insert("stores: \(counts.disks)", at: 4) }
    lines += outcome.violations.map { "violation \($0)" }
    if outcome.violations.isEmpty {
      lines.append(
        "\(style(.bold, "converged")): \(outcome.remaining) replicas, digest"
          + " \(outcome.digest), \(outcome.summary)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many were made; those of replicas that were down are not.
  private var operations: String {
    let made = outcome.counts.edits.grouped
    return scenario.history == nil && outcome.counts.edits != scenario.operations
      ? "\(made) of \(scenario.operations.grouped) operations" : "\(made) operations"
  }

  /// The result as one JSON object.
  var json: JSONValue {
    let counts = outcome.counts
    return .object([
      ("converged", .bool(outcome.violations.isEmpty)),
      ("engine", .string(scenario.engine.rawValue)),
      ("replicas", .integer(scenario.replicas)),
      ("topology", .string((scenario.style == .outbox ? .star : scenario.topology).description)),
      ("workload", .string(scenario.workload.rawValue)),
      ("style", .string(scenario.style.rawValue)),
      ("seed", .unsigned(scenario.seed)),
      ("operations", .integer(counts.edits)),
      ("messagesSent", .integer(counts.sent)),
      ("messagesDelivered", .integer(counts.delivered)),
      ("bytes", .integer(counts.bytes)),
      ("deltasDelivered", .integer(outcome.deltas)),
      ("deltasNew", .integer(outcome.applied)),
      ("gaps", .integer(outcome.gaps)),
      ("statesJudged", .integer(outcome.checks)),
      ("virtualSeconds", .number(Double(outcome.time) / 1e6)),
      ("seconds", .number(seconds)),
      ("secondsJudging", .number(Double(outcome.checkingMicroseconds) / 1e6)),
      ("deltasPerSecond", .integer(rate)),
      ("durableCommits", .integer(counts.disks.commits)),
      (
        "faults",
        .object(counts.faults.map { (name: $0.name, value: JSONValue.integer($0.count)) })
      ),
      ("digest", .string(outcome.digest)),
      ("violations", .array(outcome.violations.map { .string($0.description) })),
    ])
  }
}
