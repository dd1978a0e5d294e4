extension SpanTree {
  /// Traps if the nodes, their sums, their parents or the element map are wrong.
  ///
  /// - Complexity: O(`spanCount`)
  func checkInvariants() {
    checkRecent()
    var settled = self
    settled.settle()
    settled.checkNodes()
  }

  private func checkRecent() {
    guard recent.isSizeKnown else {
      return precondition(recent.growth == .zero && recent.index == nil)
    }
    var settled = self
    settled.settle()
    settled.recent = Recent()
    let before = settled.size(beforeLeaf: recent.leaf)
    precondition(recent.before == before, "\(recent.before) before the recent leaf, not \(before)")
    guard let index = recent.index else { return }
    let beforeSpan = settled.size(before: Position(leaf: recent.leaf, index: index))
    precondition(recent.beforeSpan == beforeSpan, "the size before the recent span")
  }

  private func checkNodes() {
    guard root != Self.noNode else {
      precondition(spanCount == 0 && size == .zero && height == 0)
      precondition(leaves.rowCount == 0 && innerNodes.rowCount == 0)
      return
    }
    var nodes: [(node: UInt32, size: TextSize, parent: UInt32)] = [(root, size, Self.noNode)]
    var innerCount = 0
    for _ in 0..<height {
      innerCount += nodes.count
      nodes = nodes.flatMap { checkInnerNode($0.node, size: $0.size, parent: $0.parent) }
    }
    precondition(innerCount == innerNodes.rowCount, "\(innerCount) inner nodes are reachable")
    precondition(nodes.count == leaves.rowCount, "\(nodes.count) leaves are reachable")
    precondition(nodes.first?.node == firstLeaf && nodes.last?.node == lastLeaf)
    var count = 0
    for (leaf, size, parent) in nodes {
      count += checkLeaf(leaf, size: size, parent: parent)
    }
    precondition(count == spanCount, "\(count) spans, not \(spanCount)")
    let entries = elements.replicas.lazy.flatMap(\.items).flatMap(\.value.items)
      .map(\.value.count).reduce(0, +)
    precondition(entries == spanCount, "\(entries) entries of \(spanCount) spans")
  }

  private func checkInnerNode(
    _ node: UInt32, size: TextSize, parent: UInt32
  ) -> [(node: UInt32, size: TextSize, parent: UInt32)] {
    let count = childCount(of: node)
    precondition(innerParent(of: node) == parent, "the parent of inner node \(node)")
    precondition(count > 0 && count <= innerCapacity, "\(count) children")
    let result = (0..<count).map { slot in
      (childNumber(slot, of: node), innerNodes.read(node) { InnerRow.size(slot, in: $0) }, node)
    }
    let sum = result.reduce(TextSize.zero) { $0 + $1.1 }
    precondition(sum == size, "inner node \(node) has \(sum), not \(size)")
    return result
  }

  private func checkLeaf(_ leaf: UInt32, size: TextSize, parent: UInt32) -> Int {
    let count = spanCount(of: leaf)
    precondition(leafHeaders[leaf, 0].parent == parent, "the parent of leaf \(leaf)")
    precondition(count > 0 && count <= leafCapacity, "\(count) spans in a leaf")
    var sum = TextSize.zero
    for index in 0..<count {
      let span = leaves[leaf, index]
      sum += TextSize(span.size)
      precondition(TextSize(span.size).scalars == (span.isDead ? 0 : span.count))
      let position = Position(leaf: leaf, index: index)
      precondition(find(span.first) == position, "\(span.first) is not found")
      precondition(find(span.last) == position, "\(span.last) is not found")
    }
    precondition(sum == size, "leaf \(leaf) has \(sum), not \(size)")
    return count
  }
}
