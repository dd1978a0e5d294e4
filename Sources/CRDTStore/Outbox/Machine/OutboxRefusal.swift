import CRDTKit

/// Why an operation is not taken into an outbox.
public enum OutboxRefusal: Error, Hashable, Sendable {
  /// An operation of that identifier waits already.
  case alreadyQueued(OperationID)
}

extension OutboxRefusal: CustomStringConvertible {
  /// A sentence that says what is refused, and why.
  public var description: String {
    switch self {
    case .alreadyQueued(let id): "the operation '\(id.description.visible)' is queued already"
    }
  }
}
