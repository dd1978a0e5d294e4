import CRDTKit

extension OutboxMachine {
  /// Notes that events which operations made were replaced by others that say the same:
  /// the server hasn't heard of these either.
  ///
  /// - Returns: What is to be kept.
  /// - Complexity: Expected O(moves · operations of their records).
  mutating func restamped(_ moves: [Document.Restamping.Move]) -> OutboxEffects {
    var effects = OutboxEffects()
    var changed: [UInt64: Lane.Entry] = [:]
    for move in moves {
      guard let slot = slots[move.record] else { continue }
      lanes[slot].changeEach { entry in
        let operation = entry.operation
        guard operation.covers(move.old), move.new.replica == move.old.replica else { return }
        let dots = operation.dots
        entry.operation.dots = dots.lowerBound...max(dots.upperBound, move.new.counter)
        changed[entry.sequence] = entry
      }
    }
    for sequence in changed.keys.sorted() {
      if let entry = changed[sequence] { effects.keep(entry) }
    }
    return effects
  }
}
