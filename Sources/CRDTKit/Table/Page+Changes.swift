extension Page {
  /// A page of its own with the rows in the given slots, which must be live.
  @inlinable
  func copied(keeping keep: LiveBits, room: Int) -> Page {
    let copy = Page.make(first: first, room: room, counters: counters)
    withUnsafeMutablePointers { header, rows in
      copy.withUnsafeMutablePointers { copyHeader, copyRows in
        let live = header.pointee.live
        var count = 0
        var slot = keep.next(from: 0)
        while slot < LiveBits.slotCount {
          let end = keep.nextGap(from: slot)
          let place = live.rank(of: slot)
          (copyRows + count).initialize(from: rows + place, count: end &- slot)
          count &+= end &- slot
          slot = keep.next(from: end)
        }
        copyHeader.pointee.live = keep
        copyHeader.pointee.count = count
        copyHeader.pointee.end = keep.last &+ 1
      }
    }
    return copy
  }

  /// A page with room for more whose rows are moved out of this one, which must
  /// be held by nobody else and is empty afterwards.
  @inlinable
  func moved(room: Int) -> Page {
    let copy = Page.make(first: first, room: room, counters: counters)
    withUnsafeMutablePointers { header, rows in
      copy.withUnsafeMutablePointers { copyHeader, copyRows in
        copyRows.moveInitialize(from: rows, count: header.pointee.count)
        copyHeader.pointee.live = header.pointee.live
        copyHeader.pointee.count = header.pointee.count
        copyHeader.pointee.end = header.pointee.end
      }
      header.pointee.live = LiveBits()
      header.pointee.count = 0
    }
    return copy
  }

  /// Adds the rows of another page of the same layout in the given slots.
  ///
  /// They come after all that are live here, and there must be room.
  @inlinable
  func append(_ added: LiveBits, of other: Page) {
    var slot = added.next(from: 0)
    while slot < LiveBits.slotCount {
      append(other.row(at: slot), in: slot)
      slot = added.next(from: slot &+ 1)
    }
  }

  /// Adds a row in a slot after all that are live; there must be room.
  @inlinable
  func append(_ row: consuming Row<Key, Payload>, in slot: Int) {
    let header = withUnsafeMutablePointerToHeader { $0 }
    assert(header.pointee.count < header.pointee.room && header.pointee.end <= slot)
    // Outside of a closure, as in here, the row is moved to its place, not copied.
    (elements + header.pointee.count).initialize(to: row)
    header.pointee.count &+= 1
    liveWords[slot &>> 6] |= 1 &<< UInt64(slot & 63)
    header.pointee.end = slot &+ 1
  }

  /// Removes the live row in a slot.
  @inlinable
  func remove(_ slot: Int) {
    let place = place(of: slot)
    withUnsafeMutablePointers { header, rows in
      (rows + place).deinitialize(count: 1)
      let after = header.pointee.count &- place &- 1
      (rows + place).moveInitialize(from: rows + place + 1, count: after)
      header.pointee.count &-= 1
      liveWords[slot &>> 6] &= ~(1 &<< UInt64(slot & 63))
    }
  }

  /// Removes all rows but those in the given slots, which must be live.
  @inlinable
  func keepOnly(_ keep: LiveBits) {
    withUnsafeMutablePointers { header, rows in
      let live = header.pointee.live
      let dropped = live & ~keep
      var slot = dropped.next(from: 0)
      guard slot < LiveBits.slotCount else { return }
      var target = live.rank(of: slot)
      while slot < LiveBits.slotCount {
        let place = live.rank(of: slot)
        (rows + place).deinitialize(count: 1)
        slot = dropped.next(from: slot &+ 1)
        let end = slot < LiveBits.slotCount ? live.rank(of: slot) : header.pointee.count
        let kept = end &- place &- 1
        (rows + target).moveInitialize(from: rows + place + 1, count: kept)
        target &+= kept
      }
      header.pointee.live = keep
      header.pointee.count = target
    }
  }
}
