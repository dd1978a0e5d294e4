extension Coordinator {
  /// Whether replicas tell in each round what their documents are.
  ///
  /// It takes time in proportion to the document: for the trace always, for who
  /// watches only where that is nothing to speak of.
  var tellsState: Bool {
    recorder != nil || (progress != nil && options.operations <= 20_000)
  }

  /// Records what the replicas have done in a round, and what they hold after it.
  mutating func recordStates(except killed: Set<Int>) {
    guard let recorder else { return }
    for index in shares.indices where !killed.contains(index) {
      let state = told[index]
      let isNew = state.map { $0.digest != recordedDigests[index] } ?? false
      let edits = made[index] - recorded[index]
      guard edits > 0 || isNew else { continue }
      recorder.record(
        edits > 0 ? .edit : .learn, index, events: edits > 0 ? edits : nil,
        digest: state?.digest, value: state?.value)
      recorded[index] = made[index]
      recordedDigests[index] = state?.digest
    }
  }

  /// Records how it ended.
  func record(_ result: SimulationResult) {
    guard let recorder else { return }
    for (index, report) in result.reports.enumerated() {
      recorder.record(
        .check, index, digest: report.digest,
        value: told[index] == nil ? report.state.value : nil)
    }
    if !result.hasConverged { recorder.record(.violation, detail: result.verdict) }
    recorder.record(.end, detail: result.verdict)
  }
}

extension Coordinator {
  /// How many operations were made, in words.
  var workDone: String {
    "\(made.reduce(0, +).grouped) of \(options.operations.grouped) operations"
  }

  /// Shows how far the work is.
  func show(_ headline: String) {
    progress? {
      let counts = network.counts
      return SimulationProgress(
        headline: headline, rows: shares.indices.map(row),
        faults: "\(counts.lost.grouped) lost, \(counts.duplicated.grouped) duplicated, "
          + "\(counts.reordered.grouped) overtaken, \(counts.corrupted.grouped) corrupted, "
          + "\(counts.cuts.counted("cut"))")
    }
  }

  private func row(of index: Int) -> SimulationProgress.Row {
    let kills = mortals[index].kills
    return SimulationProgress.Row(
      share: shares[index] == 0 ? 1 : Double(made[index]) / Double(shares[index]),
      done: made[index].grouped, bytes: network.bytesSent(by: index),
      digest: told[index]?.digest, note: kills == 0 ? "" : kills.counted("kill"))
  }
}
