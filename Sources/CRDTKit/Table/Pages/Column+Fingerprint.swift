extension Column {
  /// Counts a new event of the replica.
  @inlinable
  mutating func countEvent() {
    if seen > 0 { history.append(fingerprint, at: seen) }
    seen &+= 1
  }

  /// Adds the row of an event to the fingerprint.
  @inlinable
  mutating func fold(_ row: borrowing Row<Key, Payload>) {
    fingerprint = Self.fold(row, into: fingerprint)
  }

  /// Adds to the fingerprint that an event has no row.
  @inlinable
  mutating func foldRemoval() {
    fingerprint = Self.fold(.removal, 0, 0, into: fingerprint)
  }

  /// Adds the rows that an event removes to the fingerprint.
  @inlinable
  mutating func fold(_ kill: KillLog.Entry) {
    fingerprint = Self.fold(kill, into: fingerprint)
  }

  /// Adds the beginning of a stretch to the fingerprint.
  @inlinable
  mutating func foldStretch(_ nonce: UInt32) {
    fingerprint = Self.fold(.stretch, UInt64(nonce), 0, into: fingerprint)
  }

  @inlinable
  static func fold(_ row: borrowing Row<Key, Payload>, into fingerprint: UInt32) -> UInt32 {
    fold(.row, row.key._fingerprint, row.payload._fingerprint, into: fingerprint)
  }

  @inlinable
  static func fold(_ kill: KillLog.Entry, into fingerprint: UInt32) -> UInt32 {
    let first = fold(.kill, kill.killed.replica.rawValue, kill.killed.counter, into: fingerprint)
    return kill.count == 1 ? first : fold(.furtherKills, kill.count &- 1, 0, into: first)
  }

  /// Returns a running fingerprint with one more part of an event.
  ///
  /// It combines the kind and the two words one after another, so that different
  /// sequences of parts are different words.
  @inlinable
  static func fold(
    _ kind: EventPart, _ first: UInt64, _ second: UInt64, into fingerprint: UInt32
  ) -> UInt32 {
    var running = Fingerprint(UInt64(fingerprint) | kind.rawValue &<< 32)
    running.combine(first)
    running.combine(second)
    return UInt32(truncatingIfNeeded: running.value &>> 32)
  }
}

/// The parts of events that are added to a fingerprint.
@frozen
@usableFromInline
enum EventPart: UInt64 {
  case row = 1
  case removal
  case kill
  case stretch
  case furtherKills
  case text
}

extension Column {
  /// Returns whether the two sides have seen different events under the same dots, as far
  /// as their marks and stretches show.
  @inlinable
  package borrowing func isForked(from other: borrowing Column) -> Bool {
    let both = Swift.min(seen, other.seen)
    guard both > 0 else { return false }
    if stretches.contradict(other.stretches, upTo: both) { return true }
    guard origin == other.origin else { return hasOtherOrigin(than: other) }
    if seen == other.seen { return fingerprint != other.fingerprint }
    return seen > other.seen
      ? history.contradicts(other.history, after: both, other.fingerprint)
      : other.history.contradicts(history, after: both, fingerprint)
  }

  /// Returns whether events can't be of one line because their marks begin at different
  /// events.
  ///
  /// Events in the earlier format end where the replica itself changed to today's format.
  /// That event is the origin of all copies that have seen more.
  @inlinable
  borrowing func hasOtherOrigin(than other: borrowing Column) -> Bool {
    switch (seen > origin, other.seen > other.origin) {
    case (true, true): origin != other.origin
    case (true, false): other.seen > origin
    case (false, true): seen > other.origin
    case (false, false): false
    }
  }

  /// Returns whether a head describes other events than those seen here.
  @inlinable
  borrowing func contradicts(_ head: borrowing ColumnHeads.Head) -> Bool {
    var other = Column(
      replica: replica, seen: head.seen, fingerprint: head.fingerprint, origin: head.origin)
    other.history = head.history
    other.stretches = head.stretches
    return isForked(from: other)
  }

  /// Returns whether all events described by a head have been seen here and are the same,
  /// as far as the marks show.
  @inlinable
  borrowing func comesTo(_ head: borrowing ColumnHeads.Head) -> Bool {
    guard head.seen <= seen, head.origin == origin,
      !stretches.contradict(head.stretches, upTo: head.seen)
    else { return false }
    let known = head.seen == seen ? fingerprint : history.fingerprint(at: head.seen)
    return known == head.fingerprint
  }

  /// Returns whether the fingerprint of a delta that continues this column differs from
  /// the one computed from the delta's rows.
  ///
  /// It can tell only if every new event has its row.
  ///
  /// If the delta has the fingerprint of its base, ``isForked(from:)`` has compared that.
  ///
  /// - Complexity: O(1), or O(new rows) if the delta's maker had forgotten the
  ///   fingerprint of the base.
  @inlinable
  borrowing func isContinuedOtherwise(by delta: borrowing Column, after base: UInt64) -> Bool {
    guard base == seen, base > 0, origin == delta.origin, delta.kills.floor <= base,
      delta.history.fingerprint(at: base) == nil,
      UInt64(delta.rowCount) == delta.seen &- base
    else { return false }
    return delta.fingerprint(after: base, from: fingerprint) != delta.fingerprint
  }

  /// Returns the fingerprint after the events that follow a base, computed from the
  /// base's fingerprint; every one of these events must have its row.
  ///
  /// The body gets the fingerprint after each event except the last.
  @inlinable
  func fingerprint(
    after base: UInt64, from start: UInt32,
    between: (_ counter: UInt64, _ fingerprint: UInt32) -> Void = { _, _ in }
  ) -> UInt32 {
    var running = start
    var kills = self.kills.entries(after: base)
    forEachRow { counter, row in
      if counter > base &+ 1 { between(counter &- 1, running) }
      if let nonce = stretches.nonce(at: counter) {
        running = Self.fold(.stretch, UInt64(nonce), 0, into: running)
      }
      running = Self.fold(row, into: running)
      while let entry = kills.first, entry.event == counter {
        running = Self.fold(entry, into: running)
        kills = kills.dropFirst()
      }
    }
    return running
  }
}
