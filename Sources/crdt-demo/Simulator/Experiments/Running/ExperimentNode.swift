/// A node of an experiment, as far as messages go: a state machine that synchronizes
/// with its neighbours once in a while, and takes in what they send.
protocol ExperimentNode {
  associatedtype Message

  /// What is the same for all nodes of a run.
  associatedtype Settings

  /// Creates a node that has nothing.
  ///
  /// - Parameters:
  ///   - node: Its place among all nodes.
  ///   - neighbours: The places of those that it exchanges messages with.
  ///   - nodeCount: How many nodes there are.
  ///   - settings: What is the same for all nodes.
  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Settings)

  /// Begins to exchange messages, before anything is changed.
  mutating func start(_ box: inout MessageBox<Message>)

  /// Does what is due once a period, with every neighbour.
  mutating func synchronize(_ box: inout MessageBox<Message>)

  /// Takes in a message that a neighbour has sent.
  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>)
}

extension ExperimentNode {
  /// Has nothing to tell.
  mutating func start(_ box: inout MessageBox<Message>) {}
}
