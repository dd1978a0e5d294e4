extension VersionVector: Mergeable {
  /// How two versions stand to each other.
  public enum Ordering: Hashable, Sendable {
    /// Both have seen the same events.
    case equal
    /// The other version has seen all that this one has, and more.
    case before
    /// This version has seen all that the other has, and more.
    case after
    /// Each has seen events that the other has not.
    case concurrent
  }

  /// Whether this version has seen the event.
  ///
  /// - Complexity: O(log `count`).
  @inlinable
  public func contains(_ dot: Dot) -> Bool {
    dot.counter <= self[dot.replica]
  }

  /// Whether this version has seen every event that the other has.
  ///
  /// - Complexity: O(`count` + `other.count`).
  @inlinable
  public func contains(_ other: VersionVector) -> Bool {
    var place = 0
    for entry in other.entries {
      while place < entries.count, entries[place].replica < entry.replica { place += 1 }
      guard place < entries.count, entries[place].replica == entry.replica,
        entries[place].counter >= entry.counter
      else { return false }
    }
    return true
  }

  /// How this version stands to another.
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

  /// The entries of another version that this one has not wholly seen.
  ///
  /// - Complexity: O(`other.count` · log `count`).
  public func missing(from other: VersionVector) -> VersionVector {
    VersionVector(
      sortedEntries: other.entries.filter { $0.counter > self[$0.replica] }
    )
  }

  /// Takes in all that another version has seen: the entry-wise maximum.
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

  /// A version that has seen all that either has.
  ///
  /// - Complexity: O(`count` + `other.count`).
  public func merging(_ other: VersionVector) -> VersionVector {
    var copy = self
    copy.merge(other)
    return copy
  }
}
