public import Synchronization

/// The digests of a page's rows, made when first asked for and kept with the page.
///
/// In a page a row never takes the place of another: the bits that were live when a
/// chunk's digest was made tell whether it still holds. So nothing needs to be noted when
/// rows come and go. A page that goes on from this one gets what is known here.
///
/// Tables on several threads may share a page, and ask at once: what is kept is behind
/// locks. A column's lock is taken before those of its pages.
@usableFromInline
package final class PageDigests: Sendable {
  /// What is known of a page.
  private struct Rows: Sendable {
    /// The slots that were live when the tree was made.
    var live = LiveBits()
    var tree = DigestTree(height: DigestTree.pageHeight)
  }

  private let rows: Mutex<Rows>
  /// What is known of the column that this page is the first of.
  private let column: Mutex<ColumnDigests>

  @usableFromInline
  init() {
    rows = Mutex(Rows())
    column = Mutex(ColumnDigests())
  }

  private init(_ rows: Rows, _ column: ColumnDigests) {
    self.rows = Mutex(rows)
    self.column = Mutex(column)
  }

  /// What a page begins with that goes on from this one.
  @usableFromInline
  func successor() -> PageDigests {
    let rows = rows.withLock { $0 }
    return PageDigests(rows, column.withLock { $0.withoutFirst })
  }

  /// The digests of a page's blocks, whose live slots are given; those of the chunks in
  /// which some slots' rows have come or gone are made anew.
  @usableFromInline
  func blocks(
    of live: LiveBits, _ remake: (LiveBits) -> ContiguousArray<DigestTree.Change>
  ) -> DigestTree.Level {
    rows.withLock { rows in
      let changed = LiveBits(words: rows.live.words ^ live.words)
      if !changed.isEmpty {
        rows.tree.apply(remake(changed))
        rows.live = live
      }
      return rows.tree.top
    }
  }

  /// Works on what is known of the column.
  @usableFromInline
  func withColumn(
    _ body: (inout ColumnDigests) -> SHA256.Digest?
  ) -> SHA256.Digest? {
    column.withLock { body(&$0) }
  }
}

extension Page {
  /// Where the page's digests are kept, once they were asked for: the address of a
  /// ``PageDigests`` that the page holds, or 0.
  ///
  /// It is the header's third field, and is set once: by the page's maker, or by the first
  /// of those who ask. An `Atomic` is laid out as what it holds.
  @inlinable
  var digestsAddress: UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(filledWords + LiveBits.slotCount / UInt64.bitWidth)
      .assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// The digests that are kept here; `nil` while nobody has asked for any.
  @inlinable
  var knownDigests: PageDigests? {
    Self.digests(at: digestsAddress.pointee.load(ordering: .acquiring))
  }

  @inlinable
  static func digests(at address: UInt) -> PageDigests? {
    UnsafeRawPointer(bitPattern: address).map {
      Unmanaged<PageDigests>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// The digests that are kept here, from now on.
  @inlinable
  var digests: PageDigests {
    if let known = knownDigests { return known }
    let made = Unmanaged.passRetained(PageDigests())
    let address = UInt(bitPattern: made.toOpaque())
    let (isMine, other) = digestsAddress.pointee.compareExchange(
      expected: 0, desired: address, ordering: .acquiringAndReleasing)
    if !isMine, let first = Self.digests(at: other) {
      made.release()
      return first
    }
    return made.takeUnretainedValue()
  }

  /// Begins with the digests of a page whose rows this one, which nobody else has yet,
  /// goes on from.
  @inlinable
  func inheritDigests(of other: Page) {
    guard let known = other.knownDigests else { return }
    let address = UInt(bitPattern: Unmanaged.passRetained(known.successor()).toOpaque())
    digestsAddress.pointee.store(address, ordering: .releasing)
  }

  /// Lets go of the digests: nobody else has the page any more.
  @inlinable
  func releaseDigests() {
    let address = digestsAddress.pointee.load(ordering: .acquiring)
    if let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<PageDigests>.fromOpaque(pointer).release()
    }
  }
}

extension Page {
  /// What tells whether the page is as it was.
  @inlinable
  var digestMark: ColumnDigests.Mark {
    let address = digestsAddress.pointee.load(ordering: .acquiring)
    return withUnsafeMutablePointerToHeader { header in
      ColumnDigests.Mark(
        address: address, stored: header.pointee.stored, count: header.pointee.count)
    }
  }

  /// The digests of the blocks of 1,024 counters that have rows here.
  ///
  /// - Complexity: O(rows of the chunks that have changed since).
  @inlinable
  func blockDigests() -> DigestTree.Level {
    digests.blocks(of: live) { chunkDigests(of: $0) }
  }

  /// The digests of the chunks that some slots are in.
  @inlinable
  func chunkDigests(of changed: LiveBits) -> ContiguousArray<DigestTree.Change> {
    var changes: ContiguousArray<DigestTree.Change> = []
    var writer = ByteWriter(capacity: 1 << 11)
    writer.forgets = true
    let live = live
    var slot = changed.next(from: 0)
    while slot < LiveBits.slotCount {
      let chunk = (counter(at: slot) &- 1) &>> DigestTree.chunkShift
      let first = self.slot(notBelow: chunk &<< DigestTree.chunkShift &+ 1)
      let end = self.slot(notBelow: (chunk &+ 1) &<< DigestTree.chunkShift &+ 1)
      let rows = live & LiveBits(first: end) & ~LiveBits(first: first)
      let digest = rows.isEmpty ? nil : digest(of: rows, from: first, in: chunk, &writer)
      changes.append(DigestTree.Change(chunk, digest))
      slot = changed.next(from: end)
    }
    return changes
  }

  /// The digest of a chunk's rows: of which counters there are, and then of each key and
  /// payload after the ones before, as in a column that has no others.
  ///
  /// All that can be read back one way only, so other rows are other bytes.
  @inlinable
  func digest(
    of slots: LiveBits, from first: Int, in chunk: UInt64, _ writer: inout ByteWriter
  ) -> SHA256.Digest {
    writer.removeAll()
    writer.write(DigestTree.Mark.chunk)
    writer.write(fixed: chunk)
    var counters: UInt16 = 0
    var slot = slots.next(from: first)
    while slot < LiveBits.slotCount {
      counters |= 1 &<< UInt16(truncatingIfNeeded: (counter(at: slot) &- 1) & 15)
      slot = slots.next(from: slot &+ 1)
    }
    writer.write(fixed: counters)
    var previous: UnsafeMutablePointer<Row<Key, Payload>>?
    forEachStretch(of: slots, from: first) { _, rows, count in
      var row = rows
      for _ in 0..<count {
        row.pointee.key.encode(to: &writer, after: previous?.pointee.key)
        row.pointee.payload.encode(to: &writer, after: previous?.pointee.payload)
        previous = row
        row += 1
      }
    }
    return writer.withBytes { SHA256.digest(of: $0) }
  }
}
