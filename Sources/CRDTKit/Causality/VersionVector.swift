/// The events that have been seen: for each replica, how many.
///
/// Versions are partially ordered by the events they contain. If neither of two versions
/// contains the other, they are concurrent.
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
  /// A replica and the number of its events that have been seen.
  @frozen
  public struct Entry: Hashable, Sendable {
    /// The replica that made the events.
    public var replica: ReplicaID
    /// The number of its events that have been seen; never 0 in a version.
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

  /// Creates an empty version.
  @inlinable
  public init() {
    entries = []
  }

  @inlinable
  package init(sortedEntries: ContiguousArray<Entry>) {
    entries = sortedEntries
  }

  /// The number of a replica's events that have been seen.
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
    return entries.indices.partitioningIndex { entries[$0].replica >= replica }
  }
}

extension VersionVector: RandomAccessCollection {
  /// The index of the first entry.
  @inlinable
  public var startIndex: Int { 0 }

  /// The index after the last entry.
  @inlinable
  public var endIndex: Int { entries.count }

  /// The entry at an index, in ascending order of replicas.
  @inlinable
  public subscript(position: Int) -> Entry { entries[position] }
}

extension VersionVector: ExpressibleByDictionaryLiteral {
  /// Creates a version from pairs of a replica and the number of its events seen.
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

  /// The first entries, and how many there are besides: a peer's version may be long.
  package var excerpt: String {
    let shown = prefix(3).map { "\($0.replica): \($0.counter)" }.joined(separator: ", ")
    return count > 3 ? "[\(shown) and \(count - 3) more]" : "[\(shown)]"
  }
}

extension VersionVector {
  /// The relation of one version to another.
  public enum Ordering: Hashable, Sendable {
    /// Both versions contain the same events.
    case equal
    /// The other version contains all events of this one, and more.
    case before
    /// This version contains all events of the other, and more.
    case after
    /// Each version contains events that the other does not.
    case concurrent
  }

  /// Returns whether this version contains the event.
  ///
  /// - Complexity: O(log `count`).
  @inlinable
  public func contains(_ dot: Dot) -> Bool {
    dot.counter <= self[dot.replica]
  }

  /// Returns whether this version contains every event of the other.
  ///
  /// It stands in place of the search for a run of entries that collections have under this
  /// name.
  ///
  /// - Complexity: O(`count` + `other.count`), and no more than O(`other.count` · log `count`).
  @inlinable
  public func contains(_ other: VersionVector) -> Bool {
    if other.entries.count < entries.count / 16 {
      return other.entries.allSatisfy { self[$0.replica] >= $0.counter }
    }
    var place = 0
    for entry in other.entries {
      while place < entries.count, entries[place].replica < entry.replica { place += 1 }
      guard place < entries.count, entries[place].replica == entry.replica,
        entries[place].counter >= entry.counter
      else { return false }
    }
    return true
  }

  /// Compares this version with another.
  ///
  /// - Complexity: O(`count` + `other.count`).
  public func compared(to other: VersionVector) -> Ordering {
    switch (contains(other), other.contains(self)) {
    case (true, true): .equal
    case (true, false): .after
    case (false, true): .before
    case (false, false): .concurrent
    }
  }

  /// Returns the entries of this version whose events the other does not all contain.
  ///
  /// - Complexity: O(`count` + `other.count`), and no more than O(`count` · log `other.count`).
  public func subtracting(_ other: VersionVector) -> VersionVector {
    let others = other.entries
    if entries.count < others.count / 16 {
      return VersionVector(sortedEntries: entries.filter { $0.counter > other[$0.replica] })
    }
    var place = 0
    return VersionVector(
      sortedEntries: entries.filter { entry in
        while place < others.count, others[place].replica < entry.replica { place += 1 }
        return place >= others.count || others[place].replica != entry.replica
          || others[place].counter < entry.counter
      })
  }

  /// Returns the events that both versions contain: the entry-wise minimum.
  ///
  /// - Complexity: O(`count` + `other.count`).
  package func common(with other: VersionVector) -> VersionVector {
    var common: ContiguousArray<Entry> = []
    common.reserveCapacity(Swift.min(count, other.count))
    var place = 0
    for entry in entries {
      while place < other.count, other[place].replica < entry.replica { place += 1 }
      guard place < other.count else { break }
      guard other[place].replica == entry.replica else { continue }
      common.append(Entry(entry.replica, Swift.min(entry.counter, other[place].counter)))
    }
    return VersionVector(sortedEntries: common)
  }

  /// Adds all events of another version: the entry-wise maximum.
  ///
  /// - Complexity: O(`count` + `other.count`).
  public mutating func merge(_ other: VersionVector) {
    guard !contains(other) else { return }
    var merged: ContiguousArray<Entry> = []
    merged.reserveCapacity(entries.count + other.entries.count)
    var place = 0
    for entry in other.entries {
      while place < entries.count, entries[place].replica < entry.replica {
        merged.append(entries[place])
        place += 1
      }
      if place < entries.count, entries[place].replica == entry.replica {
        merged.append(Entry(entry.replica, Swift.max(entries[place].counter, entry.counter)))
        place += 1
      } else {
        merged.append(entry)
      }
    }
    merged.append(contentsOf: entries[place...])
    entries = merged
  }

  /// Returns a version that contains the events of both.
  ///
  /// - Complexity: O(`count` + `other.count`).
  public func merging(_ other: VersionVector) -> VersionVector {
    var copy = self
    copy.merge(other)
    return copy
  }
}
