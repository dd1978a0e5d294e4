/// A part of a column's rows that is written so that it can be read by itself.
///
/// A section takes whole blocks of 1,024 counters, as many as have 1,024 rows together;
/// which sections there are follows from the rows alone.
@frozen
@usableFromInline
struct RowSection {
  /// The last counter of its last block.
  @usableFromInline let end: UInt64
  @usableFromInline let count: Int

  /// Pages of any rows have the same blocks.
  private typealias Blocks = Page<Unit, Unit>

  /// The sections of rows that are born at some counters; empty where all are of one.
  ///
  /// - Complexity: O(number of runs + number of blocks with rows).
  @usableFromInline
  static func sections(of runs: Survivors) -> ContiguousArray<RowSection> {
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
  /// Writes each section's length before it, but for the last one's, while the rows are
  /// written one after another.
  @frozen
  @usableFromInline
  struct Encoding {
    @usableFromInline let sections: ContiguousArray<RowSection>
    /// The place of the section that comes next.
    @usableFromInline var next = 0
    /// How many rows of the section before it are still to come.
    @usableFromInline var left = 0
    @usableFromInline var start = 0
    /// The memory of the sections, or within one that of the writer outside.
    @usableFromInline var memory: CodingMemory?

    @inlinable
    init(_ sections: ContiguousArray<RowSection>) {
      self.sections = sections
    }

    /// Goes on to the next row; says whether it is the first of a section.
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

/// Walks over a column's live rows, in order.
@frozen
@usableFromInline
struct RowCursor<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable> {
  @usableFromInline let column: Column<Key, Payload>
  @usableFromInline var sheet = 0
  @usableFromInline var slot = -1

  @inlinable
  init(_ column: Column<Key, Payload>) {
    self.column = column
  }

  /// Goes on to the next row; says whether there is one.
  @inlinable
  mutating func advance() -> Bool {
    while sheet < column.sheets.count {
      slot = column.sheets[sheet].page.live.next(from: slot &+ 1)
      if slot < LiveBits.slotCount { return true }
      sheet &+= 1
      slot = -1
    }
    return false
  }

  /// Goes to the end of the page if another cursor stands at the beginning of the
  /// same one; says whether it did.
  @inlinable
  mutating func skipPage(sharedWith other: RowCursor) -> Bool {
    let page = column.sheets[sheet].page
    guard page === other.column.sheets[other.sheet].page, slot == other.slot else { return false }
    skipPage()
    return true
  }

  /// Goes to the end of the page.
  @inlinable
  mutating func skipPage() {
    slot = LiveBits.slotCount &- 1
  }

  /// The counter of the row.
  @inlinable
  var counter: UInt64 { column.sheets[sheet].page.counter(at: slot) }

  /// The row.
  @inlinable
  var row: Row<Key, Payload> { column.sheets[sheet].page.row(at: slot) }
}
