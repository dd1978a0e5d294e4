/// What follows from something that happened to an outbox.
public struct OutboxEffects: Sendable {
  /// What is to be kept, in the same commit: values by name, and names whose values go.
  public var values: [(key: String, value: [UInt8]?)] = []
  /// What else is to be done, in order.
  public var actions: [OutboxAction] = []

  /// Creates what follows from nothing.
  public init() {}
}

extension OutboxEffects {
  /// Whether nothing follows.
  public var isEmpty: Bool { values.isEmpty && actions.isEmpty }

  mutating func keep(_ entry: Lane.Entry) {
    let bytes = entry.operation.encoded()
    values.append(
      (OutboxKey.text(of: entry.sequence), entry.isPast ? [OutboxKey.pastMark] + bytes : bytes))
  }

  mutating func forget(_ entry: Lane.Entry) {
    values.append((OutboxKey.text(of: entry.sequence), nil))
  }
}
