/// A node of the Twitter clone.
protocol RetwisNode: ExperimentNode {
  /// Does what a user asks for.
  mutating func perform(_ operation: RetwisOperation)

  /// What a message costs.
  static func cost(of message: Message) -> ExperimentCost

  /// Equal on nodes that hold the same.
  var digest: UInt64 { get }

  /// How many elements there are.
  var elementCount: Int { get }
}
