extension DotTable {
  /// Makes an event for each scalar of a text, which is valid UTF-8 and not empty.
  ///
  /// The first element has the anchor; each of the others is the right child of the one
  /// before.
  ///
  /// - Complexity: O(`text.count`).
  mutating func insert(
    _ text: UnsafeBufferPointer<UInt8>, _ anchor: TextAnchor, by replica: ReplicaID,
    _ order: inout TextOrder
  ) {
    var (offset, anchor) = (0, anchor)
    while offset < text.count {
      let (place, first) = makeEvent(by: replica)
      let dot = Dot(columns[place].replica, first)
      let start = offset
      let count = columns[place].addElements(of: text, at: &offset, anchor)
      eventCount &+= UInt64(count &- 1)
      let part = UnsafeBufferPointer(rebasing: text[start..<offset])
      if order.extendRecent(dot, count: count, part, anchor),
        let page = columns[place].texts.pages.last
      {
        order.note(page)
      } else {
        order.insert(dot, count: count, part, in: texts)
      }
      anchor = anchor.next(after: Dot(dot.replica, columns[place].seen))
    }
    checkInvariants()
  }

  /// Makes an event that marks elements as dead.
  ///
  /// - Complexity: O(number of runs of elements · log(number of pages)).
  mutating func kill(
    _ elements: ContiguousArray<(first: TextOrder.Element, count: Int)>, by replica: ReplicaID,
    _ order: inout TextOrder
  ) {
    let (killer, event) = makeEvent(by: replica)
    columns[killer].foldRemoval()
    // Consecutive elements are one entry, in whatever pieces they stand.
    var entry: KillLog.Entry?
    var others: ContiguousArray<KillLog.Entry> = []
    for part in elements {
      let dot = order.dot(part.first)
      let counters = dot.counter...(dot.counter &+ UInt64(part.count) &- 1)
      guard let place = column(of: dot.replica) else { continue }
      columns[place].texts.kill(counters) { run in
        let first = Dot(dot.replica, run.lowerBound)
        var count = run.upperBound &- run.lowerBound &+ 1
        if let last = entry, last.isContinued(by: first) {
          count &+= last.count
          entry = KillLog.Entry(event: event, killed: last.killed, count: count)
        } else {
          if let last = entry { others.append(last) }
          entry = KillLog.Entry(event: event, killed: first, count: count)
        }
      }
      order.kill(part.first, count: part.count, in: texts)
      columns[place].texts.forEachPage(of: counters) { order.note($0) }
    }
    for other in others { columns[killer].note(other) }
    if let entry { columns[killer].note(entry) }
    checkInvariants()
  }

  /// Prepares the order of the text for any change: makes it unshared.
  @inlinable
  mutating func detachOrder() {
    guard order != nil, !isKnownUniquelyReferenced(&order) else { return }
    order = order?.copied()
  }

  /// Changes the table together with the order of its text, which is current and unshared.
  mutating func changeText(_ body: (inout DotTable, inout TextOrder) -> Void) {
    detachOrder()
    let cache = order ?? TextOrderCache()
    order = cache
    cache.change(&self, body)
  }

  /// The elements of the texts, without the rest of the table.
  var texts: TextColumns<Key, Payload> { TextColumns(columns: columns) }
}

/// The elements of a table's texts.
struct TextColumns<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: TextElements {
  let columns: ContiguousArray<Column<Key, Payload>>

  func textElement(at dot: Dot) -> (page: TextPage, slot: Int)? {
    let place = columns.indices.partitioningIndex { columns[$0].replica >= dot.replica }
    guard place < columns.count, columns[place].replica == dot.replica else { return nil }
    return columns[place].texts.find(dot.counter)
  }
}

extension DotTable: TextElements {
  func textElement(at dot: Dot) -> (page: TextPage, slot: Int)? { texts.textElement(at: dot) }
}

extension Column {
  /// Adds an element for the last event, with an anchor, and one for each further scalar of
  /// a text from an offset on, with an event of its own; returns how many.
  mutating func addElements(
    of text: UnsafeBufferPointer<UInt8>, at offset: inout Int, _ anchor: TextAnchor
  ) -> Int {
    let (first, start) = (seen, offset)
    let follows = texts.isContinued(by: anchor, at: Dot(replica, first))
    fold(text.scalar(at: &offset), follows ? 0 : anchor.fingerprint)
    while offset < text.count, seen < Dot.counterMax {
      countEvent()
      fold(text.scalar(at: &offset), 0)
    }
    let count = Int(seen &- first) &+ 1
    let part = UnsafeBufferPointer(rebasing: text[start..<offset])
    texts.append(part, count: count, at: first, of: replica, anchor)
    return count
  }

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
