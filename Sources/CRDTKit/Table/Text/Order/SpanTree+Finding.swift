extension SpanTree {
  package func position(after position: Position) -> Position? {
    if position.index + 1 < spanCount(of: position.leaf) {
      return Position(leaf: position.leaf, index: position.index + 1)
    }
    let next = leaf(after: position.leaf)
    return next == Self.noNode ? nil : Position(leaf: next, index: 0)
  }

  package func position(before position: Position) -> Position? {
    if position.index > 0 {
      return Position(leaf: position.leaf, index: position.index - 1)
    }
    let previous = leaf(before: position.leaf)
    return previous == Self.noNode
      ? nil : Position(leaf: previous, index: spanCount(of: previous) - 1)
  }

  /// Returns the position of the span that contains an element.
  ///
  /// - Complexity: O(log `spanCount`)
  package func find(_ element: Element) -> Position? {
    if let index = recent.index, leaves[recent.leaf, index].contains(element) {
      return Position(leaf: recent.leaf, index: index)
    }
    guard let (leaf, counter) = elements.find(element) else { return nil }
    return leaves.read(leaf) { spans in
      // The map says that the span is there, so its number of spans need not be read.
      for index in 0..<spans.count
      where spans[index].counter == counter && spans[index].replica == element.replica {
        return element.counter &- counter < spans[index].count
          ? Position(leaf: leaf, index: index) : nil
      }
      preconditionFailure("the element map leads to a leaf without the span")
    }
  }

  /// Returns the living span with the character at an offset, and the size of the text
  /// before that span.
  ///
  /// Lines are counted by line feeds: offset 0 is the first line feed.
  ///
  /// - Complexity: O(log `spanCount`)
  package func find(
    _ offset: Int, in unit: TextUnit
  ) -> (position: Position, before: TextSize)? {
    precondition(offset >= 0, "the offset \(offset) is negative")
    guard offset < size[unit] else { return nil }
    var skipped = TextSize.zero
    if recent.isSizeKnown, offset >= recent.before[unit] {
      if let found = findRecent(offset, in: unit) { return found }
      // It is after the recent leaf, where the inner nodes lack the growth of that.
      skipped = recent.growth
    }
    guard let (position, before) = search(offset - skipped[unit], in: unit) else { return nil }
    return (position, before + skipped)
  }

  /// Searches the leaf that was changed last.
  @inline(__always)
  private func findRecent(
    _ offset: Int, in unit: TextUnit
  ) -> (position: Position, before: TextSize)? {
    var (index, before) = (0, recent.before)
    if let known = recent.index {
      (index, before) = (known, recent.beforeSpan)
      // Most often it is in this span or not far before it.
      while offset < before[unit], index > 0 {
        index &-= 1
        before -= TextSize(leaves[recent.leaf, index].size)
      }
    }
    return search(
      offset, in: unit, spans: index..<spanCount(of: recent.leaf), of: recent.leaf, from: before)
  }

  /// Searches the tree from the root, by the sizes that the inner nodes have.
  private func search(
    _ offset: Int, in unit: TextUnit
  ) -> (position: Position, before: TextSize)? {
    var before = TextSize.zero
    var rest = offset
    var node = root
    for _ in 0..<height {
      node = innerNodes.read(node) { row in
        var slot = 0
        while true {
          let next = row[InnerRow.sizes &+ 4 &* slot &+ unit.rawValue]
          guard rest >= next else { break }
          rest &-= next
          before += InnerRow.size(slot, in: row)
          slot &+= 1
        }
        return UInt32(truncatingIfNeeded: row[InnerRow.children &+ slot])
      }
    }
    // The offset is in this leaf, so the unused slots are not reached.
    return search(offset, in: unit, spans: 0..<leafCapacity, of: node, from: before)
  }

  /// Searches spans of a leaf, before which there is text of a size that is not past the
  /// offset.
  @inline(__always)
  private func search(
    _ offset: Int, in unit: TextUnit, spans range: Range<Int>, of leaf: UInt32,
    from before: TextSize
  ) -> (position: Position, before: TextSize)? {
    leaves.read(leaf) { spans in
      var rest = offset &- before[unit]
      var sum = PackedSpan.Sum()
      for index in range {
        let size = spans[index].size
        let next = size[unit]
        if rest < next { return (Position(leaf: leaf, index: index), before + sum.size) }
        rest &-= next
        sum.add(size)
      }
      return nil
    }
  }

  /// Returns the size of the living text before a span.
  ///
  /// - Complexity: O(log `spanCount`)
  package func size(before position: Position) -> TextSize {
    let inLeaf = leaves.read(position.leaf) { spans in
      var sum = PackedSpan.Sum()
      for index in 0..<position.index { sum.add(spans[index].size) }
      return sum.size
    }
    return inLeaf + size(beforeLeaf: position.leaf)
  }

  func size(beforeLeaf leaf: UInt32) -> TextSize {
    var size = TextSize.zero
    if recent.isSizeKnown {
      if recent.leaf == leaf { return recent.before }
      if recent.growth != .zero, isLeaf(recent.leaf, before: leaf) { size = recent.growth }
    }
    var node = leaf
    var parent = leafHeaders[leaf, 0].parent
    while parent != Self.noNode {
      let next = innerNodes.read(parent) { row in
        for slot in 0..<InnerRow.slot(of: node, in: row) {
          size += InnerRow.size(slot, in: row)
        }
        return UInt32(truncatingIfNeeded: row[InnerRow.parent])
      }
      node = parent
      parent = next
    }
    return size
  }

  /// Returns whether a span stands before another one in the order.
  ///
  /// - Complexity: O(log `spanCount`)
  package func isBefore(_ a: Position, _ b: Position) -> Bool {
    a.leaf == b.leaf ? a.slot < b.slot : isLeaf(a.leaf, before: b.leaf)
  }

  private func isLeaf(_ a: UInt32, before b: UInt32) -> Bool {
    var (left, right) = (a, b)
    var parents = (leafHeaders[left, 0].parent, leafHeaders[right, 0].parent)
    // All leaves are on one level, so both paths reach the common node at the same time.
    while parents.0 != parents.1 {
      (left, right) = parents
      parents = (innerParent(of: left), innerParent(of: right))
    }
    return slot(of: left, in: parents.0) < slot(of: right, in: parents.0)
  }

  @inline(__always)
  func slot(of node: UInt32, in parent: UInt32) -> Int {
    innerNodes.read(parent) { InnerRow.slot(of: node, in: $0) }
  }

  func childCount(of node: UInt32) -> Int { innerNodes[node, InnerRow.count] }

  func childNumber(_ slot: Int, of node: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: innerNodes[node, InnerRow.children &+ slot])
  }

  func innerParent(of node: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: innerNodes[node, InnerRow.parent])
  }

  /// Returns the next leaf, or `noNode`.
  func leaf(after leaf: UInt32) -> UInt32 {
    guard leaf != lastLeaf else { return Self.noNode }
    var node = leaf
    var parent = leafHeaders[leaf, 0].parent
    var levels = 0
    while true {
      let next = slot(of: node, in: parent) + 1
      if next < childCount(of: parent) {
        node = childNumber(next, of: parent)
        break
      }
      node = parent
      parent = innerParent(of: node)
      levels += 1
    }
    for _ in 0..<levels { node = childNumber(0, of: node) }
    return node
  }

  /// Returns the previous leaf, or `noNode`.
  func leaf(before leaf: UInt32) -> UInt32 {
    guard leaf != firstLeaf else { return Self.noNode }
    var node = leaf
    var parent = leafHeaders[leaf, 0].parent
    var levels = 0
    while true {
      let slot = slot(of: node, in: parent)
      if slot > 0 {
        node = childNumber(slot - 1, of: parent)
        break
      }
      node = parent
      parent = innerParent(of: node)
      levels += 1
    }
    for _ in 0..<levels { node = childNumber(childCount(of: node) - 1, of: node) }
    return node
  }
}
