extension ReplicaTotals {
  /// Merges totals of any replicas into new arrays; says whether anything was
  /// new.
  @inlinable
  mutating func mergeSorted(_ other: ReplicaTotals) -> Bool {
    let most = count + other.count
    var changed = false
    var union = ReplicaTotals()
    withColumns { own in
      other.withColumns { others in
        union.replicas = ContiguousArray(unsafeUninitializedCapacity: most) { replicas, count in
          union.totals = ContiguousArray(unsafeUninitializedCapacity: most) { totals, length in
            // Both arrays have room for `most`: every step writes one place and
            // leaves behind one place, or one of each side.
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

  /// The two arrays, of the same length, while they are read.
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

  /// The two arrays while they are written for the first time.
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

    /// Writes the union of two columns; says whether it is more than `own`.
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
