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
