/// What was done where a replica had written in two places.
@usableFromInline
package struct Mended: Sendable {
  package let reissue: Reissue
  /// Whether the line that goes by another name is one that was here.
  @usableFromInline package let isMine: Bool
  /// Whether two lines of one side parted, whose names were found to be the same only as
  /// others were mended.
  package let isWithinSide: Bool
  /// The last event that goes by another name.
  package let last: UInt64

  /// The replica that had written in two places.
  @usableFromInline package var replica: ReplicaID { reissue.replica }

  /// How many events go by another name.
  package var events: UInt64 { last - reissue.parting }
}

extension DotTable {
  /// Has the lines that give way go by their new names, in a table and in what it is about
  /// to take in, until no two events of the two have one dot.
  ///
  /// Each side's rows and kills speak of the line of their own side. So all lines have their
  /// names before anything is taken in: what one side has killed under a name would be
  /// another's row.
  struct ForkMender {
    private(set) var table: DotTable
    private(set) var delta: Delta
    private(set) var mended: ContiguousArray<Mended> = []
    /// The lines that keep the names of those that give way in the table.
    private(set) var taken: [ReplicaID: Replica] = [:]

    init(_ table: DotTable, _ delta: Delta) {
      self.table = table
      self.delta = delta
    }

    /// A replica that has written in two places, of which the delta brings all events.
    ///
    /// - Throws: What ``DotTable/check(_:)`` does, where the delta doesn't bring them.
    func nextFork() throws(DeltaError) -> ReplicaID? {
      do throws(DeltaError) {
        try table.check(delta)
        return nil
      } catch {
        guard case .fork(let replica) = error, delta.bringsAll(of: replica) else { throw error }
        return replica
      }
    }

    /// Parts the two lines of a replica.
    ///
    /// - Throws: ``DeltaError/fork(_:)`` where the delta doesn't bring all events that it
    ///   takes, or there are too many forks; what was mended is of no use then.
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

    /// Has both sides hold the same of a replica whose lines can't be parted: nothing can
    /// make that right.
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

    /// The delta, with the survivors that another lists.
    func aligned(_ other: Delta) -> Delta {
      guard case .survivors(let survivors) = other.removals else { return delta }
      var alive: [ReplicaID: Survivors] = [:]
      for (column, listed) in zip(other.columns, survivors) { alive[column.replica] = listed }
      var delta = delta
      delta.removals = .survivors(
        ContiguousArray(delta.columns.map { alive[$0.replica] ?? Survivors() }))
      return delta
    }
  }
}

extension DotTable {
  /// How many lines are remembered whose events have new names.
  private static var renamedMax: Int { 64 }

  fileprivate mutating func noteRenamed(_ line: Mended) {
    if renamed.count == Self.renamedMax { renamed.removeFirst() }
    renamed.append(line)
  }

  /// A version that this table had, by the names that its events go by now.
  ///
  /// - Complexity: O(number of replicas).
  func renaming(_ version: VersionVector) -> VersionVector {
    var version = version
    for line in renamed {
      let (reissue, seen) = (line.reissue, version[line.replica])
      // Who has seen all of the line under its new name means the other one by the old.
      guard seen > reissue.parting, version[reissue.name] < line.last else { continue }
      version[reissue.name] = max(version[reissue.name], seen)
      version[line.replica] = reissue.parting
    }
    return version
  }
}

extension DotTable.ForkMender {
  /// The columns of the table, or of what it takes in, and the base of these.
  private struct Side {
    var columns: ContiguousArray<DotTable.Replica>
    var base: VersionVector = [:]
    var marks: ContiguousArray<KnownMark> = []
    var isMine = false

    /// Has a line go by its new name; where it goes by that already, as far as it was known,
    /// or has parted again, what it is known by there is mended first.
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
      // Until it is known what is whose, the line goes by a name that nobody has.
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

    /// Puts the events of a line that parted from another under their new name, and has
    /// the columns name them so.
    private mutating func move(_ reissue: Reissue, besides other: DotTable.Replica?) {
      guard let place = place(of: reissue.replica) else { return }
      let line = columns[place]
      var tail = line.afterParting(reissue, besides: other)
      if reissue.parting > 0 {
        columns[place] = line.beforeParting(reissue)
      } else {
        columns.remove(at: place)
      }
      if Payload.self is any NamesReplicas.Type {
        for place in columns.indices { columns[place].renameInRows(reissue) }
      }
      // The table's own logs begin anew after a mend.
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

    /// Where the column of a replica stands.
    private func place(of replica: ReplicaID) -> Int? {
      columns.firstIndex { $0.replica == replica }
    }

    /// Has all of a replica's events be brought, of which some had to be known.
    private mutating func forgetBase(of replica: ReplicaID) {
      guard let place = base.entries.firstIndex(where: { $0.replica == replica }) else { return }
      base.entries.remove(at: place)
      if marks.indices.contains(place) { marks.remove(at: place) }
    }
  }
}
