extension ReplicaTotals {
  /// Takes in the greater of each total; says whether any was greater.
  ///
  /// What is known already leaves the storage untouched, so copies go on
  /// sharing it.
  ///
  /// - Complexity: O(`count` + `other.count`), or
  ///   O(`other.count` · log `count`) where all of a few replicas are known.
  @inlinable
  @discardableResult
  package mutating func merge(_ other: ReplicaTotals) -> Bool {
    if other.count == 0 { return false }
    if count == 0 {
      self = other
      return true
    }
    if hasSameReplicas(as: other) { return mergeAligned(other) }
    if other.count < count / 8, let changed = mergeKnown(other) { return changed }
    return mergeSorted(other)
  }

  /// The totals that are greater than a version's.
  ///
  /// - Complexity: O(`count` + `version.count`).
  @inlinable
  package func since(_ version: ReplicaTotals) -> ReplicaTotals {
    var newer = ReplicaTotals()
    var place = 0
    for own in replicas.indices {
      while place < version.count, version.replicas[place] < replicas[own] { place += 1 }
      let isKnown =
        version.holds(replicas[own], at: place)
        && version.totals[place].joined(with: totals[own]) == version.totals[place]
      if !isKnown {
        newer.replicas.append(replicas[own])
        newer.totals.append(totals[own])
      }
    }
    return newer
  }

  /// Compares sixteen replicas at a time: a loop without exits is done in vector
  /// registers.
  @inlinable
  func hasSameReplicas(as other: ReplicaTotals) -> Bool {
    guard count == other.count else { return false }
    return replicas.withUnsafeBufferPointer { own in
      other.replicas.withUnsafeBufferPointer { others in
        if own.baseAddress == others.baseAddress { return true }
        var place = 0
        while place < own.count {
          let end = Swift.min(place + 16, own.count)
          var difference: UInt64 = 0
          while place < end {
            difference |= own[place].rawValue ^ others[place].rawValue
            place += 1
          }
          if difference != 0 { return false }
        }
        return true
      }
    }
  }

  /// Merges totals of the same replicas: up to the first that is greater nothing
  /// is written, and from there on all.
  @inlinable
  mutating func mergeAligned(_ other: ReplicaTotals) -> Bool {
    other.totals.withUnsafeBufferPointer { others in
      let first = totals.withUnsafeBufferPointer { own in
        own.indices.first { own[$0].joined(with: others[$0]) != own[$0] }
      }
      guard let first else { return false }
      totals.withUnsafeMutableBufferPointer { own in
        for place in first..<own.count { own[place] = own[place].joined(with: others[place]) }
      }
      return true
    }
  }

  /// Merges totals of a few replicas in place; `nil` as soon as one of the
  /// replicas is new.
  @inlinable
  mutating func mergeKnown(_ other: ReplicaTotals) -> Bool? {
    var changed = false
    var place = 0
    for index in other.replicas.indices {
      place = self.place(of: other.replicas[index], from: place)
      guard holds(other.replicas[index], at: place) else { return nil }
      let joined = totals[place].joined(with: other.totals[index])
      if joined != totals[place] {
        totals[place] = joined
        changed = true
      }
    }
    return changed
  }
}
