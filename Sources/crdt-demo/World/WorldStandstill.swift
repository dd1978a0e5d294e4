/// What waits for a node of a ``World`` that is stopped.
struct WorldStandstill: Sendable {
  /// Messages that have come, in their order.
  var arrivals: [EventQueue.Event] = []
  /// Links that have a connection as soon as the node can be told of it.
  var links: [Int] = []
}
