extension DotTable {
  /// Makes an event of the replica that adds a row and removes others.
  ///
  /// - Complexity: O(removed rows · log(number of pages)).
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

  /// Makes an event that adds a row and removes others, without updating the index;
  /// returns the index of its column and its counter.
  @inlinable
  mutating func addRow(
    _ row: Row<Key, Payload>, by replica: ReplicaID, killing killed: some Collection<Dot>
  ) -> (column: Int, counter: UInt64) {
    let (place, counter) = makeEvent(by: replica)
    columns[place].fold(row)
    // The page of a register stays in use, because it is not empty in between.
    let isRegister = columns[place].rowCount == 1
    if !killed.isEmpty, !isRegister { kill(killed, by: counter, of: place) }
    columns[place].append(row, at: counter)
    rowCount &+= 1
    if !killed.isEmpty, isRegister { kill(killed, by: counter, of: place) }
    return (place, counter)
  }

  /// Makes an event of the replica that only removes rows.
  @inlinable
  package mutating func remove(_ killed: some Collection<Dot>, by replica: ReplicaID) {
    let index = prepareIndex()
    let (place, counter) = makeEvent(by: replica)
    columns[place].foldRemoval()
    kill(killed, by: counter, of: place)
    if let index { indexRemoval(at: counter, column: place, in: index) }
    checkInvariants()
  }

  /// Begins a stretch with the replica's next event here, and with its next event for
  /// each authority that it writes for.
  ///
  /// Call it when you open a store: this table may continue from the same events as
  /// another copy of the store. The nonce is random.
  package mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
    nextStretch = NextStretch(replica: replica, nonce: nonce)
  }

  /// Returns the number of the stretch that the replica's next event here belongs to; 0
  /// if it belongs to none.
  @inlinable
  package func stretchOfNextEvent(by replica: ReplicaID) -> UInt64 {
    let begun = column(of: replica).map { columns[$0].stretches.count } ?? 0
    return nextStretch?.begins(replica) == true ? begun + 1 : begun
  }

  /// Counts a new event of the replica; returns the index of its column and its counter.
  ///
  /// The caller then adds the event's parts to the fingerprint.
  @inlinable
  mutating func makeEvent(by replica: ReplicaID) -> (column: Int, counter: UInt64) {
    let place = columnPlace(of: replica)
    if place == columns.count || columns[place].replica != replica {
      columns.insert(Column(replica: replica), at: place)
    } else if columns[place].seen == Dot.counterMax {
      // Only a state forged by a hostile peer gets here; continue under another name.
      return makeEvent(by: ReplicaID.random())
    }
    columns[place].countEvent()
    if let next = nextStretch, next.begins(replica) {
      columns[place].stretches.begin(
        at: columns[place].seen, nonce: next.nonce, after: columns[place].fingerprint)
      columns[place].foldStretch(next.nonce)
      nextStretch?.begun.append(replica)
    }
    eventCount &+= 1
    return (place, columns[place].seen)
  }

  /// Removes live rows and records that the event removed them.
  ///
  /// Rows of consecutive events of a replica become one entry if they come in order.
  @inlinable
  mutating func kill(_ killed: some Collection<Dot>, by counter: UInt64, of killer: Int) {
    var entry: KillLog.Entry?
    for dot in killed {
      guard let place = column(of: dot.replica), columns[place].remove(dot.counter) else {
        continue
      }
      rowCount &-= 1
      if let last = entry {
        if last.isContinued(by: dot) {
          entry = KillLog.Entry(event: counter, killed: last.killed, count: last.count &+ 1)
          continue
        }
        columns[killer].note(last)
      }
      entry = KillLog.Entry(event: counter, killed: dot)
    }
    if let entry { columns[killer].note(entry) }
  }
}

extension Column {
  /// Records the rows that an event removed.
  @inlinable
  mutating func note(_ kill: KillLog.Entry) {
    kills.append(kill)
    fold(kill)
  }
}
