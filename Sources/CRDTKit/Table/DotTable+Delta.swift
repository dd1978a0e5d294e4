extension DotTable {
  /// The changes of a table that a version does not contain.
  ///
  /// You can apply it only to a table that has seen the events of its base. Without that
  /// condition (Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018,
  /// section 4.2), two tables could have the same version and different rows.
  @frozen
  public struct Delta: Sendable {
    /// The form in which a delta lists removals of rows that the base had seen.
    @frozen
    @usableFromInline
    package enum Removals: Sendable {
      /// Removed rows, listed by the events that removed them, in the columns' logs.
      case kills
      /// Rows that still live, listed for each replica; all others were removed.
      case survivors(ContiguousArray<LiveEvents>)
    }

    /// The events that a table must have seen before the delta can be applied to it.
    @usableFromInline package var base: VersionVector
    /// A mark for each replica of the base without new events; may be empty.
    @usableFromInline var baseMarks: ContiguousArray<KnownMark>
    /// The columns with new events: their rows and removals after the base.
    ///
    /// It has all columns if it lists survivors.
    @usableFromInline package var columns: ContiguousArray<Replica>
    @usableFromInline package var removals: Removals

    @inlinable
    package init(
      base: VersionVector, marks: ContiguousArray<KnownMark> = [],
      columns: ContiguousArray<Replica>, removals: Removals = .kills
    ) {
      self.base = base
      baseMarks = marks
      self.columns = columns
      self.removals = removals
    }
  }

  /// Returns the changes of this table that `version` does not contain.
  ///
  /// You can apply the delta to any table that has seen the version. It shares its pages
  /// with this table.
  ///
  /// - Complexity: O(number of replicas + changes); O(number of pages) if the version is
  ///   so old that the later removals have been forgotten.
  @inlinable
  package func delta(since version: VersionVector) -> Delta {
    var base: VersionVector = [:]
    base.entries.reserveCapacity(columns.count)
    var marks: ContiguousArray<KnownMark> = []
    marks.reserveCapacity(columns.count)
    var isLogWhole = true
    var changed: ContiguousArray<(place: Int, known: UInt64)> = []
    // One walk over both lists, because a search for each of many replicas would
    // dominate.
    var next = 0
    for place in columns.indices {
      let (replica, seen) = (columns[place].replica, columns[place].seen)
      while next < version.entries.count, version.entries[next].replica < replica { next &+= 1 }
      let isKnown = next < version.entries.count && version.entries[next].replica == replica
      let known = isKnown ? Swift.min(version.entries[next].counter, seen) : 0
      if known > 0 {
        base.entries.append(VersionVector.Entry(replica, known))
        marks.append(
          known == seen
            ? columns[place].knownMark(for: version.entries[next].counter) : KnownMark())
      }
      if known < seen { changed.append((place, known)) }
      isLogWhole = isLogWhole && columns[place].kills.floor <= known
    }
    guard !changed.isEmpty else {
      return Delta(base: base, marks: marks, columns: [])
    }
    if isLogWhole {
      return Delta(
        base: base, marks: marks,
        columns: ContiguousArray(changed.map { columns[$0.place].part(after: $0.known) })
      )
    }
    return Delta(
      base: base, marks: marks,
      columns: ContiguousArray(columns.map { $0.part(after: base[$0.replica], isLogged: false) }),
      removals: .survivors(
        ContiguousArray(columns.map { $0.survivors(upTo: base[$0.replica]) }))
    )
  }

  /// Applies a delta, and returns whether it contained anything new.
  ///
  /// - Complexity: O(number of replicas + new changes in the delta).
  /// - Throws: ``DeltaError/gap(missing:)`` if this table has not seen all events of the
  ///   delta's base; ``DeltaError/fork(_:)`` if another place has written under a
  ///   replica's name. The table is unchanged then.
  @inlinable
  @discardableResult
  package mutating func apply(_ delta: Delta) throws(DeltaError) -> Bool {
    try check(delta)
    // Columns are read in place, because copying one copies four references.
    guard delta.columns.indices.contains(where: { isNew(delta.columns[$0]) }) else {
      return false
    }
    takeIn(delta)
    return true
  }

  /// Applies a delta whose base has been seen here.
  @inlinable
  mutating func takeIn(_ delta: Delta) {
    detachIndex()
    detachOrder()
    let isIndexed = index?.index.pointee.coveredEvents == eventCount
    insertMissing(delta.columns)
    if case .survivors(let survivors) = delta.removals { keepOnly(survivors, or: delta) }
    var killed: [Int: ContiguousArray<ClosedRange<UInt64>>] = [:]
    for place in delta.columns.indices where !delta.columns[place].kills.entries.isEmpty {
      let known = seen(of: delta.columns[place].replica)
      kill(delta.columns[place].kills.entries(after: known), texts: &killed)
    }
    for (place, counters) in killed { columns[place].texts.kill(counters) }
    for place in delta.columns.indices where isNew(delta.columns[place]) {
      guard let mine = column(of: delta.columns[place].replica) else { continue }
      let base = delta.base[delta.columns[place].replica]
      mergeColumn(mine, with: delta.columns[place], after: base)
    }
    extendIndexIfCheap(by: isIndexed ? delta.columns : nil)
    checkInvariants()
  }

  /// Returns whether a column has events that have not been seen here.
  @inlinable
  func isNew(_ theirs: borrowing Replica) -> Bool {
    theirs.seen > seen(of: theirs.replica)
  }

  /// Removes rows that events of other replicas have removed, and adds the elements of texts
  /// to those to be marked as dead, by the index of their column.
  @inlinable
  mutating func kill(
    _ entries: KillLog.Part, texts: inout [Int: ContiguousArray<ClosedRange<UInt64>>]
  ) {
    for entry in entries {
      guard let place = column(of: entry.killed.replica) else { continue }
      if !columns[place].texts.isEmpty { texts[place, default: []].append(entry.counters) }
      if entry.count > 1 {
        rowCount &-= columns[place].remove(entry.counters)
      } else if columns[place].remove(entry.killed.counter) {
        rowCount &-= 1
      }
    }
  }

  /// Throws if the delta's base has not been seen or if the delta shows a fork.
  @inlinable
  func check(_ delta: Delta) throws(DeltaError) {
    if !contains(delta.base) {
      throw .gap(missing: delta.base.subtracting(version))
    }
    for place in delta.baseMarks.indices {
      let entry = delta.base[place]
      guard let mine = column(of: entry.replica) else { continue }
      if columns[mine].contradicts(delta.baseMarks[place], upTo: entry.counter) {
        throw .fork(entry.replica)
      }
    }
    for place in delta.columns.indices {
      let replica = delta.columns[place].replica
      guard delta.columns[place].seen > delta.base[replica], let mine = column(of: replica)
      else { continue }
      if columns[mine].isForked(from: delta.columns[place])
        || columns[mine].isContinuedOtherwise(
          by: delta.columns[place], after: delta.base[replica])
      {
        throw .fork(replica)
      }
    }
  }

  @inlinable
  package init(columns: ContiguousArray<Replica>) {
    self.init()
    self.columns = columns
    rowCount = columns.reduce(0) { $0 &+ $1.rowCount }
    eventCount = columns.reduce(0) { $0 &+ $1.seen }
    if hasTexts { order = TextOrderCache() }
    extendIndexIfCheap()
  }

  /// Removes the rows that a delta has seen and does not list as survivors.
  @inlinable
  mutating func keepOnly(_ survivors: ContiguousArray<LiveEvents>, or delta: Delta) {
    for (theirs, listed) in zip(delta.columns, survivors) {
      guard let place = column(of: theirs.replica) else { continue }
      let alive = listed.rows
      if !columns[place].texts.isEmpty {
        columns[place].texts.keepOnly(
          listed.texts.joined(theirs.texts.blocks()), upTo: theirs.seen)
      }
      var dead: ContiguousArray<UInt64> = []
      columns[place].forEachRow { counter, _ in
        if counter <= theirs.seen, !alive.contains(counter), theirs.find(counter) == nil {
          dead.append(counter)
        }
      }
      for counter in dead where columns[place].remove(counter) { rowCount &-= 1 }
    }
  }
}

extension DotTable.Delta {
  /// The number of rows in the delta.
  @inlinable
  var rowCount: Int { columns.reduce(0) { $0 &+ $1.rowCount } }
}

extension Column {
  /// Returns the part of the column after an event: its rows and removals.
  @inlinable
  package borrowing func part(after base: UInt64, isLogged: Bool = true) -> Column {
    if base == 0, isLogged, kills.floor == 0 { return copy self }
    let (pages, count) = pages(after: base)
    // Made from its parts at once: a variable would be copied when it is returned, with all its
    // references.
    return Column(
      replica: replica, seen: seen, fingerprint: fingerprint, origin: origin,
      history: history.part(from: FingerprintHistory.lastKept(upTo: base, before: seen)),
      stretches: stretches.isEmpty ? stretches : stretches.part(after: base),
      pageSlots: pages, rowCount: count,
      kills: isLogged ? kills.part(after: base) : KillLog(floor: seen),
      texts: texts.isEmpty ? texts : texts.part(after: base))
  }

  /// Returns the pages with the rows after an event, and the number of these rows.
  @inlinable
  borrowing func pages(after base: UInt64) -> (SharedList<PageSlot>, count: Int) {
    if seen &- base == 1 {
      guard let row = searchedAddress(of: seen) else { return (SharedList(), 0) }
      return (SharedList([PageSlot(Rows.alone(row.pointee, at: seen))]), 1)
    }
    var pages = SharedList<PageSlot>()
    var count = 0
    var place = Swift.max(pageSlot(of: base &+ 1), 0)
    while place < pageSlots.count {
      let page = pageSlots[place].page
      let new = page.live & ~page.slots(upTo: base)
      if new == page.live {
        pages.append(pageSlots[place])
      } else if !new.isEmpty {
        pages.append(PageSlot(page.copied(keeping: new, room: new.count)))
      }
      count &+= new.count
      place &+= 1
    }
    return (pages, count)
  }

  /// Returns the live rows and elements of the events up to the given one.
  @inlinable
  package func survivors(upTo base: UInt64) -> LiveEvents {
    LiveEvents(rows: rowRuns(upTo: base), texts: texts.blocks(upTo: base))
  }

  /// Returns the live rows of the events up to the given one.
  @inlinable
  func rowRuns(upTo base: UInt64) -> CounterRuns {
    var survivors = CounterRuns()
    for pageSlot in pageSlots where pageSlot.start <= base {
      let page = pageSlot.page
      let live = page.live & page.slots(upTo: base)
      var slot = live.next(from: 0)
      while slot < LiveBits.slotCount {
        survivors.append(page.counter(at: slot))
        slot = live.next(from: slot &+ 1)
      }
    }
    return survivors
  }
}
