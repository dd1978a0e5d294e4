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
    SimulationProgress.Row(
      share: shares[index] == 0 ? 1 : Double(made[index]) / Double(shares[index]),
      done: made[index].grouped, bytes: network.bytesSent(by: index),
      digest: told[index]?.digest, note: note(on: index))
  }

  private func note(on index: Int) -> String {
    if presence[index] == .away { return "to come" }
    if presence[index] == .gone { return "left" }
    if standstills[index] != nil { return "stopped" }
    let kills = mortals[index].kills
    return kills == 0 ? "" : kills.counted("kill")
  }
}
