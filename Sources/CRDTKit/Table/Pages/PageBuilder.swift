/// A builder that distributes rows, in ascending order of their counters, over pages.
///
/// Blocks with few live rows share packed pages. So a million overwrites of a thousand
/// registers take the memory of a thousand rows.
@frozen
@usableFromInline
package struct PageBuilder<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable> {
  @usableFromInline package typealias Rows = Page<Key, Payload>
  @usableFromInline package typealias PageSlot = Column<Key, Payload>.PageSlot

  /// The greatest number of rows in a block that is packed.
  @inlinable
  static var thin: Int { 64 }

  @usableFromInline var pageSlots: ContiguousArray<PageSlot> = []
  @usableFromInline var block: Rows?
  @usableFromInline var packed: ContiguousArray<Row<Key, Payload>> = []
  @usableFromInline var packedCounters: ContiguousArray<UInt64> = []
  /// The number of rows to come, if it is known; determines the room to reserve.
  @usableFromInline var expected: Int
  /// The start of the block of the last event, which must stay dense for the next event's
  /// row.
  @usableFromInline let openBlock: UInt64

  @inlinable
  package init(seen: UInt64, expecting expected: Int = 0) {
    openBlock = Rows.blockStart(of: seen)
    self.expected = expected
  }

  /// Adds the row at a counter, which must be greater than all before.
  @inlinable
  package mutating func append(_ row: consuming Row<Key, Payload>, at counter: UInt64) {
    let page = page(for: counter)
    page.append(row, in: Int(counter &- page.first))
    expected &-= 1
  }

  /// Adds the rows at a run of counters, which must be greater than all before.
  @inlinable
  mutating func append<Failure: Error>(
    _ run: ClosedRange<UInt64>, _ next: () throws(Failure) -> Row<Key, Payload>
  ) throws(Failure) {
    var counter = run.lowerBound
    while counter <= run.upperBound {
      let page = page(for: counter)
      let first = page.first
      let room = UInt64(page.room &- page.count)
      let end = min(run.upperBound &+ 1, first &+ Rows.blockSize, counter &+ room)
      expected &-= Int(end &- counter)
      while counter < end {
        page.append(try next(), in: Int(counter &- first))
        counter &+= 1
      }
    }
  }

  @inlinable
  mutating func page(for counter: UInt64) -> Rows {
    if let block, counter &- block.first < Rows.blockSize {
      if block.count < block.room { return block }
      let wider = block.moved(room: min(block.count * 2, LiveBits.slotCount))
      self.block = wider
      return wider
    }
    closeBlock()
    let room = min(max(expected, 8), LiveBits.slotCount)
    let page = Rows.make(first: Rows.blockStart(of: counter), room: room)
    block = page
    return page
  }

  /// Adds a page unchanged, after all rows before.
  @inlinable
  mutating func append(_ pageSlot: PageSlot) {
    closeBlock()
    closePacked()
    pageSlots.append(pageSlot)
  }

  /// Returns the pages of all rows.
  @inlinable
  package mutating func finish() -> ContiguousArray<PageSlot> {
    closeBlock()
    closePacked()
    return pageSlots
  }

  @inlinable
  mutating func closeBlock() {
    guard let page = block.take() else { return }
    if page.count <= Self.thin, page.first != openBlock {
      if packed.count &+ page.count > LiveBits.slotCount { closePacked() }
      page.forEachRow { slot, row in
        packedCounters.append(page.counter(at: slot))
        packed.append(row)
      }
    } else {
      closePacked()
      let fits = page.room &- page.count <= page.room &>> 3
      pageSlots.append(PageSlot(fits ? page : page.moved(room: page.count)))
    }
  }

  @inlinable
  mutating func closePacked() {
    guard let first = packedCounters.first, let last = packedCounters.last else { return }
    let start = Rows.blockStart(of: first)
    let isOneBlock = start == Rows.blockStart(of: last)
    let page = Rows.make(
      first: isOneBlock ? start : first,
      room: packed.count,
      counters: isOneBlock ? [] : packedCounters
    )
    for (place, row) in packed.enumerated() {
      page.append(row, in: isOneBlock ? Int(packedCounters[place] &- start) : place)
    }
    pageSlots.append(PageSlot(page))
    packed.removeAll(keepingCapacity: true)
    packedCounters.removeAll(keepingCapacity: true)
  }
}
