extension Column {
  /// Counts a new event of the replica.
  @inlinable
  mutating func countEvent() {
    if seen > 0 { history.append(fingerprint, at: seen) }
    seen &+= 1
  }

  /// Folds the row that an event adds into the fingerprint.
  @inlinable
  mutating func fold(_ row: borrowing Row<Key, Payload>) {
    fingerprint = Self.fold(row, into: fingerprint)
  }

  /// Folds that an event adds no row.
  @inlinable
  mutating func foldRemoval() {
    fingerprint = Self.fold(.removal, 0, 0, into: fingerprint)
  }

  /// Folds rows that an event kills.
  @inlinable
  mutating func fold(_ kill: KillLog.Entry) {
    fingerprint = Self.fold(kill, into: fingerprint)
  }

  /// Folds that an event begins a stretch.
  @inlinable
  mutating func foldStretch(_ nonce: UInt32) {
    fingerprint = Self.fold(.stretch, UInt64(nonce), 0, into: fingerprint)
  }

  @inlinable
  static func fold(_ row: borrowing Row<Key, Payload>, into fingerprint: UInt32) -> UInt32 {
    fold(.row, row.key.fingerprint, row.payload.fingerprint, into: fingerprint)
  }

  @inlinable
  static func fold(_ kill: KillLog.Entry, into fingerprint: UInt32) -> UInt32 {
    let first = fold(.kill, kill.killed.replica.rawValue, kill.killed.counter, into: fingerprint)
    return kill.count == 1 ? first : fold(.furtherKills, kill.count &- 1, 0, into: first)
  }

  /// A running fingerprint with one more part of an event in it.
  ///
  /// The kind and the two words are folded one after another, so that no two sequences
  /// of parts are the same words.
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

/// What is folded into a fingerprint.
@frozen
@usableFromInline
enum EventPart: UInt64 {
  case row = 1
  case removal
  case kill
  case stretch
  case furtherKills
}

extension Column {
  /// Whether the two sides have seen different events under the same dots, as far as
  /// their marks and stretches tell.
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

  /// Whether events can't be of one line, since their marks begin in different places.
  ///
  /// Events of the earlier format end where the replica itself went over to today's: that
  /// is the origin of all copies that have seen more.
  @inlinable
  borrowing func hasOtherOrigin(than other: borrowing Column) -> Bool {
    switch (seen > origin, other.seen > other.origin) {
    case (true, true): origin != other.origin
    case (true, false): other.seen > origin
    case (false, true): seen > other.origin
    case (false, false): false
    }
  }

  /// Whether a head tells of other events than were seen here.
  @inlinable
  borrowing func contradicts(_ head: borrowing ColumnHeads.Head) -> Bool {
    var other = Column(
      replica: replica, seen: head.seen, fingerprint: head.fingerprint, origin: head.origin)
    other.history = head.history
    other.stretches = head.stretches
    return isForked(from: other)
  }

  /// Whether all that a head is about was seen here, and is the same, as far as is
  /// remembered.
  @inlinable
  borrowing func comesTo(_ head: borrowing ColumnHeads.Head) -> Bool {
    guard head.seen <= seen, head.origin == origin,
      !stretches.contradict(head.stretches, upTo: head.seen)
    else { return false }
    let known = head.seen == seen ? fingerprint : history.fingerprint(at: head.seen)
    return known == head.fingerprint
  }

  /// Whether the events of a delta that go on where this column ends come to another
  /// fingerprint than the delta says, as far as they are all there.
  ///
  /// Where the delta has the fingerprint of its base, ``isForked(from:)`` has compared it.
  ///
  /// - Complexity: O(1), or O(new rows) where the delta's maker had forgotten what the
  ///   base came to.
  @inlinable
  borrowing func isContinuedOtherwise(by delta: borrowing Column, after base: UInt64) -> Bool {
    guard base == seen, base > 0, origin == delta.origin, delta.kills.floor <= base,
      delta.history.fingerprint(at: base) == nil,
      UInt64(delta.rowCount) == delta.seen &- base
    else { return false }
    return delta.fingerprint(after: base, from: fingerprint) != delta.fingerprint
  }

  /// The fingerprint that the events after a base come to, if each of them has its row
  /// here, from the one that the base had; the body is told what it was after each event
  /// but the last.
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
