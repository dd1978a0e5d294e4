public import Synchronization

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
