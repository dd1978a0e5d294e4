extension DotTable {
  /// The version, made without a copy of any column: each would cost as much as all the
  /// rest of its replica.
  @inlinable
  var walkedVersion: VersionVector {
    var version: VersionVector = [:]
    version.entries.reserveCapacity(columns.count)
    for place in columns.indices {
      version.entries.append(
        VersionVector.Entry(columns[place].replica, columns[place].seen))
    }
    return version
  }

  /// What this table knows and a version does not, as ``delta(since:)`` gives it; found
  /// in one walk over both where it is still known what the new events killed.
  ///
  /// - Complexity: O(number of replicas + what is new), as a walk: a search for each of
  ///   many replicas would cost more than all the rest of a small exchange.
  @inlinable
  func news(since version: VersionVector) -> Delta {
    var base: VersionVector = [:]
    var changed: ContiguousArray<Replica> = []
    base.entries.reserveCapacity(columns.count)
    var place = 0
    for column in columns.indices {
      let (replica, seen) = (columns[column].replica, columns[column].seen)
      while place < version.count, version[place].replica < replica { place &+= 1 }
      let isKnown = place < version.count && version[place].replica == replica
      let known = isKnown ? Swift.min(version[place].counter, seen) : 0
      guard columns[column].kills.floor <= known else { return delta(since: version) }
      if known > 0 { base.entries.append(VersionVector.Entry(replica, known)) }
      if known < seen { changed.append(columns[column].part(after: known)) }
    }
    return Delta(base: base, columns: changed)
  }
}
