import CRDTStoreTesting

extension World {
  /// Performs an action, and schedules its end.
  ///
  /// An edit may be impossible.
  mutating func perform(_ action: WorldAction) {
    switch action {
    case .edit(let place, let number): _ = editNow(place, number: number)
    case .editAhead(let place, let number, let ahead):
      _ = editNow(place, number: number, ahead: ahead)
    case .partition(let groups, let length):
      defer { act(.heal(groups), at: now + max(length, 1)) }
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
    case .crash(let place, let kind, let draw, let down):
      guard nodeStates[place].isUp else { return }
      crash(place, kind, draw)
      act(.restart(place), at: now + max(down, 1))
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
    case .pause(let place, let length):
      guard nodeStates[place].isUp, !nodeStates[place].isPaused else { return }
      pause(place)
      act(.resume(place), at: now + max(length, 1))
    case .resume(let place): resume(place)
    case .jump(let place, let milliseconds):
      counts.clockJumps &+= 1
      nodeStates[place].clock.offset += milliseconds
      if sink != nil { trace(.clock, place, detail: "\(milliseconds) ms") }
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

  /// Keeps a node away until it joins.
  ///
  /// Call it before ``connectAll()``.
  mutating func keepAway(_ place: Int) { takeDown(place) }

  private mutating func crash(_ place: Int, _ kind: CrashKind, _ draw: UInt64) {
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

  /// Whether a node is paused.
  func isPaused(_ place: Int) -> Bool { nodeStates[place].isPaused }

  /// Pauses a node: it is only notified of broken links, and messages to it wait.
  private mutating func pause(_ place: Int) {
    counts.pauses &+= 1
    if sink != nil { trace(.pause, place) }
    nodeStates[place].isPaused = true
    pausedNodes[place] = PausedNode()
  }

  /// Resumes a node, which receives the waiting messages.
  private mutating func resume(_ place: Int) {
    guard nodeStates[place].isPaused else { return }
    if sink != nil { trace(.resume, place) }
    endPause(of: place)
  }

  /// Removes everything that waits for a node, which resumes or is gone.
  mutating func endPause(of place: Int) {
    guard let pausedNode = pausedNodes.removeValue(forKey: place) else { return }
    nodeStates[place].isPaused = false
    for event in pausedNode.arrivals {
      queue.add(
        .arrival, at: now, place: Int(event.place), index: Int(event.index),
        connection: event.connection)
    }
    for link in pausedNode.links { unblock(link) }
  }

  /// Delays a link's connection until both of its nodes can be notified.
  mutating func waitsForPause(_ link: Int) -> Bool {
    guard !pausedNodes.isEmpty else { return false }
    let (one, other) = ends(of: link)
    guard let place = [one, other].first(where: { nodeStates[$0].isPaused }) else { return false }
    links[link].blocks += 1
    pausedNodes[place]?.links.append(link)
    return true
  }
}

/// The messages and connections that wait for a paused node of a ``World``.
struct PausedNode: Sendable {
  /// The messages that have arrived, in order.
  var arrivals: [EventQueue.Event] = []
  /// The links that connect as soon as the node can be notified.
  var links: [Int] = []
}
