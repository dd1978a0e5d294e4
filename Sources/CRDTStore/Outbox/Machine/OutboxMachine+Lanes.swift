import CRDTKit

extension OutboxMachine {
  /// The index of a record's lane, which is created if there is none.
  mutating func slotForLane(of record: Document.RecordID) -> Int {
    if let slot = slots[record] { return slot }
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = lanes.count
      lanes.append(Lane())
    }
    slots[record] = slot
    return slot
  }

  /// Frees the lane of a record if it is empty.
  mutating func freeLane(_ slot: Int, of record: Document.RecordID) {
    guard lanes[slot].isEmpty, lanes[slot].dead.isEmpty else { return }
    lanes[slot] = Lane()
    slots[record] = nil
    freeSlots.append(slot)
  }

  /// Schedules a lane's first operation for its time.
  mutating func awaitTurn(of slot: Int, at now: UInt64) {
    guard let head = lanes[slot].head else {
      lanes[slot].phase = .idle
      return
    }
    let time = head.operation.nextAttemptMilliseconds
    isDue(time, at: now) ? makeReady(slot) : wait(slot, until: time)
  }

  /// Makes a lane's first operation ready to send.
  mutating func makeReady(_ slot: Int) {
    guard let head = lanes[slot].head else {
      lanes[slot].phase = .idle
      return
    }
    lanes[slot].phase = .ready
    let turn = LaneTurn(rank: head.sequence, slot: slot, sequence: head.sequence)
    if lanes[slot].isSuspect { readyAlone.insert(turn) } else { ready.insert(turn) }
  }

  /// Makes a lane's first operation wait until a time.
  mutating func wait(_ slot: Int, until time: UInt64) {
    guard let head = lanes[slot].head else { return }
    lanes[slot].phase = .waiting(untilMilliseconds: time)
    waiting.insert(LaneTurn(rank: time, slot: slot, sequence: head.sequence))
    if waiting.count > 2 * lanes.count + 64 {
      waiting.removeAll { [lanes] in !Self.isValid($0, in: lanes) }
    }
  }

  /// Makes a lane's first operation wait, longer after each setback.
  mutating func setBack(
    _ slot: Int, at now: UInt64, using random: inout some RandomNumberGenerator
  ) {
    lanes[slot].setbacks += 1
    let delay = settings.delay(after: lanes[slot].setbacks, hint: nil, using: &random)
    wait(slot, until: now.saturatingSum(delay))
  }

  /// Removes the first operation of a lane, and schedules the next one.
  mutating func finishHead(of slot: Int, at now: UInt64) -> Lane.Entry? {
    guard let head = lanes[slot].removeHead() else { return nil }
    pendingCount -= 1
    lanes[slot].setbacks = 0
    lanes[slot].isSuspect = false
    awaitTurn(of: slot, at: now)
    return head
  }

  /// Stores an operation as a dead letter.
  mutating func bury(_ entry: Lane.Entry, in slot: Int) {
    if lanes[slot].dead.updateValue(entry, forKey: entry.operation.id) == nil {
      deadLetterCount += 1
    }
    deadSlots.insert(slot)
  }

  /// Whether a time has passed, or is so far ahead that the clock must have been set back.
  func isDue(_ time: UInt64, at now: UInt64) -> Bool {
    time <= now || time - now > settings.longestWaitMilliseconds
  }

  /// Whether a turn, to send or to wait, is still valid for its lane.
  static func isValid(_ turn: LaneTurn, in lanes: [Lane]) -> Bool {
    guard lanes[turn.slot].head?.sequence == turn.sequence else { return false }
    return switch lanes[turn.slot].phase {
    case .ready: turn.rank == turn.sequence
    case .waiting(let time): turn.rank == time
    case .idle, .inFlight, .rebasing: false
    }
  }
}

extension UInt64 {
  /// The sum, or the maximum on overflow.
  func saturatingSum(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
