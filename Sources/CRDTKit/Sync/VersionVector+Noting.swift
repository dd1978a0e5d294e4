extension VersionVector {
  /// How few entries are better set one by one than in a walk over all.
  private static var few: Int { 8 }

  /// Takes in all that another version has seen, as merging does; mostly that names few
  /// of many replicas.
  ///
  /// - Complexity: O(`other.count` · log `count`) where those are few that are known, and
  ///   O(`count` + `other.count`) at most.
  @usableFromInline
  mutating func note(_ other: VersionVector) {
    guard other.count < Self.few else { return merge(other) }
    for entry in other where entry.counter > self[entry.replica] {
      self[entry.replica] = entry.counter
    }
  }

  /// Sets how many events of some replicas have been seen, in ascending order; 0 takes
  /// one out.
  ///
  /// - Complexity: As of noting.
  @usableFromInline
  mutating func replace(with others: ContiguousArray<Entry>) {
    guard others.count >= Self.few else {
      for entry in others { self[entry.replica] = entry.counter }
      return
    }
    var merged: ContiguousArray<Entry> = []
    merged.reserveCapacity(entries.count + others.count)
    var place = 0
    for entry in others {
      while place < entries.count, entries[place].replica < entry.replica {
        merged.append(entries[place])
        place += 1
      }
      if place < entries.count, entries[place].replica == entry.replica { place += 1 }
      if entry.counter > 0 { merged.append(entry) }
    }
    merged.append(contentsOf: entries[place...])
    entries = merged
  }
}
