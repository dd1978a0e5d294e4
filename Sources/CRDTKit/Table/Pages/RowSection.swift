/// A part of a column's rows that is encoded independently of the others.
///
/// A section consists of whole blocks of 1,024 counters with up to 1,024 rows together.
/// The rows alone determine the sections.
@frozen
@usableFromInline
struct RowSection {
  /// The last counter of its last block.
  @usableFromInline let end: UInt64
  @usableFromInline let count: Int

  /// Pages of rows of any type have the same blocks.
  private typealias Blocks = Page<NoPayload, NoPayload>

  /// Returns the sections of the rows at the given counters; empty if one section holds
  /// them all.
  ///
  /// - Complexity: O(number of runs + number of blocks with rows).
  @usableFromInline
  static func sections(of runs: CounterRuns) -> ContiguousArray<RowSection> {
    var sections: ContiguousArray<RowSection> = []
    guard runs.count > LiveBits.slotCount else { return sections }
    var block = RowSection(end: 0, count: 0)
    for run in runs.runs {
      var counter = run.lowerBound
      while counter <= run.upperBound {
        let end = Blocks.blockStart(of: counter) + Blocks.blockSize - 1
        if end != block.end {
          block.join(&sections)
          block = RowSection(end: end, count: 0)
        }
        let last = min(run.upperBound, end)
        block = RowSection(end: end, count: block.count + Int(last - counter + 1))
        counter = last + 1
      }
    }
    block.join(&sections)
    return sections
  }

  private func join(_ sections: inout ContiguousArray<RowSection>) {
    guard count > 0 else { return }
    guard let last = sections.last, last.count + count <= LiveBits.slotCount else {
      return sections.append(self)
    }
    sections[sections.count - 1] = RowSection(end: end, count: last.count + count)
  }
}

extension RowSection {
  /// Writes the length of each section, except the last, before its rows, while the rows
  /// are encoded one after another.
  @frozen
  @usableFromInline
  struct Encoding {
    @usableFromInline let sections: ContiguousArray<RowSection>
    /// The index of the next section.
    @usableFromInline var next = 0
    /// The number of rows still to come in the current section.
    @usableFromInline var left = 0
    @usableFromInline var start = 0
    /// The memory of the sections, or, within a section, the memory of the surrounding
    /// writer.
    @usableFromInline var memory: CodingMemory?

    @inlinable
    init(_ sections: ContiguousArray<RowSection>) {
      self.sections = sections
    }

    /// Advances to the next row; returns whether it is the first of a section.
    @inlinable
    @inline(__always)
    mutating func advance(_ writer: inout ByteWriter) -> Bool {
      if left > 0 {
        left &-= 1
        return false
      }
      beginSection(&writer)
      return true
    }

    @usableFromInline
    mutating func beginSection(_ writer: inout ByteWriter) {
      if next > 0 {
        writer.insert(varint: UInt64(writer.count - start), at: start)
        swap(&writer.memory, &memory)
      }
      guard next < sections.count else {
        left = .max
        return
      }
      left = sections[next].count - 1
      next += 1
      guard next < sections.count else { return }
      start = writer.count
      swap(&writer.memory, &memory)
      writer.memory?.forget()
    }
  }
}

/// A cursor over a column's live rows, in order.
@frozen
@usableFromInline
struct RowCursor<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable> {
  @usableFromInline let column: Column<Key, Payload>
  @usableFromInline var pageSlot = 0
  @usableFromInline var slot = -1

  @inlinable
  init(_ column: Column<Key, Payload>) {
    self.column = column
  }

  /// Advances to the next row; returns whether there is one.
  @inlinable
  mutating func advance() -> Bool {
    while pageSlot < column.pageSlots.count {
      slot = column.pageSlots[pageSlot].page.live.next(from: slot &+ 1)
      if slot < LiveBits.slotCount { return true }
      pageSlot &+= 1
      slot = -1
    }
    return false
  }

  /// Advances to the end of the page if another cursor is at the beginning of the same
  /// page; returns whether it did.
  @inlinable
  mutating func skipPage(sharedWith other: RowCursor) -> Bool {
    let page = column.pageSlots[pageSlot].page
    guard page === other.column.pageSlots[other.pageSlot].page, slot == other.slot else {
      return false
    }
    skipPage()
    return true
  }

  /// Advances to the end of the page.
  @inlinable
  mutating func skipPage() {
    slot = LiveBits.slotCount &- 1
  }

  /// The counter of the row.
  @inlinable
  var counter: UInt64 { column.pageSlots[pageSlot].page.counter(at: slot) }

  /// The row.
  @inlinable
  var row: Row<Key, Payload> { column.pageSlots[pageSlot].page.row(at: slot) }
}
