package import CRDTKit

/// The effects of an event on an outbox.
package struct OutboxEffects: Sendable {
  /// The values to store in the same commit, by name; `nil` removes a value.
  package var values: [(key: String, value: [UInt8]?)] = []
  /// The other actions to perform, in order.
  package var actions: [OutboxAction] = []

  /// Creates an empty set of effects.
  package init() {}
}

extension OutboxEffects {
  /// Whether there are no effects.
  package var isEmpty: Bool { values.isEmpty && actions.isEmpty }

  mutating func keep(_ entry: Lane.Entry) {
    let bytes = entry.operation.encoded()
    values.append(
      (OutboxKey.text(of: entry.sequence), entry.isPast ? [OutboxKey.pastMark] + bytes : bytes))
  }

  mutating func forget(_ entry: Lane.Entry) {
    values.append((OutboxKey.text(of: entry.sequence), nil))
  }
}

/// An effect of an event on an outbox, other than a value to store.
package enum OutboxAction: Hashable, Sendable {
  /// A new operation was merged into a pending one, whose answer counts for both.
  case coalesced(Outbox.OperationID, into: Outbox.OperationID)
  /// The server has applied an operation, and its record now has this version.
  case accepted(Outbox.Operation, serverVersion: String?)
  /// An operation lost, as a whole or in part. The server does not receive the lost
  /// changes: a later write replaced them, or the changed record or field is gone.
  ///
  /// The associated operation has only the changes that lost. The other changes are still
  /// sent.
  case superseded(Outbox.Operation)
  /// An operation became a dead letter, which is kept until it is retried or discarded.
  case deadLettered(Outbox.Operation)
  /// A dead letter is sent again, with these changes.
  case retried(Outbox.Operation)
  /// The app discarded a dead letter.
  case discarded(Outbox.Operation)
  /// The server has a record version that the operation is not based on.
  ///
  /// Apply the record, then call ``OutboxMachine/rebased(_:to:losing:at:using:)`` with the
  /// changes that are still to be sent. The operations of the record wait until then.
  case rebase(Outbox.Operation, Outbox.ServerRecord)
  /// The number of pending operations has reached the warning limit. It is reported once
  /// each time that the number reaches the limit.
  case backlog(count: Int)
  /// The server requires new credentials.
  ///
  /// Nothing is sent until ``OutboxMachine/credentialsRenewed()`` is called.
  case credentialsNeeded
}

/// Operations that are sent to the server together.
package struct OutboxBatch: Hashable, Sendable {
  /// The number of the batch, which identifies its answers.
  package let number: UInt64
  /// The operations, oldest first, at most one per record.
  package let operations: [Outbox.Operation]
  /// What the server has in texts and lists of which it is told the edits, by their records.
  package var serverTexts: [Document.RecordID: ServerTexts] = [:]
}

extension OutboxBatch {
  /// The envelopes to send to the server.
  ///
  /// - Complexity: O(number of operations).
  package var envelopes: [Outbox.Envelope] { operations.map(\.envelope) }

  /// The envelopes with edits where these are told, and without changes that precede a
  /// deletion.
  ///
  /// Those matter only if the deletion loses.
  ///
  /// - Complexity: O(size of the texts and lists that are told as edits).
  package var sentEnvelopes: [Outbox.Envelope] {
    operations.map { operation in
      var envelope = operation.envelope
      if envelope.kind == .delete { envelope.changes = [] }
      if let texts = serverTexts[operation.record] {
        envelope.replaceAssignments(withEditsOf: texts)
      }
      return envelope
    }
  }
}

/// A stored value of an outbox is damaged.
package struct OutboxDamage: Error, Hashable, Sendable {
  /// The name of the stored value.
  package var key: String
  /// Why the value can't be decoded; `nil` if the name is not a valid outbox name.
  package var failure: DecodingFailure?

  init(key: String, failure: DecodingFailure? = nil) {
    self.key = key
    self.failure = failure
  }
}

extension OutboxDamage: CustomStringConvertible {
  /// A sentence that says which value is damaged, and how.
  package var description: String {
    let reason = failure.map { "\($0)" } ?? "no operation is kept under such a name"
    return "the queued operation '\(key.visible)' can't be read: \(reason)"
  }
}

/// Why an outbox refuses an operation.
package enum OutboxRefusal: Error, Hashable, Sendable {
  /// An operation with that identifier is already queued.
  case alreadyQueued(Outbox.OperationID)
}

extension OutboxRefusal: CustomStringConvertible {
  /// A sentence that says which operation is refused, and why.
  package var description: String {
    switch self {
    case .alreadyQueued(let id): "the operation '\(id.description.visible)' is queued already"
    }
  }
}

/// The names of stored operations: `outbox/` and the position in the queue.
///
/// A position has eight or more digits of base 32, so a name fits into a `String` without a
/// heap allocation.
enum OutboxKey {
  static let area = "outbox/"
  private static let digits = 8
  /// The prefix of an operation whose record was recreated since.
  ///
  /// It is not a valid format version.
  static let pastMark: UInt8 = 0xFF

  static func text(of sequence: UInt64) -> String {
    let place = String(sequence, radix: 32)
    let zeros = Swift.max(0, digits - place.utf8.count)
    return area + String(repeating: "0", count: zeros) + place
  }

  /// The queue position in a name; `nil` if the name is not valid.
  static func sequence(of key: String) -> UInt64? {
    guard key.utf8.starts(with: area.utf8) else { return nil }
    let digits = key.dropFirst(area.utf8.count)
    guard let sequence = UInt64(digits, radix: 32), text(of: sequence) == key else { return nil }
    return sequence
  }
}
