extension Column {
  /// Takes in what another copy of the column says of the events after `base`.
  ///
  /// A row stays if both have it, or if the other side has nothing to say of
  /// it; a row that only the other side has comes in unless it was seen here.
  /// Pages that are the same, or whose bits are equal, are passed over, and
  /// pages that only the other side has are adopted by reference.
  ///
  /// - Complexity: O(pages), and O(rows) of the pages whose rows' fates differ.
  @inlinable
  mutating func mergeRows(of other: Column, after base: UInt64) {
    if sharesSheets(with: other) { return }
    var mine = max(sheet(of: base &+ 1), 0)
    var theirs = max(other.sheet(of: base &+ 1), 0)
    var hasEmptied = false
    while mine < sheets.count {
      let start = sheets[mine].start
      if start > other.seen {
        // All that the other knows lies in blocks before this one, seen here.
        theirs = other.sheets.count
        break
      }
      while theirs < other.sheets.count, other.sheets[theirs].page.lastBlockStart < start {
        // Below a page of this column, so wholly seen: nothing in it is new.
        theirs &+= 1
      }
      if theirs == other.sheets.count
        || sheets[mine].page.lastBlockStart < other.sheets[theirs].start
      {
        let keep = sheets[mine].page.slotsUndecided(after: base, upTo: other.seen)
        shrink(mine, to: keep, &hasEmptied)
        mine &+= 1
      } else if sheets[mine].page.hasSameLayout(as: other.sheets[theirs].page) {
        mergePage(mine, with: other.sheets[theirs].page, of: other, after: base, &hasEmptied)
        mine &+= 1
        theirs &+= 1
      } else {
        (mine, theirs) = mergeCluster(mine, theirs, of: other, after: base)
      }
    }
    if hasEmptied { sheets.removeAll { $0.page.count == 0 } }
    adoptSheets(of: other, from: theirs)
  }

  /// Keeps only the rows in the given slots of a page.
  @inlinable
  mutating func shrink(_ place: Int, to keep: LiveBits, _ hasEmptied: inout Bool) {
    let kept = keep & sheets[place].page.live
    guard kept != sheets[place].page.live else { return }
    keepOnly(kept, in: place)
    if kept.isEmpty { hasEmptied = true }
  }

  /// Merges two pages of the same layout: the rule of the table, 64 rows a word.
  @inlinable
  mutating func mergePage(
    _ place: Int, with theirs: Rows, of other: Column, after base: UInt64,
    _ hasEmptied: inout Bool
  ) {
    let live = sheets[place].page.live
    guard sheets[place].page !== theirs, live != theirs.live else { return }
    let keep = live & (theirs.live | theirs.slotsUndecided(after: base, upTo: other.seen))
    let added = theirs.live & ~theirs.slots(upTo: seen)
    if added.isEmpty {
      shrink(place, to: keep, &hasEmptied)
    } else if keep.isEmpty, added == theirs.live {
      rowCount &+= theirs.count &- sheets[place].page.count
      sheets.update(place) { $0.page = theirs }
    } else {
      if keep != live { keepOnly(keep, in: place) }
      let more = added.count
      makeUnique(place, withRoomFor: more)
      sheets[place].page.append(added, of: theirs)
      rowCount &+= more
    }
  }

  /// Merges pages that overlap but are laid out differently, row by row, and
  /// gives the places to go on from.
  @inlinable
  mutating func mergeCluster(
    _ mine: Int, _ theirs: Int, of other: Column, after base: UInt64
  ) -> (mine: Int, theirs: Int) {
    var mineEnd = mine
    var theirsEnd = theirs
    var last = sheets[mine].page.lastBlockStart
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      while mineEnd < sheets.count, sheets[mineEnd].start <= last {
        last = max(last, sheets[mineEnd].page.lastBlockStart)
        mineEnd &+= 1
        isGrowing = true
      }
      while theirsEnd < other.sheets.count, other.sheets[theirsEnd].start <= last {
        last = max(last, other.sheets[theirsEnd].page.lastBlockStart)
        theirsEnd &+= 1
        isGrowing = true
      }
    }
    var builder = PageBuilder<Key, Payload>(seen: max(seen, other.seen))
    var change = 0
    for sheet in sheets[mine..<mineEnd] {
      let page = sheet.page
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
    // What is new has counters above all that was seen here: it comes after.
    for sheet in other.sheets[theirs..<theirsEnd] {
      let page = sheet.page
      page.forEachRow { slot, row in
        let counter = page.counter(at: slot)
        if counter > seen {
          builder.append(row, at: counter)
          change &+= 1
        }
      }
    }
    let merged = builder.finish()
    sheets.replaceSubrange(mine..<mineEnd, with: merged)
    rowCount &+= change
    return (mine &+ merged.count, theirsEnd)
  }

  /// Adopts, by reference, the pages of another column from a place on: only
  /// rows that were not seen here.
  @inlinable
  mutating func adoptSheets(of other: Column, from place: Int) {
    var place = place
    while place < other.sheets.count {
      let page = other.sheets[place].page
      let added = page.live & ~page.slots(upTo: seen)
      if added == page.live {
        sheets.append(other.sheets[place])
      } else if !added.isEmpty {
        sheets.append(Sheet(page.copied(keeping: added, room: added.count)))
      }
      rowCount &+= added.count
      place &+= 1
    }
  }
}
