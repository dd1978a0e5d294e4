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
    let (place, counter) = makeEvent(by: replica)
    columns[place].fold(row)
    if !killed.isEmpty { kill(killed, by: counter, of: place) }
    columns[place].append(row, at: counter)
    rowCount &+= 1
    return (place, counter)
  }

  /// Makes an event of the replica that only kills rows.
  @inlinable
  package mutating func remove(_ killed: some Collection<Dot>, by replica: ReplicaID) {
    let index = prepareIndex()
    let (place, counter) = makeEvent(by: replica)
    columns[place].foldRemoval()
    kill(killed, by: counter, of: place)
    if let index { indexRemoval(at: counter, column: place, in: index) }
    checkInvariants()
  }

  /// Begins a stretch with the next event that a replica makes here, and one with its next
  /// for each authority that it writes for.
  ///
  /// Call it where this table may go on from the same events as another one does: when a
  /// store is opened. The nonce is random.
  package mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
    nextStretch = NextStretch(replica: replica, nonce: nonce)
  }

  /// The number of the stretch that the replica's next event here is in; 0 where it is in
  /// none.
  @inlinable
  package func stretchOfNextEvent(by replica: ReplicaID) -> UInt64 {
    let begun = column(of: replica).map { columns[$0].stretches.count } ?? 0
    return nextStretch?.begins(replica) == true ? begun + 1 : begun
  }

  /// Counts a new event of the replica; gives the place of its column and its counter.
  ///
  /// What it says is still to be folded into the fingerprint.
  @inlinable
  mutating func makeEvent(by replica: ReplicaID) -> (column: Int, counter: UInt64) {
    let place = columnPlace(of: replica)
    if place == columns.count || columns[place].replica != replica {
      columns.insert(Column(replica: replica), at: place)
    } else if columns[place].seen == Dot.counterMax {
      // Only a state made up by a hostile peer gets here: go on under another name.
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

  /// Kills live rows and notes that the event did; those born by consecutive events of a
  /// replica as one, where they come in order.
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
  /// Notes what an event has killed.
  @inlinable
  mutating func note(_ kill: KillLog.Entry) {
    kills.append(kill)
    fold(kill)
  }
}
