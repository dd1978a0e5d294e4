/// The rows that the recent events of one replica removed, in the order of the events.
///
/// The log is complete for all events above its floor. It may be cut at any time; a delta
/// for a version below the floor lists the live rows instead.
@frozen
@usableFromInline
package struct KillLog: Sendable {
  /// One event, and a run of rows that it removed.
  @frozen
  @usableFromInline
  package struct Entry: Hashable, Sendable {
    @usableFromInline package let event: UInt64
    /// The first removed row.
    @usableFromInline package let killed: Dot
    /// The number of removed rows: rows of consecutive events of the same replica.
    @usableFromInline package let count: UInt64

    @inlinable
    package init(event: UInt64, killed: Dot, count: UInt64 = 1) {
      self.event = event
      self.killed = killed
      self.count = count
    }

    /// The counters of the rows.
    @inlinable
    package var counters: ClosedRange<UInt64> {
      killed.counter...(killed.counter &+ count &- 1)
    }

    /// Returns whether the same event's next entry, beginning with this row, continues
    /// this entry.
    @inlinable
    func isContinued(by dot: Dot) -> Bool {
      dot.replica == killed.replica && dot.counter == killed.counter &+ count
    }
  }

  /// The least number of entries that are kept, and half of the greatest number.
  @inlinable
  package static var kept: Int { 2_048 }

  /// The entries of some of the events.
  @usableFromInline package typealias Part = Slice<SharedList<Entry>>

  @usableFromInline package var floor: UInt64
  /// A copy shares them, and copies only the last ones when it adds to them.
  @usableFromInline package var entries: SharedList<Entry>

  @inlinable
  package init(floor: UInt64, entries: some Sequence<Entry> = EmptyCollection()) {
    self.floor = floor
    self.entries = SharedList(ContiguousArray(entries))
  }

  /// Adds an entry; its event must not be earlier than any before.
  @inlinable
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > 2 * KillLog.kept { cut() }
  }

  /// Returns the entries of the events after the given one.
  @inlinable
  func entries(after event: UInt64) -> Part { entries[start(after: event)...] }

  /// Returns the log of the events after the given one.
  @inlinable
  borrowing func part(after event: UInt64) -> KillLog {
    let start = start(after: event)
    // One entry needs no array in between.
    if start == entries.count &- 1 {
      return KillLog(floor: event, entries: CollectionOfOne(entries[start]))
    }
    return KillLog(floor: event, entries: entries[start...])
  }

  /// Returns the index of the first entry of the events after the given one.
  @inlinable
  borrowing func start(after event: UInt64) -> Int {
    let last = entries.count &- 1
    // Mostly the last one is asked for.
    if last < 1 || entries[last &- 1].event <= event {
      return last >= 0 && entries[last].event > event ? last : entries.count
    }
    return entries.indices.partitioningIndex { entries[$0].event > event }
  }

  /// Continues with the log of a copy that has seen more of the same events.
  @inlinable
  mutating func extend(with other: KillLog, after seen: UInt64) {
    if other.floor <= seen {
      entries.append(contentsOf: other.entries(after: seen))
    } else {
      self = other
    }
    if entries.count > 2 * KillLog.kept { cut() }
  }

  /// Drops the oldest entries, whole events at a time.
  @usableFromInline
  mutating func cut() {
    let last = entries[entries.count - KillLog.kept - 1].event
    self = part(after: last)
  }
}

/// The counters of one replica's live rows, as runs.
@frozen
@usableFromInline
package struct CounterRuns: Hashable, Sendable {
  @usableFromInline package var runs: ContiguousArray<ClosedRange<UInt64>> = []

  @inlinable
  package init() {}

  /// Adds a counter, which must be greater than all before.
  @inlinable
  package mutating func append(_ counter: UInt64) {
    if let last = runs.last, last.upperBound &+ 1 == counter {
      runs[runs.count &- 1] = last.lowerBound...counter
    } else {
      runs.append(counter...counter)
    }
  }

  /// Returns whether the counter is listed.
  ///
  /// - Complexity: O(log(number of runs)).
  @inlinable
  package func contains(_ counter: UInt64) -> Bool {
    let place = runs.indices.partitioningIndex { runs[$0].upperBound >= counter }
    return place < runs.count && runs[place].lowerBound <= counter
  }
}
