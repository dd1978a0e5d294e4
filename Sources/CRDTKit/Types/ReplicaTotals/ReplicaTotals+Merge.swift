extension ReplicaTotals {
  /// Takes the greater of each total, and returns whether any was greater.
  ///
  /// If the other totals are already known, the storage is not written, so copies
  /// continue to share it.
  ///
  /// - Complexity: O(`count` + `other.count`), or O(`other.count` · log `count`) if the
  ///   other side has only a few replicas, all known here.
  @inlinable
  @discardableResult
  package mutating func merge(_ other: ReplicaTotals) -> Bool {
    if other.count == 0 { return false }
    if count == 0 {
      self = other
      return true
    }
    if replicas.holdsSame(as: other.replicas) { return mergeAligned(other) }
    if other.count < count / 8, let changed = mergeKnown(other) { return changed }
    return mergeSorted(other)
  }

  /// Returns the totals that are greater than a version's.
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

  /// Merges totals of the same replicas.
  ///
  /// It writes nothing before the first greater number, and every number from there on.
  @inlinable
  mutating func mergeAligned(_ other: ReplicaTotals) -> Bool {
    other.totals.withNumbers { others in
      let start = totals.withNumbers { own in
        var place = 0
        while place < own.count, own[place] >= others[place] { place += 1 }
        return place
      }
      guard start < others.count else { return false }
      totals.withMutableNumbers { own in
        for place in start..<own.count { own[place] = Swift.max(own[place], others[place]) }
      }
      return true
    }
  }

  /// Merges totals of a few replicas in place; returns `nil` as soon as one of the
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

extension ContiguousArray where Element: ReplicaTotal {
  /// Passes the numbers of all totals to `body`, as one sequence.
  ///
  /// The compiler vectorizes a loop over plain numbers: twice as fast as a loop over
  /// pairs, in the benchmark `pncounter.merge.1000`.
  @inlinable
  func withNumbers<Result>(_ body: (UnsafeBufferPointer<UInt64>) -> Result) -> Result {
    // A total consists of its numbers, one after another.
    withUnsafeBytes { $0.withMemoryRebound(to: UInt64.self, body) }
  }

  @inlinable
  mutating func withMutableNumbers<Result>(
    _ body: (UnsafeMutableBufferPointer<UInt64>) -> Result
  ) -> Result {
    withUnsafeMutableBytes { $0.withMemoryRebound(to: UInt64.self, body) }
  }
}

extension ContiguousArray<ReplicaID> {
  /// Returns whether two arrays hold the same replicas.
  ///
  /// It compares thirty-two at a time: the compiler vectorizes a loop without exits,
  /// which takes less than half the time of `==`.
  @inlinable
  func holdsSame(as other: ContiguousArray<ReplicaID>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { others in
        if own.baseAddress == others.baseAddress { return true }
        let whole = own.count & ~31
        for start in stride(from: 0, to: whole, by: 32) {
          var difference: UInt64 = 0
          for place in start..<start + 32 {
            difference |= own[place].rawValue ^ others[place].rawValue
          }
          if difference != 0 { return false }
        }
        return own[whole...].elementsEqual(others[whole...])
      }
    }
  }
}

extension ReplicaTotals {
  /// Merges totals of any replicas into new arrays, and returns whether anything was new.
  @inlinable
  mutating func mergeSorted(_ other: ReplicaTotals) -> Bool {
    let most = count + other.count
    var changed = false
    var union = ReplicaTotals()
    withColumns { own in
      other.withColumns { others in
        union.replicas = ContiguousArray(unsafeUninitializedCapacity: most) { replicas, count in
          union.totals = ContiguousArray(unsafeUninitializedCapacity: most) { totals, length in
            // Both arrays have room for `most` entries. Every step writes one entry, and
            // consumes one entry, or one of each side.
            var room = Room(replicas: replicas, totals: totals)
            changed = room.fill(own, others)
            count = room.count
            length = room.count
          }
        }
      }
    }
    if changed { self = union }
    return changed
  }

  @inlinable
  func withColumns<Result>(_ body: (Columns) -> Result) -> Result {
    replicas.withUnsafeBufferPointer { replicas in
      totals.withUnsafeBufferPointer { body(Columns(replicas: replicas, totals: $0)) }
    }
  }

  /// The two arrays, of the same length, for reading.
  @frozen
  @usableFromInline
  struct Columns {
    @usableFromInline let replicas: UnsafeBufferPointer<ReplicaID>
    @usableFromInline let totals: UnsafeBufferPointer<Total>

    @inlinable
    init(replicas: UnsafeBufferPointer<ReplicaID>, totals: UnsafeBufferPointer<Total>) {
      self.replicas = replicas
      self.totals = totals
    }
  }

  /// The two arrays, for writing the first time.
  @frozen
  @usableFromInline
  struct Room {
    @usableFromInline let replicas: UnsafeMutableBufferPointer<ReplicaID>
    @usableFromInline let totals: UnsafeMutableBufferPointer<Total>
    @usableFromInline var count = 0

    @inlinable
    init(
      replicas: UnsafeMutableBufferPointer<ReplicaID>, totals: UnsafeMutableBufferPointer<Total>
    ) {
      self.replicas = replicas
      self.totals = totals
    }

    /// Writes the union of two columns, and returns whether it is more than `own`.
    @inlinable
    mutating func fill(_ own: Columns, _ others: Columns) -> Bool {
      var changed = false
      var left = 0
      var right = 0
      while left < own.replicas.count, right < others.replicas.count {
        let leftReplica = own.replicas[left]
        let rightReplica = others.replicas[right]
        if leftReplica < rightReplica {
          append(leftReplica, own.totals[left])
          left &+= 1
        } else if rightReplica < leftReplica {
          append(rightReplica, others.totals[right])
          changed = true
          right &+= 1
        } else {
          let joined = own.totals[left].joined(with: others.totals[right])
          changed = (joined != own.totals[left]) || changed
          append(leftReplica, joined)
          left &+= 1
          right &+= 1
        }
      }
      append(own, from: left)
      changed = right < others.replicas.count || changed
      append(others, from: right)
      return changed
    }

    @inlinable
    mutating func append(_ columns: Columns, from start: Int) {
      for place in start..<columns.replicas.count {
        append(columns.replicas[place], columns.totals[place])
      }
    }

    @inlinable
    mutating func append(_ replica: ReplicaID, _ total: Total) {
      replicas.initializeElement(at: count, to: replica)
      totals.initializeElement(at: count, to: total)
      count &+= 1
    }
  }
}
