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
