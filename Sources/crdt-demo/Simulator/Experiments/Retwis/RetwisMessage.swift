/// A message about one object of one user.
struct RetwisMessage: Sendable {
  /// The user's number times three, and the object's.
  var object: Int
  var message: ExperimentMessage<NumberSet>

  /// Which of a user's objects it is.
  static func kind(of object: Int) -> RetwisObject {
    RetwisObject(rawValue: object % RetwisObject.allCases.count) ?? .followers
  }

  /// The number of a user's object.
  static func object(_ kind: RetwisObject, of user: Int) -> Int {
    user * RetwisObject.allCases.count + kind.rawValue
  }
}

extension RetwisMessage {
  /// What the message costs: the contents' lengths are known, so they aren't written.
  var cost: ExperimentCost {
    var bytes = ExperimentMessageFormat.frameByteCount + RetwisObject.varintLength(object)
    switch message {
    case .delta(let elements, let sequence):
      bytes += RetwisObject.varintLength(sequence)
      bytes += Self.kind(of: object).byteCount(of: elements)
    case .acknowledgement(let sequence): bytes += RetwisObject.varintLength(sequence)
    default: break
    }
    return ExperimentCost(
      messages: 1, elements: message.elementCount, metadata: message.metadataCount,
      bytes: bytes)
  }
}

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
