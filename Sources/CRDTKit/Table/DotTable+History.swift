extension DotTable {
  /// Whether it is still known here what all events killed that a version has not
  /// seen.
  @inlinable
  package func isLogWhole(since version: VersionVector) -> Bool {
    columns.allSatisfy { $0.kills.floor <= Swift.min(version[$0.replica], $0.seen) }
  }

  /// What this table knows and the version does not, with a history of what was
  /// forgotten here; `nil` where the two together don't reach back to the version.
  ///
  /// Whoever takes it in comes to the same as by ``delta(since:)``, and can pass on
  /// what was removed as well.
  ///
  /// - Complexity: O(number of replicas + what is new, with all that was removed
  ///   since the version).
  @inlinable
  package func delta(since version: VersionVector, history: RemovalHistory) -> Delta? {
    var delta = Delta(base: [:], columns: [])
    for column in columns {
      let known = Swift.min(version[column.replica], column.seen)
      if known > 0 {
        delta.base.entries.append(VersionVector.Entry(column.replica, known))
      }
      guard known < column.seen else { continue }
      let found = history.kills(of: column.replica, after: known, then: column.kills)
      guard let kills = found else { return nil }
      var part = column.part(after: known, isLogged: false)
      part.kills = kills
      delta.columns.append(part)
    }
    return delta
  }
}
