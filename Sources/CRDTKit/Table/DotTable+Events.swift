extension DotTable {
  /// Makes an event of the replica that adds a row and kills others.
  ///
  /// - Complexity: O(killed rows · log(number of pages)).
  @inlinable
  package mutating func write(
    _ row: consuming Row<Key, Payload>, by replica: ReplicaID, killing killed: some Collection<Dot>
  ) {
    let index = prepareIndex()
    let key = row.key
    let (place, counter) = addRow(row, by: replica, killing: killed)
    if let index { indexWrite(of: key, at: counter, column: place, in: index) }
    checkInvariants()
  }

  /// Makes an event that adds a row and kills others, all but the index's part;
  /// gives the place of its column and its counter.
  @inlinable
  mutating func addRow(
    _ row: Row<Key, Payload>, by replica: ReplicaID, killing killed: some Collection<Dot>
  ) -> (column: Int, counter: UInt64) {
    let content = Replica.content(of: row)
    let (place, counter) = makeEvent(by: replica, content: content)
    if !killed.isEmpty { kill(killed, by: counter, of: place) }
    columns[place].append(row, at: counter)
    rowCount &+= 1
    return (place, counter)
  }

  /// Makes an event of the replica that only kills rows.
  @inlinable
  package mutating func remove(_ killed: some Collection<Dot>, by replica: ReplicaID) {
    let index = prepareIndex()
    let (place, counter) = makeEvent(by: replica, content: 0)
    kill(killed, by: counter, of: place)
    if let index { indexRemoval(at: counter, column: place, in: index) }
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
    } else if columns[place].seen == Dot.counterMax {
      // Only a state made up by a hostile peer gets here: go on under another name.
      return makeEvent(by: ReplicaID(Fingerprint.of(replica.rawValue)), content: content)
    }
    columns[place].countEvent(content)
    eventCount &+= 1
    return (place, columns[place].seen)
  }

  /// Kills live rows and notes that the event did.
  @inlinable
  mutating func kill(_ killed: some Collection<Dot>, by counter: UInt64, of killer: Int) {
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
  /// Counts a new event of the replica.
  @inlinable
  mutating func countEvent(_ content: UInt64) {
    if seen > 0 { history.append(fingerprint, at: seen) }
    seen &+= 1
    foldIntoFingerprint(content)
  }

  /// Takes part of an event into the running fingerprint.
  @inlinable
  mutating func foldIntoFingerprint(_ word: UInt64) {
    fingerprint = Self.fold(word, into: fingerprint)
  }

  /// A running fingerprint with one more word in it.
  @inlinable
  static func fold(_ word: UInt64, into fingerprint: UInt32) -> UInt32 {
    var running = Fingerprint(UInt64(fingerprint))
    running.combine(word)
    return UInt32(truncatingIfNeeded: running.value &>> 32)
  }

  /// What an event that adds a row puts into the fingerprint.
  @inlinable
  static func content(of row: Row<Key, Payload>) -> UInt64 {
    row.key.fingerprint ^ (row.payload.fingerprint &* 3)
  }
}
