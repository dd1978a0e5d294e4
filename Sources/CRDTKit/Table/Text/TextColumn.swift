/// The elements of texts among the events of one replica.
@frozen
@usableFromInline
package struct TextColumn: Sendable {
  /// The pages with elements, in ascending order; none is empty.
  @usableFromInline package var pages: SharedList<TextPage>

  @usableFromInline
  package init() {
    pages = SharedList()
  }

  /// Whether there are no elements.
  @inlinable
  package var isEmpty: Bool { pages.isEmpty }
}

extension TextColumn {
  /// Returns the index of the page that an event belongs to, or where one would be
  /// inserted.
  func place(of start: UInt64) -> Int {
    // Most often the last page.
    if let last = pages.last, last.first <= start {
      return last.first == start ? pages.count &- 1 : pages.count
    }
    if let first = pages.first, start >= first.first {
      // If no page is missing, the counter gives the index.
      let guess = Int(min((start &- first.first) / UInt64(TextPage.slotCount), .max))
      if guess < pages.count, pages[guess].first == start { return guess }
    }
    return pages.indices.partitioningIndex { pages[$0].first >= start }
  }

  /// Returns the page with an event's element, and its slot; `nil` if it has none.
  package func find(_ counter: UInt64) -> (page: TextPage, slot: Int)? {
    guard counter > 0 else { return nil }
    let start = TextPage.start(of: counter)
    let place = place(of: start)
    guard place < pages.count, pages[place].first == start else { return nil }
    let slot = Int(counter &- start)
    return pages[place].present[slot] ? (pages[place], slot) : nil
  }

  /// Returns the page that an event's element would be in; `nil` if it has none.
  func page(of counter: UInt64) -> TextPage? {
    let start = TextPage.start(of: counter)
    let place = place(of: start)
    return place < pages.count && pages[place].first == start ? pages[place] : nil
  }

  /// Adds the elements of consecutive events after all others: the first with the anchor,
  /// the others each as the right child of the one before.
  mutating func append(
    _ text: UnsafeBufferPointer<UInt8>, count: Int, at counter: UInt64, of replica: ReplicaID,
    _ anchor: TextAnchor
  ) {
    var (counter, left, offset, anchor) = (counter, count, 0, anchor)
    while left > 0 {
      let start = TextPage.start(of: counter)
      let slot = Int(counter &- start)
      let part = min(left, TextPage.slotCount &- slot)
      var end = text.count
      if part < left {
        end = offset
        for _ in 0..<part { end &+= text[end].scalarLength }
      }
      changeLast(start, of: replica) {
        $0.append(
          part, at: slot, anchor, text: UnsafeBufferPointer(rebasing: text[offset..<end]))
      }
      counter &+= UInt64(part)
      left &-= part
      offset = end
      anchor = anchor.next(after: Dot(replica, counter &- 1))
    }
  }

  /// Changes the last page, or a new one after it.
  private mutating func changeLast(
    _ start: UInt64, of replica: ReplicaID, _ body: (TextPage) -> Void
  ) {
    if pages.last?.first != start { pages.append(TextPage(of: replica, first: start)) }
    change(pages.count &- 1, body)
  }

  /// Changes a page, or a copy if another table holds it.
  mutating func change(_ place: Int, _ body: (TextPage) -> Void) {
    pages.update(place) { page in
      if !isKnownUniquelyReferenced(&page) { page = TextPage(page) }
      body(page)
    }
  }

  /// Marks the elements of some events as dead, and calls the body with those that
  /// weren't, in runs.
  @usableFromInline
  mutating func kill(_ counters: ClosedRange<UInt64>, _ body: (ClosedRange<UInt64>) -> Void) {
    var place = place(of: TextPage.start(of: counters.lowerBound))
    if counters.count == 1, place < pages.count, pages[place].first <= counters.lowerBound {
      let slot = Int(counters.lowerBound &- pages[place].first)
      guard pages[place].isAlive(slot) else { return }
      change(place) { $0.kill(at: slot) }
      return body(counters)
    }
    while place < pages.count, pages[place].first <= counters.upperBound {
      // No reference to the page is held here, so that it is changed in place.
      let slots = pages[place].slotsAlive(in: counters)
      if !slots.isEmpty {
        change(place) { $0.kill(slots) }
        let first = pages[place].first
        var slot = slots.next(from: 0)
        while slot < TextPage.slotCount {
          let end = slots.nextGap(from: slot)
          body(first &+ UInt64(slot)...first &+ UInt64(end) &- 1)
          slot = slots.next(from: end)
        }
      }
      place &+= 1
    }
  }

  /// Marks the elements of some events as dead.
  ///
  /// - Complexity: O(n log n + pages) for n ranges, which may overlap.
  @usableFromInline
  mutating func kill(_ ranges: ContiguousArray<ClosedRange<UInt64>>) {
    var united: ClosedRange<UInt64>?
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = united, range.lowerBound <= last.upperBound &+ 1 {
        united = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
      } else {
        if let united { kill(united) { _ in } }
        united = range
      }
    }
    if let united { kill(united) { _ in } }
  }

  /// Calls the body with the pages that have elements of some events.
  func forEachPage(of counters: ClosedRange<UInt64>, _ body: (TextPage) -> Void) {
    var place = place(of: TextPage.start(of: counters.lowerBound))
    while place < pages.count, pages[place].first <= counters.upperBound {
      body(pages[place])
      place &+= 1
    }
  }

  /// Returns whether an anchor is that of the element that follows the previous event's.
  func isContinued(by anchor: TextAnchor, at dot: Dot) -> Bool {
    guard let (page, slot) = find(dot.counter &- 1) else { return false }
    let last = Dot(dot.replica, dot.counter &- 1)
    return anchor == page.anchor(of: slot).next(after: last)
  }

  /// Returns the elements of the events after a base.
  @usableFromInline
  func part(after base: UInt64) -> TextColumn {
    var part = TextColumn()
    for place in place(of: TextPage.start(of: base &+ 1))..<pages.count {
      part.append(pages[place], keeping: ~pages[place].slots(upTo: base))
    }
    return part
  }

  /// Returns the elements of the events up to a counter.
  func part(upTo end: UInt64) -> TextColumn {
    var part = TextColumn()
    for page in pages where page.first <= end { part.append(page, keeping: page.slots(upTo: end)) }
    return part
  }

  /// Adds a page, or a copy with only some of its elements.
  mutating func append(_ page: TextPage, keeping slots: LiveBits) {
    if let kept = page.kept(slots) { pages.append(kept) }
  }

  /// Returns whether two columns have the same elements, dead and not, with the same
  /// anchors and texts.
  @usableFromInline
  func isSame(as other: TextColumn) -> Bool {
    pages.count == other.pages.count
      && zip(pages, other.pages).allSatisfy { $0 === $1 || $0.isSame(as: $1) }
  }

  /// The last event that has an element; 0 if none has.
  var lastCounter: UInt64 { pages.last.map { $0.counter(at: $0.present.last) } ?? 0 }

  /// The number of elements.
  @usableFromInline package var count: Int { pages.reduce(0) { $0 + $1.present.count } }
}

extension TextPage {
  /// Returns the slots of a range of events.
  func slotsBetween(_ counters: ClosedRange<UInt64>) -> LiveBits {
    slots(upTo: counters.upperBound) & ~slots(upTo: counters.lowerBound &- 1)
  }

  /// Returns the slots of the elements of some events that aren't dead.
  func slotsAlive(in counters: ClosedRange<UInt64>) -> LiveBits {
    slotsBetween(counters) & present & ~dead
  }

  /// Returns whether there is an element in a slot that isn't dead.
  func isAlive(_ slot: Int) -> Bool { present[slot] && !dead[slot] }

  /// Returns whether two pages have the same contents.
  func isSame(as other: TextPage) -> Bool {
    guard replica == other.replica, first == other.first, present == other.present,
      dead == other.dead
    else { return false }
    var isSame = true
    forEachPiece(of: present) { piece in
      isSame = isSame && anchor(of: piece.lowerBound) == other.anchor(of: piece.lowerBound)
    }
    other.forEachPiece(of: present) { piece in
      isSame = isSame && anchor(of: piece.lowerBound) == other.anchor(of: piece.lowerBound)
    }
    forEachPiece(of: present & ~dead) { piece in
      isSame =
        isSame
        && withText(of: piece) { mine in
          other.withText(of: piece) { mine.elementsEqual($0) }
        }
    }
    return isSame
  }
}
