/// The repair of one fork.
@usableFromInline
package struct Mended: Sendable {
  package let reissue: Reissue
  /// Whether the renamed line was in the table, not in the delta.
  @usableFromInline package let isMine: Bool
  /// Whether the two lines were on the same side; that they share a name was found while
  /// another fork was repaired.
  package let isWithinSide: Bool
  /// The last renamed event.
  package let last: UInt64

  /// The replica that has written in two places.
  @usableFromInline package var replica: ReplicaID { reissue.replica }

  /// The number of renamed events.
  package var events: UInt64 { last - reissue.parting }
}

extension DotTable {
  /// Renames lines of events in a table and in a delta to be applied to it, until no two
  /// events of the two sides share a dot.
  ///
  /// The rows and removals of each side refer to that side's lines. So all lines are
  /// renamed before anything is applied. Otherwise a removal by one side could name a row
  /// of the other side's line.
  struct ForkMender {
    private(set) var table: DotTable
    private(set) var delta: Delta
    private(set) var mended: ContiguousArray<Mended> = []
    /// The lines of the delta that keep the names of the lines renamed in the table.
    private(set) var taken: [ReplicaID: Replica] = [:]

    init(_ table: DotTable, _ delta: Delta) {
      self.table = table
      self.delta = delta
    }

    /// Returns a replica that has written in two places, if the delta contains all its
    /// events.
    ///
    /// - Throws: As ``DotTable/check(_:)``, if the delta does not contain them.
    func nextFork() throws(DeltaError) -> ReplicaID? {
      do throws(DeltaError) {
        try table.check(delta)
        return nil
      } catch {
        guard case .fork(let replica) = error, delta.bringsAll(of: replica) else { throw error }
        return replica
      }
    }

    /// Separates the two lines of a replica.
    ///
    /// - Throws: ``DeltaError/fork(_:)`` if the delta does not contain all required
    ///   events, or if there are too many forks. Discard the mender then.
    mutating func mend(_ replica: ReplicaID) throws(DeltaError) {
      guard delta.base[replica] == 0, let mine = table.column(of: replica),
        let theirs = delta.columns.firstIndex(where: { $0.replica == replica })
      else { throw .fork(replica) }
      table.noteFork(of: replica)
      let (line, other) = (table.columns[mine], delta.columns[theirs])
      let parting = line.parting(from: other)
      if parting.isMine {
        taken[replica] = other
        if table.nextStretch?.replica == replica { table.nextStretch = nil }
        let earlier = mended.count
        var side = Side(columns: table.columns, isMine: true)
        try side.rename(parting.reissue, besides: other, &mended)
        table.columns = side.columns
        table.noteRenamed(mended[earlier])
      } else {
        var side = Side(columns: delta.columns, base: delta.base, marks: delta.baseMarks)
        try side.rename(parting.reissue, besides: line, &mended)
        (delta.columns, delta.base, delta.baseMarks) = (side.columns, side.base, side.marks)
      }
    }

    /// Gives both sides the same column of a replica whose lines can't be separated,
    /// because nothing can repair that.
    mutating func takeEither(_ replica: ReplicaID) {
      guard let mine = table.column(of: replica),
        let theirs = delta.columns.firstIndex(where: { $0.replica == replica })
      else { return }
      table.noteFork(of: replica)
      if table.columns[mine].parting(from: delta.columns[theirs]).isMine {
        table.columns[mine] = delta.columns[theirs]
      }
      delta.columns[theirs] = table.columns[mine]
    }

    /// Returns the delta with the survivors of another delta.
    func aligned(_ other: Delta) -> Delta {
      guard case .survivors(let survivors) = other.removals else { return delta }
      var alive: [ReplicaID: LiveEvents] = [:]
      for (column, listed) in zip(other.columns, survivors) { alive[column.replica] = listed }
      var delta = delta
      delta.removals = .survivors(
        ContiguousArray(delta.columns.map { alive[$0.replica] ?? LiveEvents() }))
      return delta
    }
  }
}

extension DotTable {
  /// The number of renamed lines that are remembered.
  private static var renamedMax: Int { 64 }

  fileprivate mutating func noteRenamed(_ line: Mended) {
    if renamed.count == Self.renamedMax { renamed.removeFirst() }
    renamed.append(line)
  }

  /// Returns an earlier version of this table, with the present names of its events.
  ///
  /// - Complexity: O(number of replicas).
  func renaming(_ version: VersionVector) -> VersionVector {
    var version = version
    for line in renamed {
      let (reissue, seen) = (line.reissue, version[line.replica])
      // A version with all events of the renamed line refers to the other line by the old
      // name.
      guard seen > reissue.parting, version[reissue.name] < line.last else { continue }
      version[reissue.name] = max(version[reissue.name], seen)
      version[line.replica] = reissue.parting
    }
    return version
  }
}

extension DotTable.ForkMender {
  /// The columns of the table or of the delta, and the delta's base.
  private struct Side {
    var columns: ContiguousArray<DotTable.Replica>
    var base: VersionVector = [:]
    var marks: ContiguousArray<KnownMark> = []
    var isMine = false

    /// Renames a line.
    ///
    /// If the new name is already in use, by a copy of the line that was known or by one
    /// that has parted again, that fork is repaired first.
    mutating func rename(
      _ reissue: Reissue, besides other: DotTable.Replica, isWithinSide: Bool = false,
      _ mended: inout ContiguousArray<Mended>
    ) throws(DeltaError) {
      guard mended.count < Reissue.countMax, let place = place(of: reissue.replica) else {
        throw .fork(reissue.replica)
      }
      mended.append(
        Mended(
          reissue: reissue, isMine: isMine, isWithinSide: isWithinSide,
          last: columns[place].seen))
      let besides = reissue.stretch == nil ? other : nil
      guard self.place(of: reissue.name) != nil else {
        forgetBase(of: reissue.name)
        return move(reissue, besides: besides)
      }
      guard base[reissue.name] == 0 else { throw .fork(reissue.name) }
      // Use a free name until the events of each line are known.
      var aside = reissue.name
      while self.place(of: aside) != nil { aside = ReplicaID(aside.rawValue &+ 1) }
      move(reissue.under(aside), besides: besides)
      while let there = self.place(of: reissue.name), let here = self.place(of: aside) {
        let (known, line) = (columns[there], columns[here])
        guard known.isForked(from: line) else { break }
        let parting = known.parting(from: line)
        try rename(
          parting.isMine ? parting.reissue : parting.reissue.of(aside),
          besides: parting.isMine ? line : known, isWithinSide: true, &mended)
      }
      guard let here = self.place(of: aside) else { return }
      let first: UInt64? = columns[here].stretches.count > 0 ? 1 : nil
      move(
        Reissue(replica: aside, parting: 0, stretch: first, name: reissue.name), besides: nil)
    }

    /// Moves the events of a line after the parting to the new name, and updates the
    /// columns that mention them.
    private mutating func move(_ reissue: Reissue, besides other: DotTable.Replica?) {
      guard let place = place(of: reissue.replica) else { return }
      let line = columns[place]
      var tail = line.afterParting(reissue, besides: other)
      if reissue.parting > 0 {
        columns[place] = line.beforeParting(reissue, besides: other)
      } else {
        columns.remove(at: place)
      }
      for place in columns.indices {
        if DotTable.Replica.Rows.nameReplicas { columns[place].renameInRows(reissue) }
        columns[place].texts.rename(reissue, as: columns[place].replica)
      }
      // The table's own logs are cleared after a repair.
      if !isMine {
        for place in columns.indices { columns[place].renameInKills(reissue) }
        tail.renameInKills(reissue)
      }
      guard tail.seen > 0 else { return }
      var known = DotTable()
      known.columns = columns
      known.insertMissing([tail])
      if let place = known.column(of: tail.replica) {
        known.mergeColumn(place, with: tail, after: 0)
      }
      columns = known.columns
    }

    /// Returns the index of a replica's column.
    private func place(of replica: ReplicaID) -> Int? {
      columns.firstIndex { $0.replica == replica }
    }

    /// Removes a replica from the base, because all its events are now in the columns.
    private mutating func forgetBase(of replica: ReplicaID) {
      guard let place = base.entries.firstIndex(where: { $0.replica == replica }) else { return }
      base.entries.remove(at: place)
      if marks.indices.contains(place) { marks.remove(at: place) }
    }
  }
}
