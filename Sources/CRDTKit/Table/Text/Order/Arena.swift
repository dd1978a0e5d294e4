/// The layout of the rows of an arena.
protocol ArenaRow {
  associatedtype Slot: BitwiseCopyable, Sendable

  /// The number of slots.
  static var width: Int { get }
  /// The binary logarithm of the number of rows of a full chunk.
  static var shift: Int { get }
  /// What fills slots that have never been used.
  static var filler: Slot { get }
}

/// Rows of one width, addressed by number, whose copies share storage.
///
/// The rows are in chunks. A change after a copy copies the references to the chunks, and
/// the one chunk that changes.
///
/// The last row may have fewer slots than the others, so a short text needs little memory.
/// The buffers that `read` and `update` pass have the slots that exist, and must not leave
/// the closure. In a release build they do not check their indices.
struct Arena<Row: ArenaRow>: Sendable {
  typealias Slot = Row.Slot

  private(set) var chunks: ContiguousArray<ContiguousArray<Slot>> = []
  private(set) var rowCount = 0

  @inline(__always)
  private static func place(of row: UInt32) -> (chunk: Int, offset: Int) {
    let row = Int(row)
    return (row &>> Row.shift, (row & (1 &<< Row.shift &- 1)) &* Row.width)
  }

  /// Adds a row, of which some slots exist at once, and returns its number.
  mutating func addRow(slotCount: Int) -> UInt32 {
    precondition(rowCount < Int(UInt32.max), "too many nodes")
    let row = UInt32(rowCount)
    let (chunk, offset) = Self.place(of: row)
    if offset == 0 {
      if chunk > 0 { fill(chunk - 1, to: Row.width &<< Row.shift) }
      chunks.append([])
      if chunk > 0 { chunks[chunk].reserveCapacity(Row.width &<< Row.shift) }
    }
    fill(chunk, to: offset + slotCount)
    rowCount += 1
    return row
  }

  private mutating func fill(_ chunk: Int, to count: Int) {
    let missing = count - chunks[chunk].count
    guard missing > 0 else { return }
    chunks[chunk].append(contentsOf: repeatElement(Row.filler, count: missing))
  }

  subscript(row: UInt32, slot: Int) -> Slot {
    @inline(__always)
    get {
      let (chunk, offset) = Self.place(of: row)
      return chunks[chunk][offset &+ slot]
    }
    @inline(__always)
    _modify {
      let (chunk, offset) = Self.place(of: row)
      yield &chunks[chunk][offset &+ slot]
    }
  }

  @inline(__always)
  func read<Result>(_ row: UInt32, _ body: (UnsafeBufferPointer<Slot>) -> Result) -> Result {
    let (chunk, offset) = Self.place(of: row)
    return chunks[chunk].withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[offset..<min(offset &+ Row.width, $0.count)]))
    }
  }

  @inline(__always)
  mutating func update<Result>(
    _ row: UInt32, _ body: (UnsafeMutableBufferPointer<Slot>) -> Result
  ) -> Result {
    let (chunk, offset) = Self.place(of: row)
    return chunks[chunk].withUnsafeMutableBufferPointer {
      body(
        UnsafeMutableBufferPointer(rebasing: $0[offset..<min(offset &+ Row.width, $0.count)])
      )
    }
  }

  /// Puts a value before the slot at `index`, in a row of which `count` slots are used.
  mutating func insert(_ value: Slot, in row: UInt32, at index: Int, count: Int) {
    assert(index <= count && count < Row.width)
    let (chunk, offset) = Self.place(of: row)
    if chunks[chunk].count == offset &+ count {
      chunks[chunk].append(index == count ? value : Row.filler)
      if index == count { return }
    }
    update(row) { slots in
      var place = count
      while place > index {
        slots[place] = slots[place &- 1]
        place &-= 1
      }
      slots[index] = value
    }
  }

  /// Fills the first slots of a row.
  mutating func append(_ values: ContiguousArray<Slot>.SubSequence, to row: UInt32) {
    let (chunk, offset) = Self.place(of: row)
    assert(chunks[chunk].count == offset)
    chunks[chunk].append(contentsOf: values)
  }

  /// Removes the value at `index` from a row of which `count` slots are used.
  mutating func remove(in row: UInt32, at index: Int, count: Int) {
    update(row) { slots in
      for place in index..<count &- 1 { slots[place] = slots[place &+ 1] }
    }
  }

  /// Copies the values in `range` to the start of another row.
  mutating func copy(_ range: Range<Int>, of row: UInt32, to target: UInt32) {
    let values = read(row) { ContiguousArray($0[range]) }
    let (chunk, offset) = Self.place(of: target)
    fill(chunk, to: offset + values.count)
    update(target) { slots in
      for place in values.indices { slots[place] = values[place] }
    }
  }
}
