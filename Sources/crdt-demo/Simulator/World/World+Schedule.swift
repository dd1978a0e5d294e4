extension World {
  /// Begins a schedule.
  ///
  /// Sets the clocks, keeps nodes away that join later, and connects all others. If nodes
  /// have work of their own, they are called once an interval.
  mutating func prepare(for schedule: WorldSchedule, ticking: Bool = true) {
    for (place, clock) in schedule.clocks.enumerated() { setClock(of: place, to: clock) }
    for step in schedule.steps {
      switch step.what {
      case .join(let place), .copy(_, let place, _): if isUp(place) { keepAway(place) }
      default: break
      }
    }
    connectAll()
    if ticking { tickAll(every: schedule.interval) }
  }

  /// Removes the faults of all links, and starts the nodes that are down.
  mutating func heal() {
    var healed = conditions
    healed.faults = .none
    conditions = healed
    for place in nodes.indices { perform(.restart(place)) }
    if sink != nil { trace(.heal, nil, detail: "all links") }
  }

  /// Replaces the connection of every connected link.
  mutating func reconnectAll() {
    for link in links.indices where links[link].blocks == 0 {
      block(link)
      unblock(link)
    }
  }

  /// The nodes that are still present, in groups that can reach each other.
  var remainingGroups: [[Int]] {
    var groups: [[Int]] = []
    var isReached = nodes.indices.map { hasLeft($0) }
    for start in nodes.indices where !isReached[start] {
      isReached[start] = true
      var group = [start]
      var place = 0
      while place < group.count {
        for neighbour in neighbours(of: group[place]) where !isReached[neighbour] {
          isReached[neighbour] = true
          group.append(neighbour)
        }
        place += 1
      }
      groups.append(group.sorted())
    }
    return groups
  }

  /// Reports the end of the run to the sink.
  mutating func traceEnd(_ violations: [Violation]) {
    guard sink != nil else { return }
    for violation in violations {
      trace(.violation, violation.place, detail: violation.problem)
    }
    trace(.end, nil, detail: violations.isEmpty ? "converged" : "violated")
  }
}

extension WorldSchedule {
  /// When everything that has begun ends.
  var quietTime: UInt64 {
    let ends = steps.map { step in
      switch step.what {
      case .partition(_, let length), .pause(_, let length): step.time + length
      case .crash(_, _, _, let down): step.time + down
      case .cut(_, _, let pause): step.time + pause
      default: step.time
      }
    }
    return (ends.max() ?? 0) + UInt64(max(conditions.reconnectMax, 20_000)) + 2
  }
}
