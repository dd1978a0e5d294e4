/// The event count and fingerprint of each replica that one side of a stream was sent.
///
/// Both sides keep the same heads, so that parcels need not repeat them. They begin with
/// the version that the receiver has sent, and each parcel updates them.
@frozen
@usableFromInline
struct KnownHeads: Sendable {
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

  /// The replicas, in ascending order.
  @usableFromInline var replicas: [ReplicaID] = []
  /// The head of each replica.
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

  /// The index of a replica, or where to insert it, at or after a given index.
  @inlinable
  func place(of replica: ReplicaID, from start: Int = 0) -> Int {
    (start..<replicas.count).partitioningIndex { replicas[$0] >= replica }
  }

  /// Whether a replica is at an index.
  @inlinable
  func has(_ replica: ReplicaID, at place: Int) -> Bool {
    place < replicas.count && replicas[place] == replica
  }

  /// Updates the heads with a parcel's delta.
  @inlinable
  mutating func note<Key, Payload>(_ delta: DotTable<Key, Payload>.Delta) {
    var newReplicas: [ReplicaID] = []
    var newEntries: ContiguousArray<Entry> = []
    var next = 0
    // Columns are read in place: a copy of one costs four reference counts.
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

  /// Inserts new replicas, given in ascending order.
  @usableFromInline
  mutating func insert(_ newReplicas: [ReplicaID], _ newEntries: ContiguousArray<Entry>) {
    var source = replicas.count
    var next = newReplicas.count
    replicas.append(contentsOf: newReplicas)
    entries.append(contentsOf: newEntries)
    // From the end, until the remaining entries are at their old index.
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
