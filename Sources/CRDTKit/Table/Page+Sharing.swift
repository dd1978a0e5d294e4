extension Page {
  /// Up to how many rows of its own a page may have that goes on from another.
  @inlinable
  static var ownRowsMax: Int { 64 }

  /// Whether the page holds on to another one of whose rows most have died.
  @inlinable
  var isWasteful: Bool { count &* 2 < split }

  /// A page with the rows in the given slots, which must be live, and room for more:
  /// for a table that has to change a page that others hold too.
  ///
  /// It goes on from the same rows, or is a copy where there are few of these, or where
  /// too many were added to the page since it was one.
  ///
  /// - Complexity: O(1) but for one time in some dozens.
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

  /// A page that goes on from the page where most of this one's rows are: from this
  /// one, or the one that it goes on from.
  ///
  /// Only the rows that it has beside these are copied.
  @inlinable
  func goingOn(keeping keep: LiveBits, roomForMore more: Int) -> Page {
    let header = withUnsafeMutablePointerToHeader { $0 }
    let isSource = header.pointee.split == 0
    let split = isSource ? header.pointee.stored : header.pointee.split
    let splitEnd = isSource ? header.pointee.end : header.pointee.splitEnd
    let sourceSlots = LiveBits(first: splitEnd)
    let own = keep & ~sourceSlots
    let ownRoom = more > 0 ? Page.ownRowsMax : own.count
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
      // In the source a dead row has a place too.
      new.pointee.filled = header.pointee.filled & sourceSlots | own
      new.pointee.count = keep.count
      new.pointee.stored = split &+ count
      new.pointee.end = new.pointee.filled.last &+ 1
    }
    parted.inheritDigests(of: self)
    return parted
  }
}
