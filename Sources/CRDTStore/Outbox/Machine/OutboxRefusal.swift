public import CRDTKit

/// Why an operation is not taken into an outbox.
public enum OutboxRefusal: Error, Hashable, Sendable {
  /// Changes of the record's collection must not wait in a queue: they are to be made
  /// with the server, while there is a way to it.
  case onlineOnly(Document.RecordID)
  /// An operation of that identifier waits already.
  case alreadyQueued(OperationID)
}

extension OutboxRefusal: CustomStringConvertible {
  /// A sentence that says what is refused, and why.
  public var description: String {
    switch self {
    case .onlineOnly(let record):
      "a change of \(record) can't be queued: its collection is online-only"
    case .alreadyQueued(let id): "the operation '\(id)' is queued already"
    }
  }
}
