extension DotTable {
  /// Makes an event for each scalar of a text, which is valid UTF-8 and not empty.
  ///
  /// The first element has the anchor; each of the others is the right child of the one
  /// before.
  ///
  /// - Complexity: O(`text.count`).
  @usableFromInline
  mutating func insert(
    _ text: UnsafeBufferPointer<UInt8>, _ anchor: TextAnchor, by replica: ReplicaID
  ) {
    let cache = prepareOrder()
    var (offset, anchor) = (0, anchor)
    while offset < text.count {
      let (place, first) = makeEvent(by: replica)
      let dot = Dot(columns[place].replica, first)
      let start = offset
      var count = 1
      let follows = columns[place].texts.isContinued(by: anchor, at: dot)
      columns[place].fold(text.scalar(at: &offset), follows ? 0 : anchor.fingerprint)
      while offset < text.count, columns[place].seen < Dot.counterMax {
        columns[place].countEvent()
        columns[place].fold(text.scalar(at: &offset), 0)
        count &+= 1
      }
      eventCount &+= UInt64(count &- 1)
      let part = UnsafeBufferPointer(rebasing: text[start..<offset])
      columns[place].texts.append(part, count: count, at: first, of: dot.replica, anchor)
      cache.follow(eventCount) { $0.insert(dot, count: count, in: self) }
      anchor = anchor.next(after: Dot(dot.replica, columns[place].seen))
    }
    checkInvariants()
  }

  /// Makes an event that marks elements as dead.
  ///
  /// - Complexity: O(number of runs of elements · log(number of pages)).
  @usableFromInline
  mutating func kill(
    _ elements: ContiguousArray<(replica: ReplicaID, counters: ClosedRange<UInt64>)>,
    by replica: ReplicaID
  ) {
    let cache = prepareOrder()
    let (killer, event) = makeEvent(by: replica)
    columns[killer].foldRemoval()
    // Consecutive elements are one entry, in whatever pieces they stand.
    var died: ContiguousArray<KillLog.Entry> = []
    for part in elements {
      guard let place = column(of: part.replica) else { continue }
      columns[place].texts.kill(part.counters) { run in
        let first = Dot(part.replica, run.lowerBound)
        let count = run.upperBound &- run.lowerBound &+ 1
        if let last = died.last, last.isContinued(by: first) {
          died[died.count &- 1] = KillLog.Entry(
            event: event, killed: last.killed, count: last.count &+ count)
        } else {
          died.append(KillLog.Entry(event: event, killed: first, count: count))
        }
      }
    }
    for entry in died { columns[killer].note(entry) }
    cache.follow(eventCount) { order in
      order.kill(elements, in: self)
      for part in elements {
        guard let place = column(of: part.replica) else { continue }
        columns[place].texts.forEachPage(of: part.counters) { order.note($0) }
      }
    }
    checkInvariants()
  }

  /// Prepares the order of the text for any change: makes it unshared.
  @inlinable
  mutating func detachOrder() {
    guard order != nil, !isKnownUniquelyReferenced(&order) else { return }
    order = order?.copied()
  }

  /// Prepares the order of the text for an event of this table: makes it unshared and
  /// current.
  private mutating func prepareOrder() -> TextOrderCache {
    detachOrder()
    let cache = order ?? TextOrderCache()
    order = cache
    cache.update(to: self)
    return cache
  }
}

extension DotTable: TextElements {
  func textElement(at dot: Dot) -> (page: TextPage, slot: Int)? {
    column(of: dot.replica).flatMap { columns[$0].texts.find(dot.counter) }
  }
}

extension Column {
  /// Adds an element to the fingerprint; the anchor's is 0 if it follows from the element
  /// before.
  mutating func fold(_ scalar: UInt32, _ anchor: UInt64) {
    fingerprint = Self.fold(.text, UInt64(scalar), anchor, into: fingerprint)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the scalar at an offset of valid UTF-8, and advances the offset.
  @inline(__always)
  func scalar(at offset: inout Int) -> UInt32 {
    let first = UInt32(self[offset])
    guard first >= 0x80 else {
      offset &+= 1
      return first
    }
    let length = self[offset].scalarLength
    var scalar = first & (0x7F &>> UInt32(length))
    for place in offset &+ 1..<offset &+ length {
      scalar = scalar &<< 6 | UInt32(self[place]) & 0x3F
    }
    offset &+= length
    return scalar
  }
}
