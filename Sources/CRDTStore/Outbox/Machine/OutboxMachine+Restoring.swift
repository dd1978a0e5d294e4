import CRDTKit

extension OutboxMachine {
  /// Creates the machine of an outbox from what was kept of it.
  ///
  /// What was on its way is sent again: whether the server has seen it isn't known.
  /// So nothing that was queued before is changed by what is queued from now on.
  ///
  /// - Parameters:
  ///   - values: All values whose names begin with `outbox/`, in any order.
  ///   - settings: How it sends.
  ///   - now: Milliseconds since 1970.
  /// - Complexity: O(n log n) for the values, and O(bytes).
  /// - Throws: ``OutboxDamage`` where a value is not one that was kept.
  public init(
    restoring values: [(key: String, value: [UInt8])],
    settings: OutboxSettings = OutboxSettings(), at now: UInt64
  ) throws(OutboxDamage) {
    self.init(settings: settings)
    var entries: [Lane.Entry] = []
    entries.reserveCapacity(values.count)
    for (key, value) in values { entries.append(try Self.entry(key, value)) }
    entries.sort { $0.sequence < $1.sequence }
    for var entry in entries {
      // What waits for its time was answered, and has not been sent since.
      entry.isInDoubt = isDue(entry.operation.nextAttemptMilliseconds, at: now)
      let slot = slotForLane(of: entry.operation.record)
      if entry.operation.failure == nil {
        lanes[slot].append(entry)
        pendingCount += 1
        if lanes[slot].phase == .idle { awaitTurn(of: slot, at: now) }
      } else {
        bury(entry, in: slot)
      }
    }
    nextSequence = (entries.last?.sequence ?? 0) + 1
  }

  private static func entry(
    _ key: String, _ value: [UInt8]
  ) throws(OutboxDamage) -> Lane.Entry {
    guard let sequence = OutboxKey.sequence(of: key), sequence < .max else {
      throw OutboxDamage(key: key)
    }
    do {
      let isPast = value.first == OutboxKey.pastMark
      let operation = try OutboxOperation(decoding: isPast ? Array(value.dropFirst()) : value)
      return Lane.Entry(
        operation: operation, sequence: sequence, mayBeKnown: true, isPast: isPast)
    } catch {
      throw OutboxDamage(key: key, failure: error)
    }
  }
}
