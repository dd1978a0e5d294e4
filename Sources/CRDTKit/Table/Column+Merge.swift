extension Column {
  /// Merges the rows of another copy of the column, as far as they concern events after
  /// `base`.
  ///
  /// A row stays if both copies have it, or if the other copy has no information on it. A
  /// row that only the other copy has is added unless this copy has seen its event. Pages
  /// that are identical or have equal bitmaps are skipped, and pages that only the other
  /// copy has are shared by reference.
  ///
  /// - Complexity: O(pages), and O(rows) for pages in which the two copies differ in
  ///   their live rows.
  @inlinable
  mutating func mergeRows(of other: Column, after base: UInt64) {
    if sharesPages(with: other) { return }
    if rowCount == 1, let counter = pageSlots.first?.page.onlyCounter, counter > base,
      counter <= other.seen, other.find(counter) == nil
    {
      // The page of a register; it is dropped without a look at its bitmaps.
      pageSlots.remove(at: 0)
      rowCount = 0
    }
    var mine = max(pageSlot(of: base &+ 1), 0)
    var theirs = max(other.pageSlot(of: base &+ 1), 0)
    var hasEmptied = false
    while mine < pageSlots.count {
      let start = pageSlots[mine].start
      if start > other.seen {
        // Everything that the other copy knows is in blocks before this one, and has been
        // seen here.
        theirs = other.pageSlots.count
        break
      }
      while theirs < other.pageSlots.count, other.pageSlots[theirs].page.lastBlockStart < start {
        // It is below a page of this column, so all its events have been seen and no row
        // is new.
        theirs &+= 1
      }
      if theirs == other.pageSlots.count
        || pageSlots[mine].page.lastBlockStart < other.pageSlots[theirs].start
      {
        let keep = pageSlots[mine].page.slotsUndecided(after: base, upTo: other.seen)
        shrink(mine, to: keep, &hasEmptied)
        mine &+= 1
      } else if pageSlots[mine].page.hasSameLayout(as: other.pageSlots[theirs].page) {
        mergePage(mine, with: other.pageSlots[theirs].page, of: other, after: base, &hasEmptied)
        mine &+= 1
        theirs &+= 1
      } else {
        (mine, theirs) = mergeCluster(mine, theirs, of: other, after: base)
      }
    }
    if hasEmptied { pageSlots.removeAll { $0.page.count == 0 } }
    adoptPages(of: other, from: theirs)
  }

  /// Keeps only the rows in the given slots of a page.
  @inlinable
  mutating func shrink(_ place: Int, to keep: LiveBits, _ hasEmptied: inout Bool) {
    let kept = keep & pageSlots[place].page.live
    guard kept != pageSlots[place].page.live else { return }
    keepOnly(kept, in: place)
    if kept.isEmpty { hasEmptied = true }
  }

  /// Merges two pages of the same layout: applies the table's merge rule to 64 rows at a
  /// time.
  @inlinable
  mutating func mergePage(
    _ place: Int, with theirs: Rows, of other: Column, after base: UInt64,
    _ hasEmptied: inout Bool
  ) {
    let live = pageSlots[place].page.live
    guard pageSlots[place].page !== theirs, live != theirs.live else { return }
    let keep = live & (theirs.live | theirs.slotsUndecided(after: base, upTo: other.seen))
    let added = theirs.live & ~theirs.slots(upTo: seen)
    if added.isEmpty {
      shrink(place, to: keep, &hasEmptied)
    } else if keep.isEmpty, added == theirs.live {
      rowCount &+= theirs.count &- pageSlots[place].page.count
      pageSlots.update(place) { $0.page = theirs }
    } else {
      if keep != live { keepOnly(keep, in: place) }
      let more = added.count
      makeUnique(place, withRoomFor: more)
      pageSlots[place].page.append(added, of: theirs)
      rowCount &+= more
    }
  }

  /// Merges overlapping pages of different layouts, row by row; returns the indices of
  /// the next pages.
  @inlinable
  mutating func mergeCluster(
    _ mine: Int, _ theirs: Int, of other: Column, after base: UInt64
  ) -> (mine: Int, theirs: Int) {
    var mineEnd = mine
    var theirsEnd = theirs
    var last = pageSlots[mine].page.lastBlockStart
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      while mineEnd < pageSlots.count, pageSlots[mineEnd].start <= last {
        last = max(last, pageSlots[mineEnd].page.lastBlockStart)
        mineEnd &+= 1
        isGrowing = true
      }
      while theirsEnd < other.pageSlots.count, other.pageSlots[theirsEnd].start <= last {
        last = max(last, other.pageSlots[theirsEnd].page.lastBlockStart)
        theirsEnd &+= 1
        isGrowing = true
      }
    }
    var builder = PageBuilder<Key, Payload>(seen: max(seen, other.seen))
    var change = 0
    for pageSlot in pageSlots[mine..<mineEnd] {
      let page = pageSlot.page
      page.forEachRow { slot, row in
        let counter = page.counter(at: slot)
        let isUndecided = counter <= base || counter > other.seen
        if isUndecided || other.find(counter) != nil {
          builder.append(row, at: counter)
        } else {
          change &-= 1
        }
      }
    }
    // New rows have greater counters than all events seen here, so they come last.
    for pageSlot in other.pageSlots[theirs..<theirsEnd] {
      let page = pageSlot.page
      page.forEachRow { slot, row in
        let counter = page.counter(at: slot)
        if counter > seen {
          builder.append(row, at: counter)
          change &+= 1
        }
      }
    }
    let merged = builder.finish()
    pageSlots.replaceSubrange(mine..<mineEnd, with: merged)
    rowCount &+= change
    return (mine &+ merged.count, theirsEnd)
  }

  /// Shares the pages of another column from an index on, keeping only the rows of events
  /// not seen here.
  @inlinable
  mutating func adoptPages(of other: Column, from place: Int) {
    var place = place
    while place < other.pageSlots.count {
      let page = other.pageSlots[place].page
      if page.count == 1 {
        if page.onlyCounter > seen {
          pageSlots.append(other.pageSlots[place])
          rowCount &+= 1
        }
        place &+= 1
        continue
      }
      let added = page.live & ~page.slots(upTo: seen)
      if added == page.live {
        pageSlots.append(other.pageSlots[place])
      } else if !added.isEmpty {
        pageSlots.append(PageSlot(page.copied(keeping: added, room: added.count)))
      }
      rowCount &+= added.count
      place &+= 1
    }
  }
}
