import CRDTKit

extension OutboxMachine {
  /// Whether the server may have done an operation of a record that isn't answered for,
  /// and that counts: then it can't be told whether a number of the server's has it.
  ///
  /// - Complexity: O(operations of the record).
  func isCountInDoubt(of record: Document.RecordID) -> Bool {
    guard let slot = slots[record] else { return false }
    return lanes[slot].pending.contains { entry in
      entry.mayBeKnown
        && entry.operation.changes.contains { change in
          if case .increment = change.change { true } else { false }
        }
    }
  }

  /// Notes that the server has answered that it didn't do an operation.
  mutating func settle(_ id: OperationID) {
    guard let slot = slots[id.record], lanes[slot].head?.operation.id == id else { return }
    lanes[slot].changeHead { $0.mayBeKnown = false }
  }
}
