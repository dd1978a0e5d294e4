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
    @usableFromInline var seen: UInt64
    @usableFromInline var fingerprint: UInt32

    @inlinable
    init(seen: UInt64, fingerprint: UInt32) {
      self.seen = seen
      self.fingerprint = fingerprint
    }
  }

  /// In ascending order.
  @usableFromInline var replicas: [ReplicaID] = []
  /// What was told of each.
  @usableFromInline var entries: ContiguousArray<Entry> = []

  @inlinable
  init() {}

  @usableFromInline
  init(_ heads: ColumnHeads) {
    replicas = heads.heads.map { $0.replica }
    entries = ContiguousArray(
      heads.heads.map { Entry(seen: $0.seen, fingerprint: $0.fingerprint) })
  }

  /// The place of a replica, or where it would stand, no earlier than a given place.
  @inlinable
  func place(of replica: ReplicaID, from start: Int = 0) -> Int {
    var low = start
    var high = replicas.count
    while low < high {
      let middle = (low &+ high) / 2
      if replicas[middle] < replica { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Whether a replica stands at its place.
  @inlinable
  func has(_ replica: ReplicaID, at place: Int) -> Bool {
    place < replicas.count && replicas[place] == replica
  }

  /// Takes note of what a parcel has told.
  @inlinable
  mutating func note<Key, Payload>(_ delta: DotTable<Key, Payload>.Delta) {
    for column in delta.columns where column.seen > delta.base[column.replica] {
      let place = place(of: column.replica)
      let entry = Entry(seen: column.seen, fingerprint: column.fingerprint)
      if has(column.replica, at: place) {
        entries[place] = entry
      } else {
        replicas.insert(column.replica, at: place)
        entries.insert(entry, at: place)
      }
    }
  }
}
