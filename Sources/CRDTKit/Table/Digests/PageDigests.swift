public import Synchronization

/// The digests of a page's rows, made on first use and kept with the page.
///
/// In a page, no row ever replaces another. So the bitmap at the time when a chunk's
/// digest was made shows whether the digest is still valid, and no change of rows needs
/// to be recorded. A page that continues this one inherits its digests.
///
/// Tables on several threads may share a page and request digests at the same time, so
/// locks guard the digests. A column's lock is taken before those of its pages.
@usableFromInline
package final class PageDigests: Sendable {
  /// The known digests of a page.
  private struct Rows: Sendable {
    /// The live slots at the time when the tree was made.
    var live = LiveBits()
    var tree = DigestTree(height: DigestTree.pageHeight)
  }

  private let rows: Mutex<Rows>
  /// The known digests of the column whose first page this is.
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

  /// Returns the initial digests of a page that continues this one.
  @usableFromInline
  func successor() -> PageDigests {
    let rows = rows.withLock { $0 }
    return PageDigests(rows, column.withLock { $0.withoutFirst })
  }

  /// Returns the digests of a page's blocks for the given live slots.
  ///
  /// It computes the digests of changed chunks again.
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

  /// Passes the known digests of the column to the body.
  @usableFromInline
  func withColumn(
    _ body: (inout ColumnDigests) -> SHA256.Digest?
  ) -> SHA256.Digest? {
    column.withLock { body(&$0) }
  }
}

extension Page {
  /// The address of the page's ``PageDigests``, which the page retains; 0 before first
  /// use.
  ///
  /// It is the third field of the header and is set once: by the code that makes the
  /// page, or by the first thread that requests digests. An `Atomic` has the layout of
  /// its value.
  @inlinable
  var digestsAddress: UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(filledWords + LiveBits.slotCount / UInt64.bitWidth)
      .assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// The page's digests; `nil` before first use.
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

  /// The page's digests, which are made on first use.
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

  /// Inherits the digests of the page that this one continues.
  ///
  /// Nothing else may hold this page yet.
  @inlinable
  func inheritDigests(of other: Page) {
    guard let known = other.knownDigests else { return }
    let address = UInt(bitPattern: Unmanaged.passRetained(known.successor()).toOpaque())
    digestsAddress.pointee.store(address, ordering: .releasing)
  }

  /// Releases the digests; nothing else holds the page any more.
  @inlinable
  func releaseDigests() {
    let address = digestsAddress.pointee.load(ordering: .acquiring)
    if let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<PageDigests>.fromOpaque(pointer).release()
    }
  }
}

extension Page {
  /// The mark that shows whether the page has changed.
  @inlinable
  var digestMark: ColumnDigests.Mark {
    let address = digestsAddress.pointee.load(ordering: .acquiring)
    return withUnsafeMutablePointerToHeader { header in
      ColumnDigests.Mark(
        address: address, stored: header.pointee.stored, count: header.pointee.count)
    }
  }

  /// Returns the digests of the blocks of 1,024 counters that have rows here.
  ///
  /// - Complexity: O(rows of the chunks that have changed since).
  @inlinable
  func blockDigests() -> DigestTree.Level {
    digests.blocks(of: live) { chunkDigests(of: $0) }
  }

  /// Returns the digests of the chunks that contain the given slots.
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

  /// Returns the digest of a chunk's rows: the counters, then each key and payload
  /// relative to the ones before, as in a column without other rows.
  ///
  /// The encoding is unambiguous, so different rows have different bytes.
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
