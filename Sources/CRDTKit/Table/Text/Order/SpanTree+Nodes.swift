extension SpanTree {
  /// Creates a tree of spans in their order, with full leaves: span `n` is in leaf
  /// `n / leafCapacity`, and so says the map of their elements.
  init(_ spans: ContiguousArray<PackedSpan>, elements: ElementMap) {
    self.init()
    var nodes: ContiguousArray<(node: UInt32, size: TextSize)> = []
    for start in stride(from: 0, to: spans.count, by: leafCapacity) {
      let part = spans[start..<min(start + leafCapacity, spans.count)]
      let leaf = addLeaf()
      leaves.append(part, to: leaf)
      leafHeaders[leaf, 0].count = UInt32(part.count)
      var sum = PackedSpan.Sum()
      for span in part { sum.add(span.size) }
      nodes.append((leaf, sum.size))
    }
    guard let first = nodes.first, let last = nodes.last else { return }
    (firstLeaf, lastLeaf) = (first.node, last.node)
    while nodes.count > 1 {
      var parents: ContiguousArray<(node: UInt32, size: TextSize)> = []
      for (place, child) in nodes.enumerated() {
        let slot = place % innerCapacity
        if slot == 0 { parents.append((addInnerNode(), .zero)) }
        insertChild(
          child.node, size: child.size, in: parents[parents.count - 1].node, at: slot,
          level: height)
        parents[parents.count - 1].size += child.size
      }
      nodes = parents
      height += 1
    }
    (root, size) = nodes[0]
    spanCount = spans.count
    self.elements = elements
  }

  /// Makes sure that the leaf of a span has room for one more, and returns where the span is
  /// after that.
  mutating func makeRoom(at position: Position) -> Position {
    guard spanCount(of: position.leaf) == leafCapacity else { return position }
    let half = leafCapacity / 2
    let right = divide(position.leaf, at: half)
    return position.index < half
      ? position : Position(leaf: right, index: position.index - half)
  }

  /// Makes sure that the last leaf has room for one more span, and returns the place after
  /// the last one.
  mutating func makeRoomAtEnd() -> Position {
    if lastLeaf == Self.noNode {
      root = addLeaf()
      firstLeaf = root
      lastLeaf = root
    }
    let count = spanCount(of: lastLeaf)
    guard count == leafCapacity else { return Position(leaf: lastLeaf, index: count) }
    return Position(leaf: divide(lastLeaf, at: count), index: 0)
  }

  private mutating func addLeaf() -> UInt32 {
    _ = leafHeaders.addRow(slotCount: 1)
    return leaves.addRow(slotCount: 0)
  }

  private mutating func addInnerNode() -> UInt32 {
    let node = innerNodes.addRow(slotCount: InnerRow.width)
    innerNodes[node, InnerRow.parent] = Int(Self.noNode)
    return node
  }

  /// Moves the spans of a leaf from an index on to a new leaf after it, and returns that.
  ///
  /// The new leaf is empty for a moment if the index is the end.
  private mutating func divide(_ leaf: UInt32, at index: Int) -> UInt32 {
    settle()
    recent.index = nil
    let count = spanCount(of: leaf)
    let right = addLeaf()
    var moved = TextSize.zero
    if index < count {
      leaves.copy(index..<count, of: leaf, to: right)
      for slot in 0..<count - index {
        let span = leaves[right, slot]
        moved += TextSize(span.size)
        elements.move(span.first, to: right)
      }
      leafHeaders[leaf, 0].count = UInt32(index)
      leafHeaders[right, 0].count = UInt32(count - index)
    }
    if leaf == lastLeaf { lastLeaf = right }
    insertNode(right, after: leaf, moved: moved)
    return right
  }

  /// Puts a new leaf into the inner nodes.
  ///
  /// - Parameters:
  ///   - leaf: The new leaf.
  ///   - left: The leaf before it, of which it was a part.
  ///   - moved: The size that it took from that leaf.
  private mutating func insertNode(_ leaf: UInt32, after left: UInt32, moved: TextSize) {
    var (new, left, moved) = (leaf, left, moved)
    // The child of a node on level 0 is a leaf.
    var level = 0
    while level < height {
      let parent = level == 0 ? leafHeaders[left, 0].parent : innerParent(of: left)
      let slot = slot(of: left, in: parent)
      _ = innerNodes.update(parent) { InnerRow.grow(left, by: .zero - moved, in: $0) }
      guard childCount(of: parent) == innerCapacity else {
        return insertChild(new, size: moved, in: parent, at: slot + 1, level: level)
      }
      // A tree that grows at its end keeps its nodes full.
      let half =
        slot + 1 == innerCapacity && isOnRightEdge(parent)
        ? innerCapacity : innerCapacity / 2
      let sibling = addInnerNode()
      var siblingSize = moveChildren(from: half, of: parent, to: sibling, level: level)
      if slot + 1 < half || slot + 1 == half && half < innerCapacity {
        insertChild(new, size: moved, in: parent, at: slot + 1, level: level)
      } else {
        insertChild(new, size: moved, in: sibling, at: slot + 1 - half, level: level)
        siblingSize += moved
      }
      (new, left, moved) = (sibling, parent, siblingSize)
      level += 1
    }
    let oldRoot = left
    root = addInnerNode()
    insertChild(oldRoot, size: size - moved, in: root, at: 0, level: height)
    insertChild(new, size: moved, in: root, at: 1, level: height)
    height += 1
  }

  private func isOnRightEdge(_ node: UInt32) -> Bool {
    var node = node
    while node != root {
      let parent = innerParent(of: node)
      guard slot(of: node, in: parent) + 1 == childCount(of: parent) else { return false }
      node = parent
    }
    return true
  }

  private mutating func insertChild(
    _ child: UInt32, size: TextSize, in parent: UInt32, at slot: Int, level: Int
  ) {
    innerNodes.update(parent) { InnerRow.insert(child, size: size, at: slot, in: $0) }
    setParent(parent, of: child, level: level)
  }

  /// Moves the children of an inner node from a slot on to an empty one, and returns their size.
  private mutating func moveChildren(
    from start: Int, of node: UInt32, to target: UInt32, level: Int
  ) -> TextSize {
    let count = childCount(of: node)
    var moved = TextSize.zero
    for slot in start..<count {
      let child = childNumber(slot, of: node)
      let size = innerNodes.read(node) { InnerRow.size(slot, in: $0) }
      insertChild(child, size: size, in: target, at: slot - start, level: level)
      moved += size
    }
    innerNodes[node, InnerRow.count] = start
    return moved
  }

  private mutating func setParent(_ parent: UInt32, of child: UInt32, level: Int) {
    if level == 0 {
      leafHeaders[child, 0].parent = parent
    } else {
      innerNodes[child, InnerRow.parent] = Int(parent)
    }
  }
}
