/// How much has been seen: for each replica, how many of its events.
///
/// Versions are ordered by what they contain. Of two versions made apart,
/// neither need contain the other: they are concurrent.
///
///     var version: VersionVector = [phone: 3]
///     version.merge([laptop: 5])
///     version.contains(Dot(phone, 2))         // true
///     version.contains([phone: 4])            // false
///
/// Parker et al., "Detection of Mutual Inconsistency in Distributed Systems",
/// 1983.
@frozen
public struct VersionVector: Hashable, Sendable {
  /// One replica and how many of its events have been seen.
  @frozen
  public struct Entry: Hashable, Sendable {
    /// The replica.
    public var replica: ReplicaID
    /// How many of its events have been seen; never 0 inside a version.
    public var counter: UInt64

    @inlinable
    init(_ replica: ReplicaID, _ counter: UInt64) {
      self.replica = replica
      self.counter = counter
    }
  }

  /// The entries in ascending order of their replicas, none with counter 0.
  @usableFromInline
  package var entries: ContiguousArray<Entry>

  /// Creates the version that has seen nothing.
  @inlinable
  public init() {
    entries = []
  }

  @inlinable
  package init(sortedEntries: ContiguousArray<Entry>) {
    entries = sortedEntries
  }

  /// How many of a replica's events have been seen.
  ///
  /// - Complexity: O(log `count`) to read; O(`count`) to set for a replica that
  ///   had no entry, or to set to 0.
  @inlinable
  public subscript(replica: ReplicaID) -> UInt64 {
    get {
      let place = place(of: replica)
      return place < entries.count && entries[place].replica == replica
        ? entries[place].counter : 0
    }
    set {
      let place = place(of: replica)
      let isThere = place < entries.count && entries[place].replica == replica
      switch (isThere, newValue) {
      case (true, 0): entries.remove(at: place)
      case (true, _): entries[place].counter = newValue
      case (false, 0): break
      case (false, _): entries.insert(Entry(replica, newValue), at: place)
      }
    }
  }

  @inlinable
  func place(of replica: ReplicaID) -> Int {
    if let last = entries.last, last.replica < replica { return entries.count }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension VersionVector: RandomAccessCollection {
  /// The place of the first entry.
  @inlinable
  public var startIndex: Int { 0 }

  /// The place after the last entry.
  @inlinable
  public var endIndex: Int { entries.count }

  /// The entry at a place, in ascending order of replicas.
  @inlinable
  public subscript(position: Int) -> Entry { entries[position] }
}

extension VersionVector: ExpressibleByDictionaryLiteral {
  /// Creates a version from replicas and how many of their events it has seen.
  public init(dictionaryLiteral elements: (ReplicaID, UInt64)...) {
    self.init()
    for (replica, counter) in elements { self[replica] = counter }
  }
}

extension VersionVector: CustomStringConvertible {
  /// The entries in brackets, as `[replica: counter, …]`.
  public var description: String {
    "[" + map { "\($0.replica): \($0.counter)" }.joined(separator: ", ") + "]"
  }
}
