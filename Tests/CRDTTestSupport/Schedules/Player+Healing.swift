import CRDTKit

extension Player {
  /// Forgets what a replica's older events killed: all, or up to some event.
  mutating func cutLog(_ place: Int, _ number: Int, whole: Bool) {
    let columns = replicas[place].value._table.columns
    guard !columns.isEmpty else { return }
    let column = number % columns.count
    let seen = columns[column].seen
    let entries = columns[column].kills.entries
    let floor = max(columns[column].kills.floor, whole ? seen : seen / 2)
    replicas[place].value._table.columns[column].kills = KillLog(
      floor: floor, entries: entries.filter { $0.event > floor })
  }

  /// Lets every replica hear of all, by deltas; then all must be the same.
  mutating func heal() throws(Discrepancy) {
    for place in replicas.indices {
      for other in replicas.indices where other != place {
        let delta = replicas[other].value.delta(since: replicas[place].value.version)
        do throws(DeltaError) {
          try replicas[place].value.apply(decoding: delta.encoded())
        } catch {
          throw Discrepancy("a delta since the very version was refused: \(error)")
        }
        replicas[place].model.merge(replicas[other].model)
      }
      try inspect(place)
    }
    // The first ones heard before the last ones had: a whole merge brings the rest.
    guard let last = replicas.last else { return }
    for place in replicas.indices {
      replicas[place].value.merge(last.value)
      replicas[place].model.merge(last.model)
      try inspect(place)
      try check(replicas[place].value == last.value, "replica \(place) has not converged")
    }
  }
}
