import CRDTKit

extension OutboxMachine {
  /// Sends an operation again: a dead letter as if it had never failed, a waiting operation
  /// without further delay.
  ///
  /// A dead letter returns to its position in the lane: before later operations that are
  /// still pending. It stays behind operations that the server may have applied, because
  /// the server's record would then look like someone else's change. It must not undo later
  /// writes: pass the operation with only the changes that are still wanted, and the
  /// changes that lost.
  ///
  /// - Parameters:
  ///   - id: The operation. An unknown one, and one that is being sent, is ignored.
  ///   - revised: The dead letter with other changes.
  ///   - lost: The dead letter with the changes that are no longer wanted.
  /// - Returns: The values to store.
  /// - Complexity: O(operations of the record).
  package mutating func retry(
    _ id: Outbox.OperationID, as revised: Outbox.Operation? = nil,
    losing lost: Outbox.Operation? = nil
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record] else { return effects }
    guard let entry = unearth(id, in: slot) else {
      retryNow(id, in: slot, effects: &effects)
      return effects
    }
    precondition(revised == nil || revised?.id == id, "'\(id)' was revised to another operation")
    var operation = revised ?? entry.operation
    operation.state = .pending
    operation.attempts = 0
    operation.nextAttemptMilliseconds = 0
    var pending = Lane.Entry(
      operation: operation, sequence: entry.sequence, mayBeKnown: true, isPast: entry.isPast)
    pending.isInDoubt = entry.operation.mayBeDone
    pending.mayBeRetried = true
    let isHeadBusy =
      switch lanes[slot].phase {
      case .inFlight, .rebasing: true
      case .idle, .ready, .waiting: lanes[slot].head?.isInDoubt == true
      }
    if let lost { take(lost, from: slot, effects: &effects) }
    effects.actions.append(.retried(operation))
    lanes[slot].insert(pending, after: isHeadBusy ? 1 : 0)
    if lanes[slot].head?.sequence == pending.sequence { startAnew(slot) }
    effects.keep(pending)
    notePending(&effects)
    return effects
  }

  /// Sends all waiting operations without further delay if the server can be reached.
  ///
  /// Dead letters don't change.
  ///
  /// - Complexity: O(n log n) for the waiting operations.
  package mutating func retryWaiting() {
    networkRestored()
    for slot in lanes.indices {
      if case .waiting = lanes[slot].phase { makeReady(slot) }
    }
  }

  /// Removes a dead letter and returns it, so that its changes can be reverted.
  ///
  /// - Parameters:
  ///   - id: The operation; it is ignored if it is not a dead letter.
  ///   - isReverted: Whether its changes are reverted.
  /// - Returns: The operation, if there was one, and the values to store.
  /// - Complexity: O(operations of the record).
  package mutating func discard(
    _ id: Outbox.OperationID, isReverted: Bool = false
  ) -> (operation: Outbox.Operation?, effects: OutboxEffects) {
    var effects = OutboxEffects()
    guard let slot = slots[id.record], let entry = unearth(id, in: slot) else {
      return (nil, effects)
    }
    effects.forget(entry)
    if isReverted {
      forget(entry.operation.changes, from: slot, effects: &effects)
      forgetRemovals(of: entry, from: slot, effects: &effects)
    }
    freeLane(slot, of: id.record)
    effects.actions.append(.discarded(entry.operation))
    return (entry.operation, effects)
  }

  /// Drops from later dead letters the removals of elements that only a reverted one had
  /// inserted: reverting the removals would bring the elements back.
  ///
  /// - Complexity: O(changes of the record's operations).
  private mutating func forgetRemovals(
    of reverted: Lane.Entry, from slot: Int, effects: inout OutboxEffects
  ) {
    var inserted = reverted.operation.changes.filter { change in
      if case .insert = change.change { true } else { false }
    }
    let letters = lanes[slot].dead.values.filter {
      $0.isPast == reverted.isPast && $0.sequence > reverted.sequence
    }
    for letter in letters.sorted(by: { $0.sequence < $1.sequence }) where !inserted.isEmpty {
      let changes = letter.operation.changes
      let isRemoval = { (change: Document.FieldChange) in
        if case .take = change.change { true } else { false }
      }
      drop(from: letter, in: slot, effects: &effects) { change in
        isRemoval(change) ? change.split(by: inserted) : (change, nil)
      }
      // Later removals are of elements that this letter has inserted.
      inserted = inserted.compactMap { $0.split(by: changes).rest }
    }
  }

  /// Removes the counts of a dead letter that an undo has taken back.
  ///
  /// - Complexity: O(operations of the record).
  mutating func discardCounts(
    at paths: Set<FieldPath>, of id: Outbox.OperationID
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record], var entry = lanes[slot].dead[id] else { return effects }
    var gone = entry.operation
    gone.changes = entry.operation.changes.filter { $0.isCount && paths.contains($0.path) }
    if gone.changes.isEmpty { return effects }
    entry.operation.changes.removeAll { $0.isCount && paths.contains($0.path) }
    if entry.operation.changes.isEmpty { return discard(id).effects }
    lanes[slot].dead[id] = entry
    effects.keep(entry)
    effects.actions.append(.superseded(gone))
    return effects
  }

  /// Removes a dead letter whose changes are all superseded.
  ///
  /// - Complexity: O(operations of the record).
  mutating func supersede(_ id: Outbox.OperationID) -> OutboxEffects {
    var (operation, effects) = discard(id, isReverted: true)
    if let operation {
      effects.actions.removeLast()
      effects.actions.append(.superseded(operation))
    }
    return effects
  }

  /// Removes the dead letters of a record that is restored: its whole contents are told.
  ///
  /// - Returns: The values to store.
  /// - Complexity: O(operations of the record).
  mutating func supersedeLetters(of record: Document.RecordID) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[record] else { return effects }
    let letters = lanes[slot].dead.values.filter { !$0.isPast && $0.operation.kind != .delete }
    for letter in letters.sorted(by: { $0.sequence < $1.sequence }) {
      guard let entry = unearth(letter.operation.id, in: slot) else { continue }
      effects.forget(entry)
      effects.actions.append(.superseded(entry.operation))
    }
    freeLane(slot, of: record)
    return effects
  }

  /// Drops from earlier dead letters what an operation that the server has applied has
  /// replaced.
  ///
  /// - Complexity: O(changes of the record's operations).
  mutating func supersedeLetters(
    in slot: Int, by done: Lane.Entry, effects: inout OutboxEffects
  ) {
    guard done.operation.kind == .update, !lanes[slot].dead.isEmpty else { return }
    let letters = lanes[slot].dead.values.filter { !$0.isPast && $0.sequence < done.sequence }
    for letter in letters.sorted(by: { $0.sequence < $1.sequence })
    where letter.operation.kind == .update {
      drop(from: letter, in: slot, effects: &effects) { $0.split(by: done.operation.changes) }
    }
  }

  /// Drops parts of a dead letter's changes, which are then superseded.
  private mutating func drop(
    from letter: Lane.Entry, in slot: Int, effects: inout OutboxEffects,
    by split: (Document.FieldChange) -> (
      rest: Document.FieldChange?, replaced: Document.FieldChange?
    )
  ) {
    var (letter, lost) = (letter, letter.operation)
    let parts = letter.operation.changes.map(split)
    lost.changes = parts.compactMap(\.replaced)
    letter.operation.changes = parts.compactMap(\.rest)
    if lost.changes.isEmpty { return }
    if letter.operation.changes.isEmpty {
      if let entry = unearth(letter.operation.id, in: slot) { effects.forget(entry) }
    } else {
      lanes[slot].dead[letter.operation.id] = letter
      effects.keep(letter)
    }
    take(lost, from: slot, effects: &effects)
  }

  /// Records that a record is recreated.
  ///
  /// Pending and failed operations belong to the earlier record of that name.
  ///
  /// - Returns: The values to store.
  /// - Complexity: O(operations of the record).
  mutating func madeAnew(_ record: Document.RecordID) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[record] else { return effects }
    lanes[slot].changeEach { entry in
      if entry.isPast { return }
      entry.isPast = true
      effects.keep(entry)
    }
    return effects
  }

  /// Whether a dead letter belongs to an earlier record of the same name.
  func isPast(_ id: Outbox.OperationID) -> Bool {
    slots[id.record].flatMap { lanes[$0].dead[id] }?.isPast == true
  }

  private mutating func unearth(_ id: Outbox.OperationID, in slot: Int) -> Lane.Entry? {
    guard let entry = lanes[slot].dead.removeValue(forKey: id) else { return nil }
    deadLetterCount -= 1
    if lanes[slot].dead.isEmpty { deadSlots.remove(slot) }
    return entry
  }

  private mutating func retryNow(
    _ id: Outbox.OperationID, in slot: Int, effects: inout OutboxEffects
  ) {
    guard case .waiting = lanes[slot].phase, var head = lanes[slot].head,
      head.operation.id == id
    else { return }
    if head.operation.nextAttemptMilliseconds > 0 {
      head.operation.nextAttemptMilliseconds = 0
      lanes[slot].replaceHead(with: head)
      effects.keep(head)
    }
    makeReady(slot)
  }

  /// Makes a lane ready after its first operation has changed.
  private mutating func startAnew(_ slot: Int) {
    lanes[slot].setbacks = 0
    lanes[slot].isSuspect = false
    makeReady(slot)
  }
}

extension OutboxMachine {
  /// Creates the machine of an outbox from its stored values.
  ///
  /// Operations that were being sent are sent again, because it is unknown whether the
  /// server received them. New operations are therefore never merged into restored ones.
  ///
  /// - Parameters:
  ///   - values: All values whose names begin with `outbox/`, in any order.
  ///   - settings: The settings.
  ///   - now: Milliseconds since 1970.
  /// - Complexity: O(n log n) for the values, and O(bytes).
  /// - Throws: ``OutboxDamage`` if a stored value can't be read.
  package init(
    restoring values: [(key: String, value: [UInt8])],
    settings: Outbox.Settings = Outbox.Settings(), at now: UInt64
  ) throws(OutboxDamage) {
    self.init(settings: settings)
    var entries: [Lane.Entry] = []
    entries.reserveCapacity(values.count)
    for (key, value) in values { entries.append(try Self.entry(key, value)) }
    entries.sort { $0.sequence < $1.sequence }
    for entry in entries {
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
      let operation = try Outbox.Operation(decoding: isPast ? Array(value.dropFirst()) : value)
      // It is in doubt even if it waits for its time: an attempt before the last may have
      // been applied.
      return Lane.Entry(
        operation: operation, sequence: sequence, mayBeKnown: true, isInDoubt: true,
        mayBeRetried: true, isPast: isPast)
    } catch {
      throw OutboxDamage(key: key, failure: error)
    }
  }
}

extension Document.FieldChange {
  /// The parts of the change that some later changes have left, and that they have replaced.
  fileprivate func split(
    by later: [Document.FieldChange]
  ) -> (rest: Document.FieldChange?, replaced: Document.FieldChange?) {
    let isReplaced = later.contains {
      $0.isAssignment && path.names.starts(with: $0.path.names)
    }
    if isReplaced { return (nil, self) }
    let elements: [Document.Value]
    switch change {
    case .insert(let all), .take(let all): elements = all
    case .assign, .remove, .increment: return (self, nil)
    }
    let touched = Set(
      later.flatMap { other -> [Document.Value] in
        guard other.path == path else { return [] }
        switch other.change {
        case .insert(let all), .take(let all): return all
        case .assign, .remove, .increment: return []
        }
      })
    return (
      holding(elements.filter { !touched.contains($0) }), holding(elements.filter(touched.contains))
    )
  }

  /// The insertion or removal of other elements; `nil` if there are none.
  private func holding(_ elements: [Document.Value]) -> Document.FieldChange? {
    if elements.isEmpty { return nil }
    if case .insert = change { return Document.FieldChange(path, .insert(elements)) }
    return Document.FieldChange(path, .take(elements))
  }
}
