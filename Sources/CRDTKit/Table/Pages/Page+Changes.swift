extension Page {
  /// Returns a new page with the rows in the given slots, which must be live.
  @inlinable
  func copied(keeping keep: LiveBits, room: Int) -> Page {
    let copy = Page.make(first: first, room: room, counters: counters)
    var count = 0
    forEachStretch(of: keep) { _, rows, length in
      (copy.elements + count).initialize(from: rows, count: length)
      count &+= length
    }
    copy.noteFilled(keep)
    if count > Page.ownRowsMax { copy.inheritDigests(of: self) }
    return copy
  }

  /// Returns a new page with more room, and moves the rows of this one into it.
  ///
  /// Nothing else may hold this page, which is empty afterwards.
  @inlinable
  func moved(room: Int) -> Page {
    // Rows of the page that this one continues can't be moved; they are not its own.
    if split > 0 { return copied(keeping: live, room: room) }
    dropLentRows()
    let copy = Page.make(first: first, room: room, counters: counters)
    moveRows(to: copy.elements)
    copy.noteFilled(live)
    if count > Page.ownRowsMax { copy.inheritDigests(of: self) }
    noteFilled(LiveBits())
    return copy
  }

  /// Moves the live rows one after another to an address, which may be that of this page's
  /// own rows.
  @inlinable
  func moveRows(to address: UnsafeMutablePointer<Row<Key, Payload>>) {
    var count = 0
    forEachStretch(of: live) { _, rows, length in
      (address + count).moveInitialize(from: rows, count: length)
      count &+= length
    }
  }

  /// Whether the rows may be moved: the page stores all of them, and has no digests, whose
  /// marks rely on the number of stored rows.
  @inlinable
  var mayCloseUp: Bool { split == 0 && knownDigests == nil }

  /// Moves the live rows to the beginning, and so makes room.
  ///
  /// Nothing else may hold this page.
  @inlinable
  func closeUp() {
    dropLentRows()
    moveRows(to: elements)
    noteFilled(live)
  }

  /// Records that exactly the rows in these slots are stored here, without a gap.
  @inlinable
  func noteFilled(_ slots: LiveBits) {
    let header = withUnsafeMutablePointerToHeader { $0 }
    header.pointee.live = slots
    header.pointee.filled = slots
    header.pointee.count = slots.count
    header.pointee.stored = header.pointee.count
    header.pointee.end = slots.last &+ 1
  }

  /// Returns the room for a page that must grow to take more rows.
  @inlinable
  func roomGrown(for more: Int) -> Int {
    let needed = count &+ more
    return min(max(needed, needed > room / 2 ? room &* 2 : room), LiveBits.slotCount)
  }

  /// Adds the rows in the given slots of another page of the same layout.
  ///
  /// They must come after all live rows here, and there must be room.
  @inlinable
  func append(_ added: LiveBits, of other: Page) {
    var slot = added.next(from: 0)
    while slot < LiveBits.slotCount {
      append(other.row(at: slot), in: slot)
      slot = added.next(from: slot &+ 1)
    }
  }

  /// Adds a row in a slot after all filled slots; there must be room.
  @inlinable
  func append(_ row: consuming Row<Key, Payload>, in slot: Int) {
    let header = withUnsafeMutablePointerToHeader { $0 }
    let place = header.pointee.stored
    precondition(place < header.pointee.room, "a page is full")
    assert(header.pointee.end <= slot)
    // Outside of a closure, as here, the row is moved into the page, not copied.
    if let shared = header.pointee.sourceRows, place == header.pointee.split, borrowRoom() {
      (shared + place).initialize(to: row)
      header.pointee.split = place &+ 1
      header.pointee.splitEnd = slot &+ 1
      header.pointee.room &+= 1
    } else {
      dropLentRows()
      (elements + (place &- header.pointee.split)).initialize(to: row)
    }
    header.pointee.count &+= 1
    header.pointee.stored = place &+ 1
    header.pointee.end = slot &+ 1
    let bit: UInt64 = 1 &<< UInt64(slot & 63)
    liveWords[slot &>> 6] |= bit
    filledWords[slot &>> 6] |= bit
  }

  /// Returns a page with one row, and no room for more.
  @inlinable
  static func alone(_ row: consuming Row<Key, Payload>, at counter: UInt64) -> Page {
    let start = blockStart(of: counter)
    let page = make(first: start, room: 1)
    page.append(row, in: Int(counter &- start))
    return page
  }

  /// Replaces the only live row by one in a slot after all filled slots.
  ///
  /// Nothing else may hold this page, and it must be possible to move its rows.
  @inlinable
  func replaceOnlyRow(by row: consuming Row<Key, Payload>, in slot: Int) {
    if stored > 1 { closeUp() } else { dropLentRows() }
    elements.pointee = row
    let header = withUnsafeMutablePointerToHeader { $0 }
    let last = header.pointee.end &- 1
    liveWords[last &>> 6] = 0
    filledWords[last &>> 6] = 0
    let bit: UInt64 = 1 &<< UInt64(slot & 63)
    liveWords[slot &>> 6] = bit
    filledWords[slot &>> 6] = bit
    header.pointee.end = slot &+ 1
  }

  /// Removes the live row in a slot; the slot stays filled.
  @inlinable
  func remove(_ slot: Int) {
    let header = withUnsafeMutablePointerToHeader { $0 }
    let own = place(of: slot) &- header.pointee.split
    if own >= 0 { (elements + own).deinitialize(count: 1) }
    header.pointee.count &-= 1
    liveWords[slot &>> 6] &= ~(1 &<< UInt64(slot & 63))
  }

  /// Removes all rows except those in the given slots, which must be live.
  @inlinable
  func keepOnly(_ keep: LiveBits) {
    deinitializeOwnRows(in: live & ~keep)
    let header = withUnsafeMutablePointerToHeader { $0 }
    header.pointee.live = keep
    header.pointee.count = keep.count
  }

  /// Deinitializes the rows in the given live slots, as far as they are stored here.
  @inlinable
  func deinitializeOwnRows(in slots: LiveBits) {
    let splitEnd = withUnsafeMutablePointerToHeader { $0.pointee.splitEnd }
    forEachStretch(of: splitEnd > 0 ? slots & ~LiveBits(first: splitEnd) : slots) {
      _, rows, length in rows.deinitialize(count: length)
    }
  }
}

extension Page {
  /// The greatest number of own rows of a page that continues another.
  @inlinable
  static var ownRowsMax: Int { 64 }

  /// Whether the page retains another one most of whose rows have been removed.
  @inlinable
  var isWasteful: Bool { count &* 2 < split }

  /// Returns a page with the rows in the given slots, which must be live, and room for
  /// more.
  ///
  /// A table uses it to change a page that other tables also hold. The new page continues
  /// the page with the same rows. It is a copy instead if there are few rows, or if many
  /// rows were added since the last copy.
  ///
  /// - Complexity: O(1), except for one call in some dozens.
  @inlinable
  func parted(keeping keep: LiveBits, roomForMore more: Int) -> Page {
    let count = keep.count
    let shared = split == 0 ? stored : split
    if count < 2 &* Page.ownRowsMax || count &* 2 < shared
      || stored &- shared &+ more > Page.ownRowsMax
    {
      return copied(keeping: keep, room: more > 0 ? roomGrown(for: more) : count)
    }
    return goingOn(keeping: keep, roomForMore: more)
  }

  /// Returns a page that continues the page with most of this one's rows: this page, or
  /// the one that it continues.
  ///
  /// Only the other rows are copied.
  @inlinable
  func goingOn(keeping keep: LiveBits, roomForMore more: Int) -> Page {
    let header = withUnsafeMutablePointerToHeader { $0 }
    let isSource = header.pointee.split == 0
    let split = isSource ? header.pointee.stored : header.pointee.split
    let splitEnd = isSource ? header.pointee.end : header.pointee.splitEnd
    let sourceSlots = LiveBits(first: splitEnd)
    let own = keep & ~sourceSlots
    let ownRoom = more == 0 ? own.count : own.isEmpty && mayBorrowRoom ? more : Page.ownRowsMax
    let page = Page.create(minimumCapacity: ownRoom) { _ in
      Header(
        first: header.pointee.first, room: split &+ ownRoom, counters: header.pointee.counters,
        source: isSource ? self : header.pointee.source,
        sourceRows: isSource ? elements : header.pointee.sourceRows, split: split,
        splitEnd: splitEnd)
    }
    let parted = unsafeDowncast(page, to: Page.self)
    var count = 0
    forEachStretch(of: own) { _, rows, length in
      (parted.elements + count).initialize(from: rows, count: length)
      count &+= length
    }
    parted.withUnsafeMutablePointerToHeader { new in
      new.pointee.live = keep
      // In the source, removed rows also take an element.
      new.pointee.filled = header.pointee.filled & sourceSlots | own
      new.pointee.count = keep.count
      new.pointee.stored = split &+ count
      new.pointee.end = new.pointee.filled.last &+ 1
    }
    parted.inheritDigests(of: self)
    return parted
  }
}
