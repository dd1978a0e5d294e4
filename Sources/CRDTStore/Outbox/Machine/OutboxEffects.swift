public import CRDTKit

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

/// What follows from something that happened to an outbox, beside what is to be kept.
public enum OutboxAction: Hashable, Sendable {
  /// A new operation was taken into one that waited, and is answered for by that.
  case coalesced(OperationID, into: OperationID)
  /// The server has done an operation, and its record has the version there.
  case accepted(OutboxOperation, serverVersion: String?)
  /// An operation lost, as a whole or in part, and the server is not told what lost: a later
  /// write stands in its place, or what it changed is gone.
  ///
  /// It is given with just the changes that lost. What else it changed is still sent.
  case superseded(OutboxOperation)
  /// An operation failed for good, and is kept until it is retried or discarded.
  case deadLettered(OutboxOperation)
  /// An operation that had failed for good is sent again, with these changes.
  case retried(OutboxOperation)
  /// An operation that had failed for good was given up by the app.
  case discarded(OutboxOperation)
  /// The server has a record that the operation doesn't know of.
  ///
  /// Take the record in, then call ``OutboxMachine/rebased(_:to:losing:at:using:)`` with what
  /// is left to be sent; until then the operations of the record wait.
  case rebase(OutboxOperation, ServerRecord)
  /// So many operations wait: more than are expected to. It is said once each time
  /// that their number gets there.
  case backlog(count: Int)
  /// The server wants other credentials.
  ///
  /// Nothing is sent until ``OutboxMachine/credentialsRenewed()`` is called.
  case credentialsNeeded
}

/// Operations that are on their way to the server together.
public struct OutboxBatch: Hashable, Sendable {
  /// The number of the batch, by which its answers are known.
  public let number: UInt64
  /// The operations, the oldest first, each of another record.
  public let operations: [OutboxOperation]
}

extension OutboxBatch {
  /// What the server is sent.
  ///
  /// - Complexity: O(number of operations).
  public var envelopes: [OperationEnvelope] { operations.map(\.envelope) }

  /// The same without what was changed before a deletion, which is of use only where
  /// that loses.
  package var sentEnvelopes: [OperationEnvelope] {
    operations.map { operation in
      var envelope = operation.envelope
      if envelope.kind == .delete { envelope.changes = [] }
      return envelope
    }
  }
}

/// What is kept of an outbox is not as it was written.
public struct OutboxDamage: Error, Hashable, Sendable {
  /// The name that the value is kept under.
  public var key: String
  /// What is wrong with the value; `nil` where the name is none of an outbox.
  public var failure: DecodingFailure?

  init(key: String, failure: DecodingFailure? = nil) {
    self.key = key
    self.failure = failure
  }
}

extension OutboxDamage: CustomStringConvertible {
  /// A sentence that says which value is wrong, and how.
  public var description: String {
    let reason = failure.map { "\($0)" } ?? "no operation is kept under such a name"
    return "the queued operation '\(key.visible)' can't be read: \(reason)"
  }
}

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

/// The names that operations are kept under: `outbox/` and their place in the queue.
///
/// A place has eight digits of base 32, or more; so a name fits into a `String`
/// without memory of its own.
enum OutboxKey {
  static let area = "outbox/"
  private static let digits = 8
  /// What stands before an operation whose record was made anew since: the version of no
  /// form.
  static let pastMark: UInt8 = 0xFF

  static func text(of sequence: UInt64) -> String {
    let place = String(sequence, radix: 32)
    let zeros = Swift.max(0, digits - place.utf8.count)
    return area + String(repeating: "0", count: zeros) + place
  }

  /// The place in the queue that a name says; `nil` if it is none.
  static func sequence(of key: String) -> UInt64? {
    guard key.utf8.starts(with: area.utf8) else { return nil }
    let digits = key.dropFirst(area.utf8.count)
    guard let sequence = UInt64(digits, radix: 32), text(of: sequence) == key else { return nil }
    return sequence
  }
}
