extension Column {
  /// Adds the row of an event that is later than all seen.
  @inlinable
  mutating func append(_ row: consuming Row<Key, Payload>, at counter: UInt64) {
    rowCount &+= 1
    let last = pageSlots.count &- 1
    if last >= 0, pageSlots[last].page.isDense, counter &- pageSlots[last].start < Rows.blockSize {
      makeUnique(last, withRoomFor: 1)
      pageSlots[last].page.append(row, in: Int(counter &- pageSlots[last].start))
    } else {
      let start = Rows.blockStart(of: counter)
      let page = Rows.make(first: start, room: pageSlots.isEmpty ? 4 : 64)
      page.append(row, in: Int(counter &- start))
      pageSlots.append(PageSlot(page))
    }
  }

  /// Adds the only row of a column that will get no more.
  @inlinable
  mutating func append(alone row: consuming Row<Key, Payload>, at counter: UInt64) {
    pageSlots.append(PageSlot(Rows.alone(row, at: counter)))
    rowCount = 1
  }

  /// Makes an event that replaces the only row of the column by one with the same key;
  /// returns whether there is such a row.
  ///
  /// The new row takes the place of the old one in its page, or a page of its own if the
  /// page can't be changed.
  @inlinable
  mutating func replaceOnlyRow(by row: Row<Key, Payload>) -> Bool {
    guard rowCount == 1, seen < Dot.counterMax else { return false }
    let next = seen &+ 1
    let replaced = pageSlots.update(0) { pageSlot -> UInt64? in
      let slot = pageSlot.page.onlySlot
      guard KeyIdentity.areSame(pageSlot.page.key(at: slot), row.key) else { return nil }
      let counter = pageSlot.page.counter(at: slot)
      let isInBlock = pageSlot.page.isDense && next &- pageSlot.start < Rows.blockSize
      if isInBlock, isKnownUniquelyReferenced(&pageSlot.page), pageSlot.page.mayCloseUp {
        pageSlot.page.replaceOnlyRow(by: row, in: Int(next &- pageSlot.start))
      } else {
        pageSlot = PageSlot(Rows.alone(row, at: next))
      }
      return counter
    }
    guard let replaced else { return false }
    countEvent()
    fold(row)
    note(KillLog.Entry(event: seen, killed: Dot(replica, replaced)))
    return true
  }

  /// Removes the row at a counter; returns whether it was live.
  @inlinable
  mutating func remove(_ counter: UInt64) -> Bool {
    guard let (place, slot) = find(counter) else { return false }
    rowCount &-= 1
    if pageSlots[place].page.count == 1 {
      pageSlots.remove(at: place)
      return true
    }
    if holdsAlone(place) {
      pageSlots[place].page.remove(slot)
      if pageSlots[place].page.isWasteful { letGo(place) }
    } else {
      let page = pageSlots[place].page
      var keep = page.live
      keep[slot] = false
      // The last page is likely to get a row next.
      let more = place == pageSlots.count &- 1 ? 1 : 0
      pageSlots.update(place) { $0.page = page.parted(keeping: keep, roomForMore: more) }
    }
    if pageSlots[place].page.count == PageBuilder<Key, Payload>.thin {
      noteThin(place)
      packIfThin()
    }
    return true
  }

  /// Removes the rows at the given counters; returns how many were live.
  ///
  /// - Complexity: O(rows that were live · log(number of pages)).
  @inlinable
  mutating func remove(_ counters: ClosedRange<UInt64>) -> Int {
    var live: ContiguousArray<UInt64> = []
    forEachRow(in: counters) { counter, _ in live.append(counter) }
    for counter in live { _ = remove(counter) }
    return live.count
  }

  /// Keeps only the rows in the given slots of a page; the page may become empty.
  @inlinable
  mutating func keepOnly(_ keep: LiveBits, in place: Int) {
    let before = pageSlots[place].page.count
    if holdsAlone(place) {
      pageSlots[place].page.keepOnly(keep)
      if pageSlots[place].page.isWasteful { letGo(place) }
    } else {
      let page = pageSlots[place].page
      pageSlots.update(place) { $0.page = page.copied(keeping: keep, room: keep.count) }
    }
    let after = pageSlots[place].page.count
    rowCount &-= before &- after
    let thin = PageBuilder<Key, Payload>.thin
    if after > 0, after <= thin, before > thin { noteThin(place) }
  }

  /// Returns whether only this column holds a page.
  @inlinable
  @inline(__always)
  mutating func holdsAlone(_ place: Int) -> Bool {
    pageSlots.update(place) { isKnownUniquelyReferenced(&$0.page) }
  }

  /// Replaces a page that continues another one with an independent copy.
  @inlinable
  mutating func letGo(_ place: Int) {
    let page = pageSlots[place].page
    pageSlots.update(place) { $0.page = page.copied(keeping: page.live, room: page.count) }
  }

  /// Releases unused memory of a page that has become almost empty.
  @inlinable
  mutating func noteThin(_ place: Int) {
    thinned &+= 1
    let page = pageSlots[place].page
    if page.room > 2 &* page.count {
      pageSlots.update(place) { $0.page = page.copied(keeping: page.live, room: page.count) }
    }
  }

  /// Makes a page safe to change: held by this column alone, with room for more rows.
  @inlinable
  mutating func makeUnique(_ place: Int, withRoomFor more: Int) {
    if holdsAlone(place) {
      let page = pageSlots[place].page
      guard page.stored &+ more > page.room else { return }
      // The page of a register is full of replaced values.
      if page.mayCloseUp, 2 &* (page.count &+ more) <= page.room { return page.closeUp() }
      pageSlots.update(place) { $0.page = page.moved(room: page.roomGrown(for: more)) }
    } else {
      let page = pageSlots[place].page
      pageSlots.update(place) { $0.page = page.parted(keeping: page.live, roomForMore: more) }
    }
  }

  /// Packs pages with few rows together, once there are many of them.
  ///
  /// Each page becomes thin once. A packing visits four to eight pages for each thin one,
  /// so the cost of a removal is constant.
  @inlinable
  mutating func packIfThin() {
    guard thinned > 8 &+ pageSlots.count / 4 else { return }
    var builder = PageBuilder<Key, Payload>(seen: seen)
    for pageSlot in pageSlots {
      let page = pageSlot.page
      if page.count <= PageBuilder<Key, Payload>.thin {
        page.forEachRow { builder.append($1, at: page.counter(at: $0)) }
      } else {
        builder.append(pageSlot)
      }
    }
    pageSlots = SharedList(builder.finish())
    thinned = 0
  }
}
