/// A node of an experiment: a state machine that makes updates, synchronizes with its
/// neighbours once in a while, and takes in messages.
protocol Synchronizer {
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

  /// Begins to exchange messages, before any update.
  mutating func start(_ outbox: inout Outbox<Message>)

  /// Makes an update.
  mutating func update(_ update: ExperimentUpdate)

  /// Does what is due once a second, with every neighbour.
  mutating func synchronize(_ outbox: inout Outbox<Message>)

  /// Takes in a message that a neighbour has sent.
  mutating func receive(_ message: Message, from node: Int, _ outbox: inout Outbox<Message>)

  /// What a message costs.
  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost

  /// What the state says, as pairs of numbers, alike for all algorithms.
  var reading: [UInt64: UInt64] { get }

  /// What the node keeps at the moment: elements and metadata, as a message's cost
  /// counts them.
  var held: Int { get }
}

extension Synchronizer {
  /// Has nothing to tell.
  mutating func start(_ outbox: inout Outbox<Message>) {}
}

extension Synchronizer where Message: CountedMessage {
  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    ExperimentCost(of: message, measuringBytes: measuringBytes)
  }
}
