extension DotTable {
  /// Merges the state of another table into this one.
  ///
  /// If a replica has written in two places, the merge records that and renames the
  /// events of one place from the point where the two part; see ``Reissue``.
  ///
  /// - Complexity: O(pages of both), and O(rows) for pages in which the two tables differ
  ///   in their live rows. Pages that only the other table has are shared; keys are
  ///   neither hashed nor compared.
  @inlinable
  package mutating func merge(_ other: DotTable) {
    guard !other.columns.isEmpty else { return }
    guard !columns.isEmpty else {
      let next = nextStretch
      self = other
      nextStretch = next
      return
    }
    guard !isForked(from: other) else { return mergeMending(other) }
    guard forks.isEmpty, other.forks.isEmpty else { return mergeMended(other) }
    if !mergeSuccessor(other) { mergeUnforked(other) }
  }

  /// Merges another table if both are small, and nothing of one would be left beside the
  /// other; returns whether it is so.
  ///
  /// The benchmark is `mvregister.merge`.
  @inlinable
  mutating func mergeSuccessor(_ other: DotTable) -> Bool {
    guard rowCount <= Self.scannedCount, other.rowCount <= Self.scannedCount, order == nil,
      other.order == nil
    else { return false }
    if eventCount >= other.eventCount { return other.isPast(of: self) }
    guard index == nil, isPast(of: other, isReplaced: true) else { return false }
    columns = other.columns
    rowCount = other.rowCount
    eventCount = other.eventCount
    checkInvariants()
    return true
  }

  /// Returns whether a merge with this table leaves another one as it is; if `isReplaced`,
  /// whether it can also replace this one.
  @inlinable
  func isPast(of other: DotTable, isReplaced: Bool = false) -> Bool {
    guard columns.count <= other.columns.count else { return false }
    var place = 0
    for mine in columns.indices {
      let replica = columns[mine].replica
      while place < other.columns.count, other.columns[place].replica < replica { place &+= 1 }
      guard place < other.columns.count, other.columns[place].replica == replica,
        columns[mine].isPast(of: other.columns[place], isReplaced: isReplaced)
      else { return false }
    }
    return true
  }

  /// Merges another table, if no replica has written in two places.
  @inlinable
  mutating func mergeUnforked(_ other: DotTable) {
    detachIndex()
    detachOrder()
    let before = eventCount
    let changesTexts = mergeColumns(of: other)
    // Without an event, only a forged state changes a text.
    if changesTexts, eventCount == before { order = TextOrderCache() }
    extendIndexIfCheap()
    checkInvariants()
  }

  /// Merges the columns of another table, none of which is forked; returns whether an
  /// element of a text has come, gone or died.
  @inlinable
  @discardableResult
  mutating func mergeColumns(of other: DotTable) -> Bool {
    insertMissing(other.columns)
    var place = 0
    var changesTexts = false
    for theirs in other.columns.indices {
      while columns[place].replica < other.columns[theirs].replica { place &+= 1 }
      if mergeColumn(place, with: other.columns[theirs], after: 0) { changesTexts = true }
    }
    for fork in other.forks { noteFork(fork) }
    return changesTexts
  }

  /// Inserts columns for the replicas that only the other side knows.
  ///
  /// Columns are swapped, because copying one copies all its references.
  @inlinable
  mutating func insertMissing(_ others: ContiguousArray<Replica>) {
    var mine = 0
    var missing = 0
    for place in others.indices {
      while mine < columns.count, columns[mine].replica < others[place].replica { mine &+= 1 }
      if mine == columns.count || columns[mine].replica != others[place].replica { missing &+= 1 }
    }
    guard missing > 0 else { return }
    mine = columns.count
    columns.reserveCapacity(mine &+ missing)
    for place in others.indices.suffix(missing) {
      columns.append(Column(replica: others[place].replica))
    }
    // From the end, each goes to its place, and the free ones come down.
    var place = others.count
    while missing > 0 {
      place &-= 1
      while mine > 0, columns[mine &- 1].replica > others[place].replica {
        mine &-= 1
        columns.swapAt(mine, mine &+ missing)
      }
      if mine > 0, columns[mine &- 1].replica == others[place].replica { continue }
      missing &-= 1
      let replica = others[place].replica
      if columns[mine &+ missing].replica != replica {
        columns[mine &+ missing] = Column(replica: replica)
      }
    }
  }

  /// Merges another copy of a column, of the same line of events, as far as it concerns
  /// events after `base`; returns whether an element of a text has come, gone or died.
  @inlinable
  @discardableResult
  mutating func mergeColumn(_ place: Int, with theirs: Replica, after base: UInt64) -> Bool {
    var changesTexts = false
    let rowsBefore = columns[place].rowCount
    let seenBefore = columns[place].seen
    if seenBefore == 0 {
      columns[place] = theirs
    } else {
      if base == seenBefore, theirs.rowCount <= Replica.fewRows {
        columns[place].appendRows(of: theirs)
      } else {
        columns[place].mergeRows(of: theirs, after: base)
      }
      changesTexts = columns[place].mergeTexts(of: theirs, after: base)
      columns[place].advance(to: theirs)
    }
    if order == nil, !columns[place].texts.isEmpty { order = TextOrderCache() }
    rowCount &+= columns[place].rowCount &- rowsBefore
    eventCount &+= columns[place].seen &- seenBefore
    return changesTexts
  }

  /// Returns a replica that has written in two places according to both tables, or `nil`.
  @inlinable
  func fork(from other: DotTable) -> ReplicaID? {
    // Columns are read in place, because copying one copies four references.
    var place = 0
    for theirs in other.columns.indices {
      let replica = other.columns[theirs].replica
      while place < columns.count, columns[place].replica < replica { place &+= 1 }
      guard place < columns.count else { return nil }
      if columns[place].replica == replica, columns[place].isForked(from: other.columns[theirs]) {
        return replica
      }
    }
    return nil
  }

  @inlinable
  func isForked(from other: DotTable) -> Bool { fork(from: other) != nil }

  /// Records one more fork of a replica.
  @usableFromInline
  mutating func noteFork(of replica: ReplicaID) {
    let count = forks.first { $0.replica == replica }?.count ?? 0
    noteFork(NotedFork(replica: replica, count: count &+ 1))
  }

  /// Records a fork as often as another table has recorded it.
  @usableFromInline
  mutating func noteFork(_ fork: NotedFork) {
    guard let place = forks.firstIndex(where: { $0.replica == fork.replica }) else {
      return forks.append(fork)
    }
    forks[place].count = Swift.max(forks[place].count, fork.count)
  }
}

extension Column {
  /// Returns whether a merge with this column leaves another one, of the same line of
  /// events, as it is; if `isReplaced`, whether it can also replace this one.
  ///
  /// Then it must have all marks, stretches and removals that are known here, and none of the
  /// rows, which are not compared. Only a forged state has a row and has seen its removal.
  @inlinable
  borrowing func isPast(of other: borrowing Column, isReplaced: Bool) -> Bool {
    guard seen <= other.seen, origin == other.origin else { return false }
    if isReplaced {
      let hasLog =
        other.kills.floor <= kills.floor || seen < other.kills.floor && seen < other.seen
      let hasLastMark = seen == other.seen || other.history.fingerprint(at: seen) == fingerprint
      let hasMarks = hasLastMark && (seen == 1 || history.isBeginning(of: other.history))
      let hasStretches = stretches.isEmpty || stretches == other.stretches
      guard hasLog, hasMarks, hasStretches else { return false }
    }
    if other.rowCount == 0 { return true }
    var isPast = true
    other.forEachRow(in: 1...seen) { counter, _ in
      if isReplaced || find(counter) == nil { isPast = false }
    }
    return isPast
  }

  /// The greatest number of rows that are appended one by one, because a separate page
  /// for them would cost more.
  @inlinable
  static var fewRows: Int { 16 }

  /// Appends the rows of a delta that continues at the end of this column; all are new.
  @inlinable
  mutating func appendRows(of theirs: Column) {
    theirs.forEachRow { counter, row in append(row, at: counter) }
  }

  /// Merges the elements of another copy, as far as they concern events after `base`;
  /// returns whether anything has changed.
  @inlinable
  mutating func mergeTexts(of theirs: Column, after base: UInt64) -> Bool {
    if texts.isEmpty, theirs.texts.isEmpty { return false }
    guard base == seen else {
      return texts.merge(theirs.texts, seen: seen, theirs.seen, after: base)
    }
    texts.append(theirs.texts)
    return !theirs.texts.isEmpty
  }

  /// Counts the events of another copy as seen, after its rows were merged.
  @inlinable
  mutating func advance(to other: Column) {
    guard other.seen > seen else {
      // Of marks of an earlier format, keep those of the copy that had seen more.
      if other.seen == seen, other.origin > origin { takeMarks(of: other) }
      return
    }
    kills.extend(with: other.kills, after: seen)
    if origin == other.origin {
      history.append(fingerprint, at: seen)
      history.extend(with: other.history)
      fingerprint = other.fingerprint
    } else {
      takeMarks(of: other)
    }
    stretches.extend(with: other.stretches)
    seen = other.seen
    packIfThin()
  }
  /// Adopts the fingerprint and the marks of another copy.
  @inlinable
  mutating func takeMarks(of other: Column) {
    fingerprint = other.fingerprint
    origin = other.origin
    history = other.history
  }
}
