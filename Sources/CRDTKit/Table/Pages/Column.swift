/// The events of one replica in a table: their number, and the live rows.
///
/// The pages are in ascending order and cover blocks that do not overlap; no page is
/// empty. The block of the last event seen is never in a packed page.
@frozen
@usableFromInline
package struct Column<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: Sendable {
  @usableFromInline package typealias Rows = Page<Key, Payload>

  /// A page, with the first counter of the first block it covers.
  ///
  /// Pages are mutable objects, but a page slot is safe to send: a page is changed only
  /// through the one page slot that holds the sole reference to it.
  @frozen
  @usableFromInline
  package struct PageSlot: @unchecked Sendable {
    @usableFromInline let start: UInt64
    @usableFromInline package var page: Rows

    @inlinable
    init(_ page: Rows) {
      start = Rows.blockStart(of: page.first)
      self.page = page
    }
  }

  @usableFromInline package let replica: ReplicaID
  /// The number of the replica's events that have been seen.
  @usableFromInline package var seen: UInt64
  /// The running fingerprint of those events.
  @usableFromInline package var fingerprint: UInt32
  /// The last event whose fingerprint is in an earlier format.
  ///
  /// There are no marks before it, and only copies with the same origin are compared.
  @usableFromInline package var origin: UInt64
  /// The fingerprints at earlier counters.
  @usableFromInline package var history: FingerprintHistory
  /// The stretches that the events were made in.
  @usableFromInline package var stretches: Stretches
  @usableFromInline package var pageSlots: SharedList<PageSlot>
  /// The number of live rows in the page slots.
  @usableFromInline package var rowCount: Int
  /// The rows that the replica's recent events removed.
  @usableFromInline package var kills: KillLog
  /// The elements of texts; an event has either a row or an element.
  @usableFromInline package var texts: TextColumn
  /// The number of pages that have become almost empty since the last packing.
  @usableFromInline var thinned: Int

  @inlinable
  package init(
    replica: ReplicaID, seen: UInt64 = 0, fingerprint: UInt32 = 0, origin: UInt64 = 0
  ) {
    self.init(
      replica: replica, seen: seen, fingerprint: fingerprint, origin: origin,
      history: FingerprintHistory(), stretches: Stretches(), pageSlots: SharedList(), rowCount: 0,
      kills: KillLog(floor: seen), texts: TextColumn())
  }

  @inlinable
  init(
    replica: ReplicaID, seen: UInt64, fingerprint: UInt32, origin: UInt64,
    history: FingerprintHistory, stretches: Stretches, pageSlots: SharedList<PageSlot>,
    rowCount: Int, kills: KillLog, texts: TextColumn
  ) {
    self.replica = replica
    self.seen = seen
    self.fingerprint = fingerprint
    self.origin = origin
    self.history = history
    self.stretches = stretches
    self.pageSlots = pageSlots
    self.rowCount = rowCount
    self.kills = kills
    self.texts = texts
    thinned = 0
  }
}

extension Column {
  /// Returns the index of the only page slot that can hold the counter: the last one that
  /// doesn't start after it; -1 if all do.
  @inlinable
  func pageSlot(of counter: UInt64) -> Int {
    guard let first = pageSlots.first, counter >= first.start else { return -1 }
    let last = pageSlots.count &- 1
    if counter >= pageSlots[last].start { return last }
    // If no block is missing, the counter gives the index.
    let guess = Int((counter &- first.start) / Rows.blockSize)
    if guess < last, pageSlots[guess].start <= counter, counter < pageSlots[guess &+ 1].start {
      return guess
    }
    return (0..<last).partitioningIndex { pageSlots[$0 &+ 1].start > counter }
  }

  /// Returns the page slot and slot of the live row at a counter; `nil` if there is none.
  @inlinable
  func find(_ counter: UInt64) -> (pageSlot: Int, slot: Int)? {
    let place = pageSlot(of: counter)
    guard place >= 0, let slot = pageSlots[place].page.liveSlot(of: counter) else { return nil }
    return (place, slot)
  }

  /// Returns the address of the live row at a counter of the column at an address; it is
  /// valid while the column is held and not changed.
  ///
  /// What is inlined finds a row in a dense page of a column without missing blocks;
  /// nothing is copied or retained on that way. The benchmark is `orset.int.contains`.
  @inlinable
  @inline(__always)
  static func address(
    of counter: UInt64, in column: UnsafePointer<Column>
  ) -> UnsafeMutablePointer<Row<Key, Payload>>? {
    let count = column.pointee.pageSlots.count
    guard count > 0 else { return nil }
    let first = column.pointee.pageSlots.withElement(at: 0) { $0.pointee.start }
    let guess = (counter &- first) / Rows.blockSize
    guard guess < UInt64(count) else { return column.pointee.searchedAddress(of: counter) }
    let start = Rows.blockStart(of: counter)
    return column.pointee.pageSlots.withElement(at: Int(guess)) { pageSlot in
      guard pageSlot.pointee.start == start, pageSlot.pointee.page.isDense else {
        return column.pointee.searchedAddress(of: counter)
      }
      return pageSlot.pointee.page.address(inDense: counter &- start)
    }
  }

  /// Returns the address of the live row at a counter, which is valid while the column is
  /// held and not changed.
  @inlinable
  @inline(never)
  func searchedAddress(of counter: UInt64) -> UnsafeMutablePointer<Row<Key, Payload>>? {
    guard let (place, slot) = find(counter) else { return nil }
    let page = pageSlots[place].page
    return page.address(of: page.place(of: slot))
  }

  /// Returns the live row at a counter.
  @inlinable
  func row(at counter: UInt64) -> Row<Key, Payload>? {
    find(counter).map { pageSlots[$0.pageSlot].page.row(at: $0.slot) }
  }

  /// Calls the body with the counter and row of each live row, in order.
  @inlinable
  package func forEachRow(
    _ body: (_ counter: UInt64, _ row: Row<Key, Payload>) -> Void
  ) {
    for pageSlot in pageSlots {
      let page = pageSlot.page
      page.forEachRow { body(page.counter(at: $0), $1) }
    }
  }

  /// Calls the body with the counter and address of each live row at some counters, in
  /// order.
  ///
  /// The address is valid while the column is held and not changed.
  @inlinable
  func forEachRow(
    in counters: ClosedRange<UInt64>,
    _ body: (_ counter: UInt64, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    var place = Swift.max(pageSlot(of: counters.lowerBound), 0)
    while place < pageSlots.count, pageSlots[place].start <= counters.upperBound {
      let page = pageSlots[place].page
      page.forEachRow(in: counters, body)
      place &+= 1
    }
  }

  /// Returns whether two columns hold their pages in the same storage.
  @inlinable
  func sharesPages(with other: Column) -> Bool {
    pageSlots.sharesStorage(with: other.pageSlots)
  }
}
