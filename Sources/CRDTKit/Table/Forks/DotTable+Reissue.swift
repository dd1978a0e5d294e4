extension DotTable {
  /// Merges the state of another table, and repairs the replicas that have written in two
  /// places.
  ///
  /// For each such replica, it renames the events of one line from the point where the
  /// two part. After that, no two events share a dot, and it merges as usual.
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
    takeLesserAnchors(of: &other.columns)
    mergeColumns(of: other)
    finishMending(mender)
  }

  /// Merges another table, if forks were mended in one of the two before.
  ///
  /// If the two have mended forks of three lines in different orders, what one line has may
  /// have two names, and what belongs to it is named differently on the two sides.
  ///
  /// - Complexity: O(rows of both).
  @usableFromInline
  mutating func mergeMended(_ other: DotTable) {
    var other = other
    if takeLesserAnchors(of: &other.columns) { recount() }
    mergeUnforked(other)
  }

  /// Applies a delta as ``apply(_:)`` does, and repairs forks; returns the repairs.
  ///
  /// To repair a fork, the delta must contain all events of the replica. In `forks`, you
  /// pass the replicas that are known to have written in two places, even if the delta
  /// doesn't show it.
  ///
  /// - Complexity: As ``apply(_:)``; O(rows) if there is a fork to repair.
  /// - Throws: As ``apply(_:)``; ``DeltaError/fork(_:)`` if the delta shows a fork and
  ///   does not contain all events of the replica.
  @inlinable
  package mutating func apply(
    _ delta: Delta, mending forks: ContiguousArray<ReplicaID>
  ) throws(DeltaError) -> (isNew: Bool, mended: ContiguousArray<Mended>) {
    var forks = forks
    if forks.isEmpty {
      let result = try applyMending(delta)
      // Only if the marks show no other fork: after a fork, removals by one line also
      // make the columns of other replicas differ, and those are not forks.
      if !result.isNew, bringsVersion(delta) { forks = differences(from: delta) }
      if forks.isEmpty { return result }
    }
    return try mend(forks, by: delta)
  }

  /// Applies a delta, and repairs the forks that marks and stretches show.
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

  /// Returns whether a delta contains all events seen here, and no others.
  @inlinable
  func bringsVersion(_ delta: Delta) -> Bool {
    delta.base.isEmpty && !delta.columns.isEmpty
      && delta.columns.elementsEqual(
        columns, by: { $0.replica == $1.replica && $0.seen == $1.seen })
  }

  /// Applies a delta and repairs the given forks and those that the delta shows.
  @usableFromInline
  mutating func mend(
    _ forks: ContiguousArray<ReplicaID>, by delta: Delta
  ) throws(DeltaError) -> (isNew: Bool, mended: ContiguousArray<Mended>) {
    if !contains(delta.base) { throw .gap(missing: delta.base.subtracting(version)) }
    // Each repair is a pass over all rows, so too many forks are refused beforehand.
    let parted = partedReplicas(from: delta)
    if parted.count > Reissue.countMax { throw .fork(parted[Reissue.countMax]) }
    // If one fork can't be repaired, none is.
    var mender = ForkMender(self, delta)
    for replica in forks { try mender.mend(replica) }
    while let replica = try mender.nextFork() { try mender.mend(replica) }
    var table = mender.table
    table.recount()
    var aligned = mender.aligned(delta)
    table.takeLesserAnchors(of: &aligned.columns)
    table.takeIn(aligned)
    table.finishMending(mender)
    // An earlier delta may have brought the same repair: a line that parts from the one
    // here may be known already, or the line that gives way may have its new name
    // already.
    let isNew =
      table.rowCount != rowCount || table.version != version || !mender.taken.isEmpty
    if isNew { self = table }
    return (isNew, mender.mended)
  }

  /// Returns the replicas of which a delta contains other events than this table.
  private func partedReplicas(from delta: Delta) -> [ReplicaID] {
    delta.columns.filter { theirs in
      column(of: theirs.replica).map { columns[$0].isForked(from: theirs) } ?? false
    }.map(\.replica)
  }

  /// Returns the replicas whose rows differ between this table and a delta of the same
  /// version that contains all events.
  ///
  /// These are differences that no mark has shown.
  ///
  /// - Complexity: As ``digest``.
  @usableFromInline
  func differences(from delta: Delta) -> ContiguousArray<ReplicaID> {
    ContiguousArray(
      columns.indices.lazy.filter { columns[$0].digest != delta.columns[$0].digest }
        .map { columns[$0].replica })
  }

  /// Gives the elements of texts that both sides have under different anchors, and the rows of
  /// lists that they have under different keys, the lesser of the two, on both sides; returns
  /// whether that changes this side.
  @discardableResult
  private mutating func takeLesserAnchors(of others: inout ContiguousArray<Replica>) -> Bool {
    var hasChanged = false
    for other in others.indices {
      guard let place = column(of: others[other].replica) else { continue }
      let mine = columns[place]
      if Key.self is any OwnsElements.Type {
        if columns[place].takeLesserKeys(of: others[other]) { hasChanged = true }
        others[other].takeLesserKeys(of: mine)
      }
      guard !others[other].texts.isEmpty else { continue }
      if columns[place].texts.takeLesserAnchors(of: others[other].texts) { hasChanged = true }
      others[other].texts.takeLesserAnchors(of: mine.texts)
    }
    return hasChanged
  }

  /// Counts rows and events again, after columns were replaced.
  private mutating func recount() {
    index = nil
    order = hasTexts ? TextOrderCache() : nil
    lastEdit = nil
    rowCount = columns.reduce(0) { $0 + $1.rowCount }
    eventCount = columns.reduce(0) { $0 &+ $1.seen }
  }

  /// Adopts the marks of the lines that replaced the lines renamed here.
  ///
  /// The log of removals is cleared, because the fingerprints contain the removals under
  /// other names.
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
  /// Returns whether the delta contains all events of a replica that its maker had seen,
  /// and at least one.
  ///
  /// Such a delta can repair a fork.
  @usableFromInline
  func bringsAll(of replica: ReplicaID) -> Bool {
    base[replica] == 0 && columns.contains { $0.replica == replica }
  }
}

/// The repair of a name that was used in two places: the events of one of the two lines
/// get another name from the point where the lines part.
///
/// The new name is made from the line itself, so all copies choose the same.
@frozen
@usableFromInline
package struct Reissue: Hashable, Sendable {
  /// The most lines renamed in one merge; a state with more is forged.
  @inlinable
  static var countMax: Int { 64 }

  /// The replica that has written in two places.
  @usableFromInline package let replica: ReplicaID
  /// The last event that both lines have in common.
  @usableFromInline package let parting: UInt64
  /// The number of the first stretch that only the renamed line has; `nil` if it isn't
  /// known.
  @usableFromInline package let stretch: UInt64?
  /// The new name of the events after the parting; their counters stay the same.
  @usableFromInline package let name: ReplicaID

  @usableFromInline
  package init(replica: ReplicaID, parting: UInt64, stretch: UInt64?, name: ReplicaID) {
    self.replica = replica
    self.parting = parting
    self.stretch = stretch
    self.name = name
  }

  /// Returns the same repair with another new name.
  func under(_ name: ReplicaID) -> Reissue {
    Reissue(replica: replica, parting: parting, stretch: stretch, name: name)
  }

  /// Returns the same repair for a line that was itself renamed.
  func of(_ replica: ReplicaID) -> Reissue {
    Reissue(replica: replica, parting: parting, stretch: stretch, name: name)
  }
}

/// A row's key or payload that contains names of replicas or of their events.
@usableFromInline
package protocol NamesReplicas {
  /// Returns the same after a line of events was renamed; `nil` if nothing changes.
  ///
  /// `isOwn` is true if the row's own event belongs to the line.
  func reissued(_ reissue: Reissue, isOwn: Bool) -> Self?

  /// The replicas whose events the row mentions; the row's own replica may be left out.
  var namedReplicas: ContiguousArray<ReplicaID> { get }
}

/// A key of rows that belong to elements of the table's text, as those of a list do.
///
/// A writer makes such rows and elements together: first as many rows as elements, or an element
/// and then its row. An event stands for a row that isn't needed.
@usableFromInline
package protocol OwnsElements: NamesReplicas {
  /// Whether the row may belong to the element of the event before its own.
  var isOfElementBefore: Bool { get }
}
