extension World {
  /// Whether a node is stopped.
  func isPaused(_ place: Int) -> Bool { nodeStates[place].isPaused }

  /// Stops a node: it does nothing but hear of links that break, and what comes waits.
  mutating func pause(_ place: Int) {
    guard nodeStates[place].isUp, !nodeStates[place].isPaused else { return }
    counts.pauses &+= 1
    if sink != nil { trace(.pause, place) }
    nodeStates[place].isPaused = true
    pausedNodes[place] = PausedNode()
  }

  /// Lets a node go on: it gets what has come meanwhile.
  mutating func resume(_ place: Int) {
    guard nodeStates[place].isPaused else { return }
    if sink != nil { trace(.resume, place) }
    endPause(of: place)
  }

  /// Lets go of what waits for a node, whether it goes on or is gone.
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

  /// Lets a link wait for its connection until both of its nodes can be told.
  mutating func waitsForPause(_ link: Int) -> Bool {
    guard !pausedNodes.isEmpty else { return false }
    let (one, other) = ends(of: link)
    guard let place = [one, other].first(where: { nodeStates[$0].isPaused }) else { return false }
    links[link].blocks += 1
    pausedNodes[place]?.links.append(link)
    return true
  }
}

/// What waits for a node of a ``World`` that is stopped.
struct PausedNode: Sendable {
  /// Messages that have come, in their order.
  var arrivals: [EventQueue.Event] = []
  /// Links that have a connection as soon as the node can be told of it.
  var links: [Int] = []
}
