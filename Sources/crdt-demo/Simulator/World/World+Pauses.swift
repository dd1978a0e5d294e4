extension World {
  /// Whether a node is paused.
  func isPaused(_ place: Int) -> Bool { nodeStates[place].isPaused }

  /// Pauses a node: it is only notified of broken links, and messages to it wait.
  mutating func pause(_ place: Int) {
    guard nodeStates[place].isUp, !nodeStates[place].isPaused else { return }
    counts.pauses &+= 1
    if sink != nil { trace(.pause, place) }
    nodeStates[place].isPaused = true
    pausedNodes[place] = PausedNode()
  }

  /// Resumes a node, which receives the waiting messages.
  mutating func resume(_ place: Int) {
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
