/// Up to 1,024 events of one replica: a bit for each that says whether its row is
/// live, and the live rows, packed in order.
///
/// A *dense* page covers 1,024 counters in a row, a *block*: slot 0 is the block's
/// first. A *packed* page lists the counters of its slots, so that what is left
/// of many blocks, overwritten almost wholly, takes one page.
///
/// A page is shared between tables by reference. Only a table that holds the
/// sole reference may change it.
@usableFromInline
package final class Page<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  ManagedBuffer<Page.Header, Row<Key, Payload>>
{
  @frozen
  @usableFromInline
  package struct Header {
    @usableFromInline var live: LiveBits
    @usableFromInline var count: Int
    @usableFromInline var room: Int
    /// One past the last slot that was filled: equal to `count` while there is no gap.
    @usableFromInline var end: Int
    /// The counter of slot 0.
    @usableFromInline let first: UInt64
    @usableFromInline let isDense: Bool
    /// The counter of each slot of a packed page; empty in a dense one.
    @usableFromInline let counters: ContiguousArray<UInt64>

    @inlinable
    init(first: UInt64, room: Int, counters: ContiguousArray<UInt64>) {
      live = LiveBits()
      count = 0
      end = 0
      self.room = room
      self.first = first
      isDense = counters.isEmpty
      self.counters = counters
    }
  }

  @inlinable
  deinit {
    _ = withUnsafeMutablePointers { header, rows in
      rows.deinitialize(count: header.pointee.count)
    }
  }

  /// Makes an empty page; a dense one where no counters are given.
  @inlinable
  static func make(
    first: UInt64, room: Int, counters: ContiguousArray<UInt64> = []
  ) -> Page {
    let page = Page.create(minimumCapacity: room) { _ in
      Header(first: first, room: room, counters: counters)
    }
    return unsafeDowncast(page, to: Page.self)
  }

  /// How many counters a block has.
  @inlinable
  static var blockSize: UInt64 { UInt64(LiveBits.slotCount) }

  /// The first counter of the block that a counter is in.
  @inlinable
  static func blockStart(of counter: UInt64) -> UInt64 {
    (counter &- 1) & ~(blockSize &- 1) &+ 1
  }

  @inlinable
  var isDense: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isDense } }

  /// The counter of slot 0.
  @inlinable
  var first: UInt64 { withUnsafeMutablePointerToHeader { $0.pointee.first } }

  /// How many rows there is room for.
  @inlinable
  var room: Int { withUnsafeMutablePointerToHeader { $0.pointee.room } }

  /// The counters of a packed page's slots.
  @inlinable
  var counters: ContiguousArray<UInt64> {
    withUnsafeMutablePointerToHeader { $0.pointee.counters }
  }

  /// The words of the bits in place: a bit is read or set there without moving all.
  ///
  /// They are the header's first field; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  var liveWords: UnsafeMutablePointer<UInt64> {
    withUnsafeMutablePointerToHeader {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self)
    }
  }

  /// The rows in place; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  var elements: UnsafeMutablePointer<Row<Key, Payload>> {
    withUnsafeMutablePointerToElements { $0 }
  }

  /// Whether the slot holds a live row.
  @inlinable
  func isLive(_ slot: Int) -> Bool {
    liveWords[slot &>> 6] &>> UInt64(slot & 63) & 1 == 1
  }

  @inlinable
  package var live: LiveBits { withUnsafeMutablePointerToHeader { $0.pointee.live } }

  @inlinable
  var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

  /// The first counter of the last block that the page covers.
  @inlinable
  var lastBlockStart: UInt64 {
    if let last = counters.last { Page.blockStart(of: last) } else { first }
  }

  /// The counter of a slot.
  @inlinable
  package func counter(at slot: Int) -> UInt64 {
    isDense ? first &+ UInt64(slot) : counters[slot]
  }

  /// The first slot whose counter is not below the given one; 1,024 at most.
  @inlinable
  func slot(notBelow counter: UInt64) -> Int {
    if isDense {
      return counter <= first ? 0 : Int(min(counter &- first, Page.blockSize))
    }
    var low = 0
    var high = counters.count
    while low < high {
      let middle = (low + high) / 2
      if counters[middle] < counter { low = middle + 1 } else { high = middle }
    }
    return low == counters.count ? LiveBits.slotCount : low
  }

  /// The slot of a live row, if the page has it.
  @inlinable
  func liveSlot(of counter: UInt64) -> Int? {
    let slot = slot(notBelow: counter)
    guard slot < LiveBits.slotCount, isLive(slot), isDense || counters[slot] == counter
    else { return nil }
    return slot
  }

  /// The bits of the slots whose counters are not above the given one.
  @inlinable
  func slots(upTo counter: UInt64) -> LiveBits {
    LiveBits(first: slot(notBelow: counter &+ 1))
  }

  /// The bits of the slots of which a side that tells what became of the events
  /// after `base`, up to `seen`, says nothing.
  @inlinable
  func slotsUndecided(after base: UInt64, upTo seen: UInt64) -> LiveBits {
    ~slots(upTo: seen) | slots(upTo: base)
  }

  /// Whether two pages give the same counters to their slots.
  @inlinable
  func hasSameLayout(as other: Page) -> Bool {
    first == other.first && isDense == other.isDense
      && (isDense || counters == other.counters)
  }

  /// The place of the row in a slot.
  @inlinable
  func place(of slot: Int) -> Int {
    withUnsafeMutablePointerToHeader { header in
      header.pointee.count == header.pointee.end
        ? slot : header.pointee.live.rank(of: slot)
    }
  }

  /// The live row in a slot.
  @inlinable
  package func row(at slot: Int) -> Row<Key, Payload> {
    let place = place(of: slot)
    return withUnsafeMutablePointerToElements { $0[place] }
  }

  /// The key of the live row in a slot.
  @inlinable
  func key(at slot: Int) -> Key {
    let place = place(of: slot)
    return withUnsafeMutablePointerToElements { $0[place].key }
  }

  /// Calls the body with the live rows, in order.
  @inlinable
  func withRows(_ body: (UnsafeBufferPointer<Row<Key, Payload>>) -> Void) {
    withUnsafeMutablePointers { header, rows in
      body(UnsafeBufferPointer(start: rows, count: header.pointee.count))
    }
  }

  /// Calls the body with the slot and row of each live row from a slot on, in order.
  @inlinable
  package func forEachRow(
    from first: Int = 0, _ body: (_ slot: Int, _ row: Row<Key, Payload>) -> Void
  ) {
    guard first < LiveBits.slotCount else { return }
    withUnsafeMutablePointers { header, rows in
      let live = header.pointee.live
      var place = first == 0 ? 0 : live.rank(of: first)
      var slot = live.next(from: first)
      while slot < LiveBits.slotCount {
        let end = live.nextGap(from: slot)
        while slot < end {
          body(slot, rows[place])
          place &+= 1
          slot &+= 1
        }
        slot = live.next(from: slot)
      }
    }
  }
}
