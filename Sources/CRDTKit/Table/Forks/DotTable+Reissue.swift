extension DotTable {
  /// Takes in all that another table knows, where replicas have written in two places.
  ///
  /// Of each the line that gives way goes by another name from where the two part; then
  /// there are no two events of one dot, and all is merged as ever.
  ///
  /// - Complexity: O(rows of both), for each fork.
  @usableFromInline
  mutating func mergeMending(_ other: DotTable) {
    var mender = ForkMender(self, Delta(base: [:], columns: other.columns))
    while let replica = try? mender.nextFork() {
      let before = mender
      do throws(DeltaError) {
        try mender.mend(replica)
      } catch {
        mender = before
        mender.takeEither(replica)
      }
    }
    var other = other
    other.columns = mender.delta.columns
    self = mender.table
    recount()
    mergeColumns(of: other)
    finishMending(mender)
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
    // Each is a pass over all rows, so it is told beforehand that there are too many.
    let parted = partedReplicas(from: delta)
    if parted.count > Reissue.countMax { throw .fork(parted[Reissue.countMax]) }
    // Where one fork can't be mended, none is.
    var mender = ForkMender(self, delta)
    for replica in forks { try mender.mend(replica) }
    while let replica = try mender.nextFork() { try mender.mend(replica) }
    var table = mender.table
    table.recount()
    table.takeIn(mender.aligned(delta))
    table.finishMending(mender)
    // What parts from the line that is here may have been mended before; what gives way to
    // another may go by its new name already.
    let isNew =
      table.rowCount != rowCount || table.version != version || !mender.taken.isEmpty
    if isNew { self = table }
    return (isNew, mender.mended)
  }

  /// The replicas of which a delta brings other events than were seen here.
  private func partedReplicas(from delta: Delta) -> [ReplicaID] {
    delta.columns.filter { theirs in
      column(of: theirs.replica).map { columns[$0].isForked(from: theirs) } ?? false
    }.map(\.replica)
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

  /// Counts anew after columns were replaced.
  private mutating func recount() {
    index = nil
    lastEdit = nil
    rowCount = columns.reduce(0) { $0 + $1.rowCount }
    eventCount = columns.reduce(0) { $0 + $1.seen }
  }

  /// Goes on with the marks of the lines that were taken for those that gave way here.
  ///
  /// What events killed is forgotten: their fingerprints tell of it by other names.
  private mutating func finishMending(_ mender: ForkMender) {
    for (replica, column) in mender.taken {
      guard let place = self.column(of: replica) else { continue }
      columns[place].takeMarks(of: column)
      columns[place].stretches = column.stretches
    }
    for place in columns.indices {
      columns[place].kills = KillLog(floor: columns[place].seen)
    }
    recount()
    extendIndexIfCheap()
    checkInvariants()
  }
}

extension DotTable.Delta {
  /// Whether the delta brings all events of a replica that its maker had seen, and some: with
  /// these a fork is mended.
  @usableFromInline
  func bringsAll(of replica: ReplicaID) -> Bool {
    base[replica] == 0 && columns.contains { $0.replica == replica }
  }
}

/// What is done about a name that was used in two places: from where the two lines of
/// events part, the events of one of them go by another name.
///
/// The new name follows from the line itself, so all who do it do the same.
@frozen
@usableFromInline
package struct Reissue: Hashable, Sendable {
  /// How many lines get new names at one meeting at most: more, and somebody makes them up.
  @inlinable
  static var countMax: Int { 64 }

  /// The replica under whose name two places have written.
  @usableFromInline package let replica: ReplicaID
  /// The last event that both lines have.
  @usableFromInline package let parting: UInt64
  /// The number of the first stretch that only the renamed line has; `nil` where it
  /// isn't known.
  @usableFromInline package let stretch: UInt64?
  /// The name under which the events after the parting go on, counted as before.
  @usableFromInline package let name: ReplicaID

  @usableFromInline
  package init(replica: ReplicaID, parting: UInt64, stretch: UInt64?, name: ReplicaID) {
    self.replica = replica
    self.parting = parting
    self.stretch = stretch
    self.name = name
  }

  /// The same, with another name for the events.
  func under(_ name: ReplicaID) -> Reissue {
    Reissue(replica: replica, parting: parting, stretch: stretch, name: name)
  }

  /// The same, of a line that goes by another name itself.
  func of(_ replica: ReplicaID) -> Reissue {
    Reissue(replica: replica, parting: parting, stretch: stretch, name: name)
  }
}

/// A row's payload that names replicas or their events.
@usableFromInline
package protocol NamesReplicas {
  /// What the row says once a line of events has another name; `nil` where it says the
  /// same.
  ///
  /// The row's own event is one of the line's where `isOwn`.
  func reissued(_ reissue: Reissue, isOwn: Bool) -> Self?

  /// The replicas of whose events the row speaks; of its own it needn't say so.
  var namedReplicas: ContiguousArray<ReplicaID> { get }
}
