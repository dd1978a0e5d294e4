/// The layout of an inner node: its parent, the number of its children, their numbers, and
/// their sizes.
///
/// All are words in one row, so that one look-up leads to all.
enum InnerRow: ArenaRow {
  static var width: Int { sizes &+ 4 &* maxCapacity }
  static var shift: Int { 4 }
  static var filler: Int { 0 }

  static var maxCapacity: Int { 32 }
  /// The place of the number of the parent, or of `noNode`.
  static var parent: Int { 0 }
  static var count: Int { 1 }
  /// Where the numbers of the children start.
  static var children: Int { 2 }
  /// Where the sizes start, each of which is four words in the order of `TextUnit`.
  static var sizes: Int { children &+ maxCapacity }

  /// Returns the slot of a child.
  ///
  /// It searches from the end, where the child is while a tree is built.
  @inline(__always)
  static func slot(of node: UInt32, in row: UnsafeBufferPointer<Int>) -> Int {
    var place = children &+ row[count] &- 1
    let node = Int(node)
    while row[place] != node { place &-= 1 }
    return place &- children
  }

  @inline(__always)
  static func size(_ slot: Int, in row: UnsafeBufferPointer<Int>) -> TextSize {
    let place = sizes &+ 4 &* slot
    return TextSize(
      scalars: row[place], utf16: row[place &+ 1], utf8: row[place &+ 2], lines: row[place &+ 3]
    )
  }

  @inline(__always)
  static func setSize(
    _ size: TextSize, at slot: Int, in row: UnsafeMutableBufferPointer<Int>
  ) {
    let place = sizes &+ 4 &* slot
    row[place] = size.scalars
    row[place &+ 1] = size.utf16
    row[place &+ 2] = size.utf8
    row[place &+ 3] = size.lines
  }

  /// Adds to the size of a child, and returns the number of the parent.
  @inline(__always)
  static func grow(
    _ node: UInt32, by change: TextSize, in row: UnsafeMutableBufferPointer<Int>
  ) -> UInt32 {
    let slot = slot(of: node, in: UnsafeBufferPointer(row))
    setSize(size(slot, in: UnsafeBufferPointer(row)) + change, at: slot, in: row)
    return UInt32(truncatingIfNeeded: row[parent])
  }

  /// Puts a child before a slot.
  static func insert(
    _ child: UInt32, size: TextSize, at slot: Int, in row: UnsafeMutableBufferPointer<Int>
  ) {
    let end = row[count]
    var place = end
    while place > slot {
      row[children &+ place] = row[children &+ place &- 1]
      setSize(self.size(place &- 1, in: UnsafeBufferPointer(row)), at: place, in: row)
      place &-= 1
    }
    row[children &+ slot] = Int(child)
    setSize(size, at: slot, in: row)
    row[count] = end &+ 1
  }
}

/// The layout of a leaf: its spans.
enum LeafRow: ArenaRow {
  static var width: Int { 32 }
  static var shift: Int { 6 }
  static var filler: PackedSpan { PackedSpan() }
}

/// What the tree keeps of a leaf besides its spans.
enum LeafHeader: ArenaRow {
  struct Slot: BitwiseCopyable, Sendable {
    /// The number of an inner node, or `noNode` for the root.
    var parent: UInt32
    var count: UInt32
  }

  static var width: Int { 1 }
  static var shift: Int { 10 }
  static var filler: Slot { Slot(parent: SpanTree.noNode, count: 0) }
}
