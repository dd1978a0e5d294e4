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
    for index in shares.indices where presence[index] == .here && !killed.contains(index) {
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
    for (index, report) in result.reports.enumerated() where presence[index] == .here {
      recorder.record(
        .check, index, digest: report.digest,
        value: told[index] == nil ? report.state.value : nil)
    }
    if !result.hasConverged { recorder.record(.violation, detail: result.verdict) }
    recorder.record(.end, detail: result.verdict)
  }
}
