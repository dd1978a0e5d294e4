/// What one replica has counted, as plainly as it can be kept.
struct Tally {
  var replica: UInt64
  var up: UInt64
  var down: UInt64
}

extension Tally {
  /// The greater of each count of one replica.
  func joined(_ other: Tally) -> Tally {
    Tally(replica: replica, up: max(up, other.up), down: max(down, other.down))
  }

  /// What a sorted-array merge of two counters is: one array out of two, the
  /// greater counts where both know the replica.
  static func merge(_ left: [Tally], _ right: [Tally]) -> [Tally] {
    var merged: [Tally] = []
    merged.reserveCapacity(left.count + right.count)
    var (own, other) = (0, 0)
    while own < left.count, other < right.count {
      if left[own].replica == right[other].replica {
        merged.append(left[own].joined(right[other]))
        own += 1
        other += 1
      } else if left[own].replica < right[other].replica {
        merged.append(left[own])
        own += 1
      } else {
        merged.append(right[other])
        other += 1
      }
    }
    merged.append(contentsOf: left[own...])
    merged.append(contentsOf: right[other...])
    return merged
  }

  /// What a loop of maxima is, where both are known to have the same replicas.
  static func maximize(_ left: inout [Tally], _ right: [Tally]) {
    for place in left.indices {
      left[place].up = max(left[place].up, right[place].up)
      left[place].down = max(left[place].down, right[place].down)
    }
  }

  /// The same where there are only increments.
  static func maximizeUps(_ left: inout [Tally], _ right: [Tally]) {
    for place in left.indices { left[place].up = max(left[place].up, right[place].up) }
  }
}
