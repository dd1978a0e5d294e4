/// What was done where a replica had written in two places.
@usableFromInline
package struct Mended: Sendable {
  package let reissue: Reissue
  /// Whether the line that goes by another name is the one that was here.
  @usableFromInline package let isMine: Bool
  /// How many events go by another name.
  package let events: UInt64

  init(_ parting: Parting, of seen: UInt64) {
    reissue = parting.reissue
    isMine = parting.isMine
    events = seen - parting.reissue.parting
  }

  /// The replica that had written in two places.
  @usableFromInline package var replica: ReplicaID { reissue.replica }
}

extension DotTable {
  /// How many forks are mended at one meeting at most: more, and somebody makes them up.
  static var mendedMax: Int { 64 }

  /// Takes in all that another table knows, where replicas have written in two places.
  ///
  /// Of each the line that gives way goes by another name from where the two part; then
  /// there are no two events of one dot, and all is merged as ever.
  ///
  /// - Complexity: O(rows of both).
  @usableFromInline
  mutating func mergeMending(_ other: DotTable) {
    var other = other
    var taken: [ReplicaID: Replica] = [:]
    var tails: ContiguousArray<Replica> = []
    while let replica = fork(from: other) {
      noteFork(of: replica)
      guard let mine = column(of: replica), let theirs = other.column(of: replica) else { break }
      let parting = columns[mine].parting(from: other.columns[theirs])
      if tails.count == Self.mendedMax {
        // Nothing can make this right; it can be made the same on both sides.
        if parting.isMine { columns[mine] = other.columns[theirs] }
        other.columns[theirs] = columns[mine]
      } else if parting.isMine {
        taken[replica] = other.columns[theirs]
        tails.append(reissue(parting.reissue, besides: other.columns[theirs]))
      } else {
        tails.append(
          Self.reissue(parting.reissue, besides: columns[mine], in: &other.columns))
      }
    }
    recount()
    mergeColumns(of: other)
    finishMending(taken, tails)
  }

  /// Takes in a delta as ``apply(_:)`` does, and mends forks where it brings whole columns
  /// of the replicas that have written in two places; gives what was mended.
  ///
  /// The forks are replicas that are known to have written in two places, though it needn't
  /// show.
  ///
  /// - Complexity: As ``apply(_:)``; where there is something to mend, O(rows).
  /// - Throws: What ``apply(_:)`` does, where a fork shows and the column isn't whole.
  @inlinable
  package mutating func apply(
    _ delta: Delta, mending forks: ContiguousArray<ReplicaID>
  ) throws(DeltaError) -> (isNew: Bool, mended: ContiguousArray<Mended>) {
    var forks = forks
    if forks.isEmpty {
      let result = try applyMending(delta)
      // Only where marks tell of no other fork: what one line has removed of others is missing
      // in their columns, too, and they are none.
      if !result.isNew, bringsVersion(delta) { forks = differences(from: delta) }
      if forks.isEmpty { return result }
    }
    return try mend(forks, by: delta)
  }

  /// Takes in a delta, and mends what marks and stretches tell of.
  @inlinable
  mutating func applyMending(
    _ delta: Delta
  ) throws(DeltaError) -> (isNew: Bool, mended: ContiguousArray<Mended>) {
    do throws(DeltaError) {
      return (try apply(delta), [])
    } catch {
      guard case .fork = error else { throw error }
      return try mend([], by: delta)
    }
  }

  /// Whether a delta brings everything of the version that was seen here.
  @inlinable
  func bringsVersion(_ delta: Delta) -> Bool {
    delta.base.isEmpty && !delta.columns.isEmpty
      && delta.columns.elementsEqual(
        columns, by: { $0.replica == $1.replica && $0.seen == $1.seen })
  }

  /// Takes in a delta that shows forks, or where some are known.
  @usableFromInline
  mutating func mend(
    _ forks: ContiguousArray<ReplicaID>, by delta: Delta
  ) throws(DeltaError) -> (isNew: Bool, mended: ContiguousArray<Mended>) {
    if !contains(delta.base) { throw .gap(missing: version.missing(from: delta.base)) }
    // Where one fork can't be mended, none is.
    var (table, delta, left) = (self, delta, forks[...])
    var taken: [ReplicaID: Replica] = [:]
    var tails: ContiguousArray<Replica> = []
    var mended: ContiguousArray<Mended> = []
    while true {
      let known = left.popFirst()
      guard let replica = known != nil ? known : try table.forkToMend(in: delta) else { break }
      guard mended.count < Self.mendedMax, delta.base[replica] == 0,
        let mine = table.column(of: replica),
        let theirs = delta.columns.firstIndex(where: { $0.replica == replica })
      else { throw .fork(replica) }
      table.noteFork(of: replica)
      let parting = table.columns[mine].parting(from: delta.columns[theirs])
      if parting.isMine {
        mended.append(Mended(parting, of: table.columns[mine].seen))
        taken[replica] = delta.columns[theirs]
        tails.append(table.reissue(parting.reissue, besides: delta.columns[theirs]))
      } else {
        mended.append(Mended(parting, of: delta.columns[theirs].seen))
        let tail = delta.reissue(parting.reissue, besides: table.columns[mine])
        table.kill(tail.kills.entries[...])
        tails.append(tail)
      }
    }
    table.recount()
    table.takeIn(delta)
    table.finishMending(taken, tails)
    // What parts from the line that is here may have been mended before; what gives way to
    // another may go by its new name already.
    let isNew = table.rowCount != rowCount || table.version != version || !taken.isEmpty
    if isNew { self = table }
    return (isNew, mended)
  }

  /// The replicas whose rows are others here than in a delta that brings everything of the
  /// same version: something differs that no mark has told.
  ///
  /// - Complexity: As ``digest``.
  @usableFromInline
  func differences(from delta: Delta) -> ContiguousArray<ReplicaID> {
    ContiguousArray(
      columns.indices.lazy.filter { columns[$0].digest != delta.columns[$0].digest }
        .map { columns[$0].replica })
  }

  /// A replica that has written in two places, of which the delta brings all events.
  private func forkToMend(in delta: Delta) throws(DeltaError) -> ReplicaID? {
    do throws(DeltaError) {
      try check(delta)
      return nil
    } catch {
      guard case .fork(let replica) = error, delta.base[replica] == 0,
        delta.columns.contains(where: { $0.replica == replica })
      else { throw error }
      return replica
    }
  }

  /// Takes out the events of a line that parted from another, under their new name.
  private mutating func reissue(_ reissue: Reissue, besides other: Replica) -> Replica {
    if nextStretch?.replica == reissue.replica { nextStretch = nil }
    return Self.reissue(reissue, besides: other, in: &columns)
  }

  /// Takes the events of a line that parted from another out of columns, and has the
  /// columns name them as they are named from now on.
  fileprivate static func reissue(
    _ reissue: Reissue, besides other: Replica, in columns: inout ContiguousArray<Replica>
  ) -> Replica {
    guard let place = columns.firstIndex(where: { $0.replica == reissue.replica }) else {
      return Replica(replica: reissue.name)
    }
    let line = columns[place]
    let tail = line.afterParting(reissue, besides: reissue.stretch == nil ? other : nil)
    if reissue.parting > 0 {
      columns[place] = line.beforeParting(reissue)
    } else {
      columns.remove(at: place)
    }
    if Payload.self is any NamesReplicas.Type {
      for place in columns.indices { columns[place].renameInRows(reissue) }
    }
    return tail
  }

  /// Counts anew after columns were replaced.
  private mutating func recount() {
    index = nil
    lastEdit = nil
    rowCount = columns.reduce(0) { $0 + $1.rowCount }
    eventCount = columns.reduce(0) { $0 + $1.seen }
  }

  /// Takes in the lines that have new names, and goes on with the marks of those that were
  /// taken.
  ///
  /// What events killed is forgotten: their fingerprints tell of it by other names.
  private mutating func finishMending(
    _ taken: [ReplicaID: Replica], _ tails: ContiguousArray<Replica>
  ) {
    for (replica, column) in taken {
      guard let place = self.column(of: replica) else { continue }
      columns[place].takeMarks(of: column)
      columns[place].stretches = column.stretches
    }
    // A line may go by its new name already, as far as it was known, or have parted again.
    for tail in tails where tail.seen > 0 { merge(DotTable(columns: [tail])) }
    for place in columns.indices {
      columns[place].kills = KillLog(floor: columns[place].seen)
    }
    recount()
    extendIndexIfCheap()
    checkInvariants()
  }
}

extension DotTable.Delta {
  /// Takes out the events of a line that parted from another, under their new name.
  fileprivate mutating func reissue(
    _ reissue: Reissue, besides other: DotTable.Replica
  ) -> DotTable.Replica {
    guard case .survivors(let survivors) = removals else {
      var tail = DotTable.reissue(reissue, besides: other, in: &columns)
      // A table's own logs begin anew after a mend; what a delta's say is still to be done.
      for place in columns.indices { columns[place].renameInKills(reissue) }
      tail.renameInKills(reissue)
      return tail
    }
    var alive: [ReplicaID: Survivors] = [:]
    for (column, listed) in zip(columns, survivors) { alive[column.replica] = listed }
    let tail = DotTable.reissue(reissue, besides: other, in: &columns)
    removals = .survivors(ContiguousArray(columns.map { alive[$0.replica] ?? Survivors() }))
    return tail
  }
}
