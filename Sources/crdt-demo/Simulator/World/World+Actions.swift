extension World {
  /// Performs an action on the world.
  mutating func perform(_ action: WorldAction) {
    switch action {
    case .partition(let groups):
      counts.partitions &+= 1
      if sink != nil { trace(.partition, nil, detail: Self.words(groups)) }
      for link in linksBetween(groups) { block(link) }
    case .heal(let groups):
      if sink != nil { trace(.heal, nil, detail: Self.words(groups)) }
      for link in linksBetween(groups) { unblock(link) }
    case .cut(let one, let other, let pause):
      guard let link = link(between: one, and: other) else { return }
      counts.cuts &+= 1
      cut(link, for: max(pause, 1))
    case .crash(let place, let kind, let draw): crash(place, kind, draw)
    case .restart(let place): restart(place)
    case .collapse(let place): collapse(place)
    case .join(let place):
      counts.joins &+= 1
      if sink != nil { trace(.join, place) }
      comeUp(place)
    case .copy(let source, let place, let draw):
      // Nobody receives the undurable changes of a node that has left.
      guard !nodeStates[place].isUp, !nodeStates[place].hasLeft, !nodeStates[source].hasLeft
      else { return }
      counts.copies &+= 1
      nodes[place].become(copyOf: nodes[source], draw: draw)
      if sink != nil { trace(.join, place, detail: "copy of replica \(source + 1)") }
      comeUp(place)
    case .leave(let place):
      guard !nodeStates[place].hasLeft else { return }
      counts.leaves &+= 1
      nodeStates[place].hasLeft = true
      if sink != nil { trace(.leave, place) }
      if nodeStates[place].isUp { takeDown(place) } else { collapse(place) }
    case .pause(let place): pause(place)
    case .resume(let place): resume(place)
    case .jump(let place, let milliseconds):
      counts.clockJumps &+= 1
      nodeStates[place].clock.offset += milliseconds
      if sink != nil { trace(.clock, place, detail: "\(milliseconds) ms") }
    case .conditions(let conditions): self.conditions = conditions
    }
  }

  /// The links between nodes of different groups.
  private func linksBetween(_ groups: [[Int]]) -> [Int] {
    var group = Array(repeating: -1, count: nodes.count)
    for (number, places) in groups.enumerated() {
      for place in places where nodes.indices.contains(place) { group[place] = number }
    }
    return links.indices.filter { link in
      let (one, other) = ends(of: link)
      return group[one] != group[other]
    }
  }

  static func words(_ groups: [[Int]]) -> String { Scenario.Partition.words(groups) }
}

extension World {
  /// Keeps a node away until it joins.
  ///
  /// Call it before ``connectAll()``.
  mutating func keepAway(_ place: Int) { takeDown(place) }

  private mutating func crash(_ place: Int, _ kind: CrashKind, _ draw: UInt64) {
    guard nodeStates[place].isUp else { return }
    switch kind {
    case .crash: counts.crashes &+= 1
    case .torn: counts.tornEdits &+= 1
    case .restore: counts.restores &+= 1
    case .inPlace: counts.inPlaceRestores &+= 1
    }
    nodes[place].crash(kind, draw: draw)
    goDown(place, detail: kind.rawValue)
  }

  /// Takes down a node that has set its state to what a crash leaves.
  mutating func goDown(_ place: Int, detail: String) {
    guard nodeStates[place].isUp else { return }
    if sink != nil { trace(.crash, place, detail: detail) }
    nodeStates[place].isUp = false
    endPause(of: place)
    nodeStates[place].isLingering = true
    // Its sent messages may still arrive before the others notice.
    let linger = generator.below(2 * (conditions.delay + conditions.jitter) + 2)
    act(.collapse(place), at: now + UInt64(linger))
  }

  /// Removes the connections of a node that has gone down.
  private mutating func collapse(_ place: Int) {
    guard nodeStates[place].isLingering else { return }
    nodeStates[place].isLingering = false
    for link in links(of: place) { block(link) }
  }

  private mutating func takeDown(_ place: Int) {
    nodeStates[place].isUp = false
    endPause(of: place)
    for link in links(of: place) { block(link) }
  }

  private mutating func restart(_ place: Int) {
    guard !nodeStates[place].isUp, !nodeStates[place].hasLeft else { return }
    if sink != nil { traceNode(.restart, place) }
    comeUp(place)
  }

  private mutating func comeUp(_ place: Int) {
    guard !nodeStates[place].isUp, !nodeStates[place].hasLeft else { return }
    collapse(place)
    nodeStates[place].isUp = true
    for link in links(of: place) { unblock(link) }
  }

  private func links(of place: Int) -> [Int] {
    let first = Int(nodeStates[place].firstDirection)
    return directions[first..<first + Int(nodeStates[place].neighbourCount)].map { Int($0.link) }
  }
}
