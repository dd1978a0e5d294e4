extension DotTable {
  /// The dots of all live rows, in order.
  ///
  /// - Complexity: O(rows).
  @inlinable
  package func dots() -> ContiguousArray<Dot> {
    var dots: ContiguousArray<Dot> = []
    dots.reserveCapacity(rowCount)
    forEachRow { dot, _ in dots.append(dot) }
    return dots
  }

  /// Returns the dots of the live rows with a key, for a change that follows.
  ///
  /// It updates the index in place.
  @inlinable
  package mutating func dotsForChange(of key: Key) -> ContiguousArray<Dot> {
    _ = prepareIndex()
    return dots(of: key)
  }

  /// Makes an event of the replica that replaces all rows with a key by one; returns
  /// whether there were any.
  @inlinable
  @discardableResult
  package mutating func replace(
    _ key: Key, with payload: Payload, by replica: ReplicaID
  ) -> Bool {
    if replaceOnlyRow(of: key, with: payload, by: replica) { return true }
    var isThere = false
    if index == nil, rowCount < Self.scannedCount {
      // Without an array of their dots, which takes as long as all the rest.
      var first: Dot?
      var count = 0
      forEachMatch(of: key) { dot in
        if count == 0 { first = dot }
        count &+= 1
      }
      let row = Row(key: key, payload: payload)
      if let first, count == 1 {
        write(row, by: replica, killing: CollectionOfOne(first))
        return true
      } else if count == 0 {
        write(row, by: replica, killing: EmptyCollection())
        return false
      }
    }
    rewrite(key, by: replica) { _, dots in
      isThere = !dots.isEmpty
      return Row(key: key, payload: payload)
    }
    return isThere
  }

  /// Does the same if the only row of the table is the replica's own and has the key;
  /// returns whether it is.
  ///
  /// The row is replaced where it stands. The benchmark is `mvregister.set`.
  @inlinable
  mutating func replaceOnlyRow(
    of key: Key, with payload: Payload, by replica: ReplicaID
  ) -> Bool {
    guard rowCount == 1, index == nil, nextStretch?.begins(replica) != true,
      let place = column(of: replica),
      columns[place].replaceOnlyRow(by: Row(key: key, payload: payload))
    else { return false }
    eventCount &+= 1
    checkInvariants()
    return true
  }

  /// Makes an event of the replica that replaces all rows with a key by the row that the
  /// body makes from their dots.
  ///
  /// Makes none if the body returns none; returns whether it made one.
  @inlinable
  @discardableResult
  package mutating func rewrite(
    _ key: Key, by replica: ReplicaID,
    _ makeRow: (_ table: DotTable, _ dots: ContiguousArray<Dot>) -> Row<Key, Payload>?
  ) -> Bool {
    guard let index = prepareIndex(), index.pointee.hasRoom, index.pointee.crowds.isEmpty
    else {
      let dots = dots(of: key)
      guard let row = makeRow(self, dots) else { return false }
      write(row, by: replica, killing: dots)
      return true
    }
    // One pass over the index finds both the rows to remove and the slot of the new
    // entry.
    let hash = index.pointee.hash(of: key)
    growIfFull(index.pointee.segment(of: hash), in: index)
    var dots: ContiguousArray<Dot> = []
    var target = -1
    let free = probe(
      hash, in: index, where: { KeyIdentity.areSame($0, key) },
      live: { dot, slot, _ in
        dots.append(dot)
        target = slot
      },
      dead: { slot in target = slot })
    if dots.count > 1 { dots.sort() }
    guard let row = makeRow(self, dots) else { return false }
    guard let slot = target < 0 ? free : target else {
      write(row, by: replica, killing: dots)
      return true
    }
    let (place, counter) = addRow(row, by: replica, killing: dots)
    follow(with: index)
    if let entry = index.pointee.entry(at: counter, column: place, hash: hash) {
      index.pointee.place(entry, hash: hash, at: slot, isFree: target < 0)
    } else {
      addToCrowd(Dot(columns[place].replica, counter), of: hash, in: index)
    }
    index.pointee.cover(counter, column: place, events: eventCount)
    checkInvariants()
    return true
  }

  /// Makes an event of the replica that removes all rows with a key, if there are any;
  /// returns whether there were.
  @inlinable
  @discardableResult
  package mutating func removeAll(of key: Key, by replica: ReplicaID) -> Bool {
    _ = prepareIndex()
    var (row, count) = (nil as Dot?, 0)
    forEachMatch(of: key) { (row, count) = ($0, count &+ 1) }
    guard let row else { return false }
    if count == 1 {
      remove(CollectionOfOne(row), by: replica)
    } else {
      remove(dots(of: key), by: replica)
    }
    return true
  }

  /// Returns the delta of an edit that a replica has made since a version.
  ///
  /// Its base lists only the events that the replica's previous edit had not seen,
  /// because a copy with that edit has seen the rest. It also lists the replicas whose
  /// rows were removed or that a row names.
  ///
  /// The delta of an edit without changes has an empty base, so no copy refuses it.
  ///
  /// If the replica's counters are used up, other replicas have made events in its place.
  /// Then this is an ordinary delta.
  @inlinable
  package mutating func editDelta(
    since before: VersionVector, by replica: ReplicaID
  ) -> Delta {
    let known = before[replica]
    let count = before.entries.reduce(0) { $0 &+ $1.counter }
    guard count != eventCount else { return Delta(base: [:], columns: []) }
    guard let place = column(of: replica), columns[place].seen > known,
      eventCount &- count == columns[place].seen &- known
    else { return delta(since: before) }
    let previous = lastEdit
    lastEdit = LastEdit(dot: Dot(replica, columns[place].seen), before: before)
    guard columns[place].kills.floor <= known else { return delta(since: before) }
    var base = before
    if let previous, previous.dot.replica == replica { base = previous.compacted(before) }
    // It is made in the delta's array, because copying a column copies all its references.
    let parts: ContiguousArray = [columns[place].part(after: known)]
    // A copy may have received the previous edit from a peer that knows another line of
    // events under a name that this edit mentions. The mark shows that. Entries that were
    // not left out are in the base already.
    if base.count < before.count {
      parts[0].forEachNamedReplica { other in
        if other != replica, base[other] == 0 { base[other] = before[other] }
      }
    }
    // Its own events are marked by the column. Mostly the base has no others.
    guard base.count != 1 || base.entries[0].replica != replica else {
      return Delta(base: base, marks: KnownMark.ofOne, columns: parts)
    }
    var marks: ContiguousArray<KnownMark> = []
    marks.reserveCapacity(base.count)
    for entry in base {
      if entry.replica != replica, let other = column(of: entry.replica) {
        marks.append(columns[other].knownMark(for: entry.counter))
      } else {
        marks.append(KnownMark())
      }
    }
    return Delta(base: base, marks: marks, columns: parts)
  }

  /// Returns a table that has seen the same events and holds only some rows, under other
  /// keys.
  ///
  /// - Complexity: O(number of replicas + `dots.count`).
  @inlinable
  package func restricted<Inner>(
    to dots: some RandomAccessCollection<Dot>, key: (Key) -> Inner
  ) -> DotTable<Inner, Payload> {
    var next = dots.startIndex
    var parts: ContiguousArray<DotTable<Inner, Payload>.Replica> = []
    parts.reserveCapacity(columns.count)
    for place in columns.indices {
      var part = Column<Inner, Payload>(
        replica: columns[place].replica, seen: columns[place].seen,
        fingerprint: columns[place].fingerprint, origin: columns[place].origin)
      part.history = columns[place].history
      part.stretches = columns[place].stretches
      let first = next
      while next < dots.endIndex, dots[next].replica == part.replica {
        next = dots.index(after: next)
      }
      if first < next { columns[place].copy(dots[first..<next], to: &part, key: key) }
      parts.append(part)
    }
    return DotTable<Inner, Payload>(columns: parts)
  }
}

extension Column {
  /// Copies the rows of some dots of the replica to an empty column, under other keys.
  @inlinable
  func copy<Inner>(
    _ dots: some Collection<Dot>, to part: inout Column<Inner, Payload>, key: (Key) -> Inner
  ) {
    if dots.count == 1, let dot = dots.first, let row = searchedAddress(of: dot.counter) {
      // Most often one row, which needs no builder.
      let row = Row(key: key(row.pointee.key), payload: row.pointee.payload)
      return part.append(alone: row, at: dot.counter)
    }
    var builder = PageBuilder<Inner, Payload>(seen: seen)
    for dot in dots {
      guard let row = row(at: dot.counter) else { continue }
      builder.append(Row(key: key(row.key), payload: row.payload), at: dot.counter)
      part.rowCount &+= 1
    }
    part.pageSlots = SharedList(builder.finish())
  }
}

/// The last event of an edit, and the version that its replica had seen before the edit.
///
/// States are causally closed, so a copy with that event has seen all of this version.
/// The next edit's delta need not list it again.
@frozen
@usableFromInline
package struct LastEdit: Sendable {
  @usableFromInline let dot: Dot
  @usableFromInline let before: VersionVector

  @inlinable
  init(dot: Dot, before: VersionVector) {
    self.dot = dot
    self.before = before
  }

  /// Returns the fewest entries that still imply all events of a version.
  @inlinable
  func compacted(_ version: VersionVector) -> VersionVector {
    guard version.count > 1, version[dot.replica] == dot.counter else { return version }
    return VersionVector(
      sortedEntries: version.entries.filter {
        $0.replica == dot.replica || before[$0.replica] != $0.counter
      })
  }
}
