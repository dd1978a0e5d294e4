extension DotTable {
  /// Makes an event of the replica that adds a row and kills others.
  ///
  /// - Complexity: O(killed rows · log(number of pages)).
  @inlinable
  package mutating func write(
    _ row: consuming Row<Key, Payload>, by replica: ReplicaID, killing killed: some Sequence<Dot>
  ) {
    let isCovered = prepareIndex()
    let content = row.key.fingerprint ^ (row.payload.fingerprint &* 3)
    let (place, counter) = makeEvent(by: replica, content: content)
    kill(killed, by: counter, of: place)
    let key = row.key
    columns[place].append(row, at: counter)
    rowCount &+= 1
    indexWrite(of: key, at: counter, column: place, wasCovered: isCovered)
    checkInvariants()
  }

  /// Makes an event of the replica that only kills rows.
  @inlinable
  package mutating func remove(_ killed: some Sequence<Dot>, by replica: ReplicaID) {
    let isCovered = prepareIndex()
    let (place, counter) = makeEvent(by: replica, content: 0)
    kill(killed, by: counter, of: place)
    indexRemoval(at: counter, column: place, wasCovered: isCovered)
    checkInvariants()
  }

  /// Counts a new event of the replica; gives the place of its column and its
  /// counter.
  @inlinable
  mutating func makeEvent(
    by replica: ReplicaID, content: UInt64
  ) -> (column: Int, counter: UInt64) {
    let place = columnPlace(of: replica)
    if place == columns.count || columns[place].replica != replica {
      columns.insert(Column(replica: replica), at: place)
    }
    precondition(
      columns[place].seen < Dot.counterMax, "a replica can make 2⁴⁸ − 1 events, not more")
    columns[place].seen &+= 1
    eventCount &+= 1
    columns[place].foldIntoFingerprint(content)
    return (place, columns[place].seen)
  }

  /// Kills live rows and notes that the event did.
  @inlinable
  mutating func kill(_ killed: some Sequence<Dot>, by counter: UInt64, of killer: Int) {
    for dot in killed {
      guard let place = column(of: dot.replica), columns[place].remove(dot.counter) else {
        continue
      }
      rowCount &-= 1
      columns[killer].kills.append(KillLog.Entry(event: counter, killed: dot))
      columns[killer].foldIntoFingerprint(dot.replica.rawValue ^ dot.counter)
    }
  }
}

extension Column {
  /// Takes part of an event into the running fingerprint.
  @inlinable
  mutating func foldIntoFingerprint(_ word: UInt64) {
    var running = Fingerprint(UInt64(fingerprint))
    running.combine(word)
    fingerprint = UInt32(truncatingIfNeeded: running.value &>> 32)
  }
}
