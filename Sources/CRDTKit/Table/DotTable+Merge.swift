extension DotTable {
  /// Takes in all that another table knows.
  ///
  /// A replica that has written in two places is noted in ``forks``, where both
  /// sides have seen as many of its events; which of the two rows of one dot
  /// stays is then the same on every side.
  ///
  /// - Complexity: O(pages of both), and O(rows) of the pages whose rows' fates
  ///   differ. Pages that only the other table has are shared; keys are neither
  ///   hashed nor compared.
  @inlinable
  public mutating func merge(_ other: DotTable) {
    guard !other.columns.isEmpty else { return }
    guard !columns.isEmpty else {
      self = other
      return
    }
    detachIndex()
    insertMissingColumns(of: other)
    var place = 0
    for theirs in other.columns {
      while columns[place].replica < theirs.replica { place &+= 1 }
      mergeColumn(place, with: theirs, after: 0)
    }
    for replica in other.forkedReplicas { noteFork(of: replica) }
    extendIndexIfCheap()
    checkInvariants()
  }

  /// Makes room for the replicas that only the other table knows.
  @inlinable
  mutating func insertMissingColumns(of other: DotTable) {
    var merged: ContiguousArray<Replica> = []
    var mine = 0
    for theirs in other.columns {
      while mine < columns.count, columns[mine].replica < theirs.replica {
        if !merged.isEmpty { merged.append(columns[mine]) }
        mine &+= 1
      }
      if mine < columns.count, columns[mine].replica == theirs.replica {
        if !merged.isEmpty { merged.append(columns[mine]) }
        mine &+= 1
      } else {
        if merged.isEmpty {
          merged.reserveCapacity(columns.count &+ other.columns.count)
          merged.append(contentsOf: columns[..<mine])
        }
        merged.append(Column(replica: theirs.replica))
      }
    }
    guard !merged.isEmpty else { return }
    merged.append(contentsOf: columns[mine...])
    columns = merged
  }

  /// Takes in what another copy of a column says of the events after `base`.
  @inlinable
  mutating func mergeColumn(_ place: Int, with theirs: Replica, after base: UInt64) {
    let rowsBefore = columns[place].rowCount
    let seenBefore = columns[place].seen
    if seenBefore == 0 {
      columns[place] = theirs
    } else if columns[place].isForked(from: theirs) {
      noteFork(of: theirs.replica)
      columns[place].mergeForked(theirs)
    } else {
      columns[place].mergeRows(of: theirs, after: base)
      columns[place].advance(to: theirs)
    }
    rowCount &+= columns[place].rowCount &- rowsBefore
    eventCount &+= columns[place].seen &- seenBefore
  }

  @usableFromInline
  mutating func noteFork(of replica: ReplicaID) {
    if !forkedReplicas.contains(replica) { forkedReplicas.append(replica) }
  }
}

extension Column {
  /// Whether as many events of the replica were seen on both sides, but others.
  @inlinable
  package func isForked(from other: Column) -> Bool {
    seen == other.seen && fingerprint != other.fingerprint
  }

  /// Counts as seen what another copy has seen, whose rows were taken in.
  @inlinable
  mutating func advance(to other: Column) {
    guard other.seen > seen else { return }
    kills.extend(with: other.kills, after: seen)
    seen = other.seen
    fingerprint = other.fingerprint
    packIfThin()
  }

  /// Merges two columns under one name that hold different events.
  ///
  /// Nothing can make that right; it can be made the same on both sides: of two
  /// rows with one dot, the one whose canonical form is greater stays.
  @usableFromInline
  mutating func mergeForked(_ other: Column) {
    var builder = PageBuilder<Key, Payload>(seen: seen)
    var count = 0
    forEachRow { counter, row in
      guard let found = other.find(counter) else { return }
      let theirs = other.sheets[found.sheet].page.row(at: found.slot)
      builder.append(row.precedes(theirs) ? theirs : copy row, at: counter)
      count += 1
    }
    sheets = builder.finish()
    rowCount = count
    fingerprint = max(fingerprint, other.fingerprint)
    kills = KillLog(floor: seen)
  }
}

extension Row {
  /// Whether the row's canonical form comes before another's.
  func precedes(_ other: Row) -> Bool {
    var mine = ByteWriter()
    key.encode(to: &mine)
    payload.encode(to: &mine)
    var theirs = ByteWriter()
    other.key.encode(to: &theirs)
    other.payload.encode(to: &theirs)
    return mine.finish().lexicographicallyPrecedes(theirs.finish())
  }
}
