extension Column {
  /// Adds the row of an event above all seen.
  @inlinable
  mutating func append(_ row: consuming Row<Key, Payload>, at counter: UInt64) {
    rowCount &+= 1
    let last = sheets.count &- 1
    if last >= 0, sheets[last].page.isDense, counter &- sheets[last].start < Rows.blockSize {
      makeUnique(last, withRoomFor: 1)
      sheets[last].page.append(row, in: Int(counter &- sheets[last].start))
    } else {
      let start = Rows.blockStart(of: counter)
      let page = Rows.make(first: start, room: sheets.isEmpty ? 4 : 64)
      page.append(row, in: Int(counter &- start))
      sheets.append(Sheet(page))
    }
  }

  /// Removes the row born at a counter; says whether it was alive.
  @inlinable
  mutating func remove(_ counter: UInt64) -> Bool {
    guard let (place, slot) = find(counter) else { return false }
    if isKnownUniquelyReferenced(&sheets[place].page) {
      sheets[place].page.remove(slot)
    } else {
      let page = sheets[place].page
      var keep = page.live
      keep[slot] = false
      sheets[place].page = page.copied(keeping: keep, room: page.room)
    }
    rowCount &-= 1
    let left = sheets[place].page.count
    if left == 0 {
      sheets.remove(at: place)
    } else if left == PageBuilder<Key, Payload>.thin {
      noteThin(place)
      packIfThin()
    }
    return true
  }

  /// Keeps only the rows of a page in the given slots; the page may be left empty.
  @inlinable
  mutating func keepOnly(_ keep: LiveBits, in place: Int) {
    let before = sheets[place].page.count
    if isKnownUniquelyReferenced(&sheets[place].page) {
      sheets[place].page.keepOnly(keep)
    } else {
      let page = sheets[place].page
      sheets[place].page = page.copied(keeping: keep, room: keep.count)
    }
    let after = sheets[place].page.count
    rowCount &-= before &- after
    let thin = PageBuilder<Key, Payload>.thin
    if after > 0, after <= thin, before > thin { noteThin(place) }
  }

  /// Gives back the room of a page that has become almost empty.
  @inlinable
  mutating func noteThin(_ place: Int) {
    thinned &+= 1
    let page = sheets[place].page
    if page.room > 2 &* page.count {
      sheets[place].page = page.copied(keeping: page.live, room: page.count)
    }
  }

  /// Makes a page safe to change: held by this column alone, with room for more
  /// rows.
  @inlinable
  mutating func makeUnique(_ place: Int, withRoomFor more: Int) {
    let isUnique = isKnownUniquelyReferenced(&sheets[place].page)
    let needed = sheets[place].page.count &+ more
    if isUnique, needed <= sheets[place].page.room { return }
    let page = sheets[place].page
    let wanted = needed > page.room ? page.room &* 2 : page.room
    let room = min(max(needed, wanted), LiveBits.slotCount)
    sheets[place].page =
      isUnique ? page.moved(room: room) : page.copied(keeping: page.live, room: room)
  }

  /// Packs pages with few rows together, once there are many of them.
  ///
  /// Each page thins out once, and a packing passes over four to eight pages a
  /// thinned one: constant cost a removal.
  @inlinable
  mutating func packIfThin() {
    guard thinned > 8 &+ sheets.count / 4 else { return }
    var builder = PageBuilder<Key, Payload>(seen: seen)
    for sheet in sheets {
      let page = sheet.page
      if page.count <= PageBuilder<Key, Payload>.thin {
        page.forEachRow { builder.append($1, at: page.counter(at: $0)) }
      } else {
        builder.append(sheet)
      }
    }
    sheets = builder.finish()
    thinned = 0
  }
}
