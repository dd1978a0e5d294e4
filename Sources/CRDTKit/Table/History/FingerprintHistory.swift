/// The fingerprints that a replica's events had come to at earlier counters.
///
/// They show a fork to whoever meets a copy that has seen more or fewer events. A copy
/// that has seen the events before `end` keeps the last 128 multiples of each power of
/// two below `end`: the last 128 counters, every second of the 128 before, and so on.
/// Which counters these are follows from the version alone, so copies of one version
/// have the same marks, and marks are part of states and deltas.
///
/// Of two lines of events under one name that parted W and L events ago, where W is the
/// lesser number, both copies have a mark after the parting if W is at least the least
/// power of two that 128 times over reaches L: always where L is 128 or less, and else
/// where W is L / 64 or more. In memory some more are kept.
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

  /// Marks of counters below those of the recent ones, in ascending order.
  @usableFromInline var older: ContiguousArray<Mark> = []
  /// The fingerprints at the counters just below `end`; 0 where one isn't known.
  @usableFromInline var recent: ContiguousArray<UInt32> = []
  /// One more than the counter of the last mark.
  @usableFromInline var end: UInt64 = 0

  @inlinable
  init() {}
}

extension FingerprintHistory {
  /// How many multiples of each power of two are kept.
  @inlinable
  package static var kept: UInt64 { 128 }

  /// How many recent fingerprints are held at most, and to how many they are cut.
  @inlinable
  static var recentMax: Int { 512 }
  @inlinable
  static var recentMin: Int { 192 }

  /// Whether a copy that has seen the events before `end` keeps a counter's mark.
  @inlinable
  package static func keeps(
    _ counter: UInt64, before end: UInt64, each kept: UInt64 = kept
  ) -> Bool {
    counter < end && end &- counter <= kept &<< UInt64(counter.trailingZeroBitCount)
  }

  /// The greatest counter up to a bound that is kept before `end`; 0 where none is.
  @inlinable
  package static func lastKept(upTo bound: UInt64, before end: UInt64) -> UInt64 {
    var counter = bound
    // A counter between two of these has fewer zero bits than the lower, and is further
    // from the end than the upper.
    while counter > 0, !keeps(counter, before: end) { counter &= counter &- 1 }
    return counter
  }

  /// Calls the body with each counter from a first one on that is kept before `end`, in
  /// ascending order, until it returns `false`.
  ///
  /// - Complexity: O(log `end`) and the counters it is called with.
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
  /// How many counters from a first one on are kept before `end`.
  ///
  /// - Complexity: O(log `end`).
  @usableFromInline
  static func keptCount(from first: UInt64, before end: UInt64) -> Int {
    var count: UInt64 = 0
    var (power, stop): (UInt64, UInt64) = (0, end)
    // Of each power of two, those that the power below doesn't reach.
    while stop > Swift.max(first, 1) {
      let reach = kept &<< power
      let start = Swift.max(end > reach ? end &- reach : 1, first, 1)
      count &+= (stop &- 1) &>> power &- (start &- 1) &>> power
      (power, stop) = (power &+ 1, end > reach ? end &- reach : 0)
    }
    return Int(count)
  }

  /// Notes the fingerprint at a counter above all before.
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

  /// Moves the first of the recent marks to the older ones, as far as they are kept.
  ///
  /// Older marks that are kept no longer are removed now and then only: where the counters
  /// have gaps, few are moved each time.
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

  /// The marks that a copy which has seen the events before `end` keeps from a first
  /// counter on, each given by the body; 0 where one isn't known.
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

  /// Notes what another history has from a counter on, above all here.
  @inlinable
  mutating func extend(with other: FingerprintHistory) {
    guard other.end > end else { return }
    if end == 0 {
      self = other
      return
    }
    // Mostly few of many are new.
    var place = other.older.count
    while place > 0, other.older[place &- 1].counter >= end { place &-= 1 }
    for mark in other.older[place...] { append(mark.fingerprint, at: mark.counter) }
    let start = other.end &- UInt64(other.recent.count)
    if start > end, !recent.isEmpty { settle(recent.count) }
    recent.append(contentsOf: other.recent[Int(Swift.max(start, end) &- start)...])
    end = other.end
    if recent.count >= Self.recentMax { settle(recent.count &- Self.recentMin) }
  }

  /// The fingerprint at a counter, if it is remembered.
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

  /// Whether it is of other events than a shorter history, which ends with a counter and
  /// its fingerprint.
  @inlinable
  borrowing func contradicts(
    _ shorter: borrowing FingerprintHistory, after counter: UInt64, _ fingerprint: UInt32
  ) -> Bool {
    if let mark = self.fingerprint(at: counter) { return mark != fingerprint }
    // All that is above in one of them is unknown in the other.
    return lastShared(with: shorter, below: counter).map { $0.mine != $0.theirs } ?? false
  }

  /// The greatest counter below a bound whose mark is remembered both here and in
  /// another history, with the two marks.
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

  /// The greatest counter below a bound whose mark is remembered; 0 where none is.
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

  /// What is remembered from a counter on.
  ///
  /// It is a copy: whoever shared the marks would have them copied, all of them, when
  /// the next is noted.
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

  /// The place of the first older mark that is not below a counter.
  @inlinable
  borrowing func place(of counter: UInt64) -> Int {
    var low = 0
    var high = older.count
    while low < high {
      let middle = (low &+ high) / 2
      if older[middle].counter < counter { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
