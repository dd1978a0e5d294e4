/// Of each replica, how many events one side of a stream was told of, and what their
/// fingerprint was: both sides keep the same, so that parcels need not say it again.
///
/// It begins with the version that the receiver has told, and goes on with each parcel.
@frozen
@usableFromInline
struct ToldHeads: Sendable {
  @frozen
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline let replica: ReplicaID
    @usableFromInline var seen: UInt64
    @usableFromInline var fingerprint: UInt32

    @inlinable
    init(replica: ReplicaID, seen: UInt64, fingerprint: UInt32) {
      self.replica = replica
      self.seen = seen
      self.fingerprint = fingerprint
    }
  }

  /// In ascending order of replicas.
  @usableFromInline var entries: ContiguousArray<Entry> = []

  @inlinable
  init() {}

  @usableFromInline
  init(_ heads: ColumnHeads) {
    entries = ContiguousArray(
      heads.heads.map {
        Entry(replica: $0.replica, seen: $0.seen, fingerprint: $0.fingerprint)
      })
  }

  /// The place of a replica, or where it would stand, no earlier than a given place.
  @inlinable
  func place(of replica: ReplicaID, from start: Int = 0) -> Int {
    var low = start
    var high = entries.count
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].replica < replica { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Takes note of what a parcel has told.
  @inlinable
  mutating func note<Key, Payload>(_ delta: DotTable<Key, Payload>.Delta) {
    for column in delta.columns where column.seen > delta.base[column.replica] {
      let place = place(of: column.replica)
      let entry = Entry(
        replica: column.replica, seen: column.seen, fingerprint: column.fingerprint)
      if place < entries.count, entries[place].replica == column.replica {
        entries[place] = entry
      } else {
        entries.insert(entry, at: place)
      }
    }
  }
}
