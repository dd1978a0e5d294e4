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
    @usableFromInline var origin: UInt64

    @inlinable
    init(seen: UInt64, fingerprint: UInt32, origin: UInt64) {
      self.seen = seen
      self.fingerprint = fingerprint
      self.origin = origin
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
      heads.heads.map {
        Entry(seen: $0.seen, fingerprint: $0.fingerprint, origin: $0.origin)
      })
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
    var newReplicas: [ReplicaID] = []
    var newEntries: ContiguousArray<Entry> = []
    var next = 0
    // Columns are looked at where they stand: a copy of one costs four references.
    for column in delta.columns.indices {
      let replica = delta.columns[column].replica
      let seen = delta.columns[column].seen
      guard seen > delta.base[replica] else { continue }
      next = place(of: replica, from: next)
      let entry = Entry(
        seen: seen, fingerprint: delta.columns[column].fingerprint,
        origin: delta.columns[column].origin)
      if has(replica, at: next) {
        entries[next] = entry
      } else {
        newReplicas.append(replica)
        newEntries.append(entry)
      }
    }
    if !newReplicas.isEmpty { insert(newReplicas, newEntries) }
  }

  /// Inserts replicas that are not there, in ascending order.
  @usableFromInline
  mutating func insert(_ newReplicas: [ReplicaID], _ newEntries: ContiguousArray<Entry>) {
    var source = replicas.count
    var next = newReplicas.count
    replicas.append(contentsOf: newReplicas)
    entries.append(contentsOf: newEntries)
    // From the end, until those that are left stand where they stood.
    while next > 0 {
      let target = source + next - 1
      if source > 0, replicas[source - 1] > newReplicas[next - 1] {
        source -= 1
        replicas[target] = replicas[source]
        entries[target] = entries[source]
      } else {
        next -= 1
        replicas[target] = newReplicas[next]
        entries[target] = newEntries[next]
      }
    }
  }
}
