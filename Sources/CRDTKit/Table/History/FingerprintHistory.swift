/// The fingerprints of a replica's events at earlier counters.
///
/// They show a fork even between copies that have seen different numbers of events. A
/// copy that has seen the events before `end` keeps the last 128 multiples of each power
/// of two below `end`: the last 128 counters, every second of the 128 before, and so on.
/// These counters follow from the version alone. So copies of one version have the same
/// marks, and marks are part of states and deltas.
///
/// Suppose two lines of events under one name parted W and L events ago, where W is the
/// lesser number. Both copies have a mark after the parting if W is at least the least
/// power of two whose 128th multiple reaches L. That is always so if L is 128 or less,
/// and otherwise if W is L / 64 or more. In memory, some more marks are kept.
@frozen
@usableFromInline
package struct FingerprintHistory: Sendable {
  /// The fingerprint of the events up to a counter.
  @frozen
  @usableFromInline
  package struct Mark: Sendable {
    @usableFromInline package let counter: UInt64
    @usableFromInline package let fingerprint: UInt32

    @inlinable
    init(counter: UInt64, fingerprint: UInt32) {
      self.counter = counter
      self.fingerprint = fingerprint
    }
  }

  /// The marks at counters below those of `recent`, in ascending order.
  @usableFromInline var older: ContiguousArray<Mark> = []
  /// The fingerprints at the counters just below `end`; 0 if a fingerprint isn't known.
  @usableFromInline var recent: ContiguousArray<UInt32> = []
  /// The counter of the last mark plus one.
  @usableFromInline var end: UInt64 = 0

  @inlinable
  init() {}
}

extension FingerprintHistory {
  /// The number of multiples of each power of two that are kept.
  @inlinable
  package static var kept: UInt64 { 128 }

  /// The most recent fingerprints that are held, and the number to which they are then
  /// cut.
  @inlinable
  static var recentMax: Int { 512 }
  @inlinable
  static var recentMin: Int { 192 }

  /// Returns whether a copy that has seen the events before `end` keeps a counter's mark.
  @inlinable
  package static func keeps(
    _ counter: UInt64, before end: UInt64, each kept: UInt64 = kept
  ) -> Bool {
    counter < end && end &- counter <= kept &<< UInt64(counter.trailingZeroBitCount)
  }

  /// Returns the greatest counter up to a bound that is kept before `end`; 0 if there is
  /// none.
  @inlinable
  package static func lastKept(upTo bound: UInt64, before end: UInt64) -> UInt64 {
    var counter = bound
    // A counter between two of these has fewer trailing zero bits than the lower one, and
    // is further from the end than the upper one.
    while counter > 0, !keeps(counter, before: end) { counter &= counter &- 1 }
    return counter
  }

  /// Calls the body with each counter that is kept before `end`, from `first` on, in
  /// ascending order.
  ///
  /// - Complexity: O(log `end`), and the number of calls.
  @inlinable
  package static func forEachKept<Failure: Error>(
    from first: UInt64, before end: UInt64, each kept: UInt64 = kept,
    _ body: (UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    guard end > 1, first < end else { return }
    let first = Swift.max(first, 1)
    var power: UInt64 = 0
    while kept &<< power < end &- first { power &+= 1 }
    while true {
      let step: UInt64 = 1 &<< power
      let reach = kept &<< power
      var counter = Swift.max(end > reach ? end &- reach : 1, first)
      counter = (counter &+ step &- 1) & ~(step &- 1)
      let next = power == 0 || end <= reach / 2 ? 0 : end &- reach / 2
      let stop = power == 0 ? end : next
      while counter < stop {
        try body(counter)
        counter &+= step
      }
      if power == 0 { return }
      power &-= 1
    }
  }
}

extension FingerprintHistory {
  /// Returns how many counters are kept before `end`, from `first` on.
  ///
  /// - Complexity: O(log `end`).
  @usableFromInline
  static func keptCount(from first: UInt64, before end: UInt64) -> Int {
    var count: UInt64 = 0
    var (power, stop): (UInt64, UInt64) = (0, end)
    // For each power of two, count the counters that the next smaller power doesn't
    // reach.
    while stop > Swift.max(first, 1) {
      let reach = kept &<< power
      let start = Swift.max(end > reach ? end &- reach : 1, first, 1)
      count &+= (stop &- 1) &>> power &- (start &- 1) &>> power
      (power, stop) = (power &+ 1, end > reach ? end &- reach : 0)
    }
    return Int(count)
  }

  /// Adds the fingerprint at a counter, which must be greater than all before.
  @inlinable
  mutating func append(_ fingerprint: UInt32, at counter: UInt64) {
    if counter != end {
      guard counter > end else { return }
      if !recent.isEmpty { settle(recent.count) }
    }
    recent.append(fingerprint)
    end = counter &+ 1
    if recent.count == Self.recentMax { settle(Self.recentMax &- Self.recentMin) }
  }

  /// Moves the first of the recent marks to the older ones, if they are kept.
  ///
  /// Older marks that are no longer kept are removed only from time to time: if the
  /// counters have gaps, few are moved each time.
  @usableFromInline
  mutating func settle(_ count: Int) {
    let end = end
    if older.count / Self.recentMax < (older.count + count) / Self.recentMax {
      older.removeAll { !Self.keeps($0.counter, before: end) }
    }
    var counter = end - UInt64(recent.count)
    for fingerprint in recent.prefix(count) {
      if fingerprint != 0, Self.keeps(counter, before: end) {
        older.append(Mark(counter: counter, fingerprint: fingerprint))
      }
      counter += 1
    }
    recent.removeFirst(count)
  }

  /// Creates the marks that a copy keeps after seeing the events before `end`, from a
  /// first counter on.
  ///
  /// The body returns each mark, or 0 if it isn't known.
  @inlinable
  init<Failure: Error>(
    from first: UInt64, before end: UInt64, _ fingerprint: () throws(Failure) -> UInt32
  ) throws(Failure) {
    guard first < end else { return }
    let count = Self.keptCount(from: first, before: end)
    recent.reserveCapacity(Swift.min(count, Int(Self.kept)))
    older.reserveCapacity(Swift.max(count &- Int(Self.kept), 0))
    try Self.forEachKept(from: first, before: end) { (counter) throws(Failure) in
      let found = try fingerprint()
      if end &- counter <= Self.kept {
        recent.append(found)
      } else if found != 0 {
        older.append(Mark(counter: counter, fingerprint: found))
      }
    }
    self.end = end
  }

  /// Adds the marks of another history from a counter on, which must be greater than all
  /// here.
  @inlinable
  mutating func extend(with other: FingerprintHistory) {
    guard other.end > end else { return }
    if end == 0 {
      self = other
      return
    }
    // Usually, few of many marks are new.
    var place = other.older.count
    while place > 0, other.older[place &- 1].counter >= end { place &-= 1 }
    for mark in other.older[place...] { append(mark.fingerprint, at: mark.counter) }
    let start = other.end &- UInt64(other.recent.count)
    if start > end, !recent.isEmpty { settle(recent.count) }
    recent.append(contentsOf: other.recent[Int(Swift.max(start, end) &- start)...])
    end = other.end
    if recent.count >= Self.recentMax { settle(recent.count &- Self.recentMin) }
  }

  /// Returns whether another history goes on after the marks of this one and has them all.
  ///
  /// It looks only at short ones.
  @inlinable
  borrowing func isBeginning(of other: borrowing FingerprintHistory) -> Bool {
    guard older.isEmpty, other.older.isEmpty, other.recent.count >= recent.count,
      end &- UInt64(recent.count) == other.end &- UInt64(other.recent.count)
    else { return false }
    for place in recent.indices where recent[place] != other.recent[place] { return false }
    return true
  }

  /// Returns the fingerprint at a counter; `nil` if it isn't known.
  @inlinable
  package borrowing func fingerprint(at counter: UInt64) -> UInt32? {
    let start = end &- UInt64(recent.count)
    if counter >= start {
      guard counter < end else { return nil }
      let found = recent[Int(counter &- start)]
      return found == 0 ? nil : found
    }
    let place = place(of: counter)
    return place < older.count && older[place].counter == counter
      ? older[place].fingerprint : nil
  }

  /// Returns whether a shorter history, which ends with a counter and its fingerprint,
  /// belongs to other events.
  @inlinable
  borrowing func contradicts(
    _ shorter: borrowing FingerprintHistory, after counter: UInt64, _ fingerprint: UInt32
  ) -> Bool {
    if let mark = self.fingerprint(at: counter) { return mark != fingerprint }
    // Of the greater counters, none is known in both.
    return lastShared(with: shorter, below: counter).map { $0.mine != $0.theirs } ?? false
  }

  /// Returns the greatest counter below a bound whose mark is known in both histories,
  /// and the two marks.
  @inlinable
  borrowing func lastShared(
    with other: borrowing FingerprintHistory, below bound: UInt64
  ) -> (counter: UInt64, mine: UInt32, theirs: UInt32)? {
    var counter = last(below: bound)
    while counter > 0 {
      let theirs = other.last(below: counter &+ 1)
      if theirs == counter {
        guard let mine = fingerprint(at: counter), let found = other.fingerprint(at: counter)
        else { return nil }
        return (counter, mine, found)
      }
      guard theirs > 0 else { return nil }
      counter = last(below: theirs &+ 1)
    }
    return nil
  }

  /// Returns the greatest counter below a bound whose mark is known; 0 if there is none.
  @inlinable
  borrowing func last(below bound: UInt64) -> UInt64 {
    var counter = Swift.min(bound, end)
    let start = end &- UInt64(recent.count)
    while counter > start {
      counter &-= 1
      if recent[Int(counter &- start)] != 0 { return counter }
    }
    let place = place(of: counter)
    return place > 0 ? older[place &- 1].counter : 0
  }

  /// Returns the marks from a counter on.
  ///
  /// The result is a copy. If it shared storage, adding the next mark would copy all of
  /// them.
  @inlinable
  func part(from counter: UInt64) -> FingerprintHistory {
    var part = FingerprintHistory()
    guard counter < end else { return part }
    let start = end &- UInt64(recent.count)
    if counter >= start {
      part.recent = ContiguousArray(recent[Int(counter &- start)...])
    } else {
      part.older = ContiguousArray(older[place(of: counter)...])
      part.recent = ContiguousArray(recent[...])
    }
    part.end = end
    return part
  }

  /// Returns the index of the first older mark at or after a counter.
  @inlinable
  borrowing func place(of counter: UInt64) -> Int {
    older.indices.partitioningIndex { older[$0].counter >= counter }
  }
}
