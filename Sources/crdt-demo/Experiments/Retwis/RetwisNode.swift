/// A node of the Twitter clone.
protocol RetwisNode {
  associatedtype Message

  /// What is the same for all nodes of a run.
  associatedtype Settings

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Settings)

  /// Begins to exchange messages, before any operation.
  mutating func start(_ outbox: inout Outbox<Message>)

  /// Does what a user asks for.
  mutating func perform(_ operation: RetwisOperation)

  /// Does what is due in each period, with every neighbour.
  mutating func synchronize(_ outbox: inout Outbox<Message>)

  /// Takes in a message that a neighbour has sent.
  mutating func receive(_ message: Message, from node: Int, _ outbox: inout Outbox<Message>)

  /// What a message costs.
  static func cost(of message: Message) -> ExperimentCost

  /// Equal on nodes that hold the same.
  var digest: UInt64 { get }

  /// How many elements there are.
  var elementCount: Int { get }
}
