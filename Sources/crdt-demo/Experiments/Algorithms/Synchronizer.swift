/// A node of a micro-benchmark: it makes updates, and what it holds can be read.
protocol Synchronizer: ExperimentNode {
  /// Makes an update.
  mutating func update(_ update: ExperimentUpdate)

  /// What a message costs.
  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost

  /// What the state says, as pairs of numbers, alike for all algorithms.
  var reading: [UInt64: UInt64] { get }

  /// What the node keeps at the moment: elements and metadata, as a message's cost
  /// counts them.
  var held: Int { get }
}

extension Synchronizer where Message: CountedMessage {
  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    ExperimentCost(of: message, measuringBytes: measuringBytes)
  }
}
