extension TextOrder {
  /// Returns the span before which a child of an element stands that has children on that
  /// side already; `nil` for the end.
  ///
  /// All elements with the same left origin are right children of it, left children of
  /// those, and so on. They stand in the order in which a tree is listed that has the
  /// right children as roots and lists a node after its left children. So the first
  /// element below each node is known when the node is reached.
  ///
  /// - Complexity: O(n log n) for n spans between the left origin and the new element.
  mutating func placeAmongSiblings(
    after leftOrigin: Element, _ anchor: TextAnchor, _ dot: Dot, in elements: some TextElements
  ) -> SpanTree.Position? {
    let origin = tree.find(leftOrigin)
    // Where the elements begin that stand below an element on its left side.
    var starts: [Dot: SpanTree.Position] = [:]
    var position = origin.flatMap { tree.position(after: $0) }
    while let here = position {
      searched &+= 1
      let span = tree[here]
      if span.leftOrigin == leftOrigin {
        let head = self.dot(span.first)
        if anchor.isLeft, head == anchor.parent { return here }
        let first = starts.removeValue(forKey: head) ?? here
        guard let other = elements.anchor(of: head) else { return here }
        if other.isLeft {
          if anchor.isLeft, other.parent == anchor.parent, dot < head { return first }
          if starts[other.parent] == nil { starts[other.parent] = first }
        } else if !anchor.isLeft, isBefore(anchor, dot, sibling: other, head) {
          return first
        }
      } else if let origin, isOutside(span, of: origin) {
        return here
      }
      position = tree.position(after: here)
    }
    return nil
  }

  /// Returns whether a span does not descend on the right side from the element at which a
  /// span ends: its left origin stands before that element.
  private func isOutside(_ span: SpanTree.Span, of origin: SpanTree.Position) -> Bool {
    guard let other = span.leftOrigin else { return true }
    guard let position = tree.find(other) else { return true }
    return position == origin || tree.isBefore(position, origin)
  }

  /// Returns whether a right child stands before another one of the same parent.
  private func isBefore(
    _ anchor: TextAnchor, _ dot: Dot, sibling other: TextAnchor, _ otherDot: Dot
  ) -> Bool {
    guard anchor.rightOrigin != other.rightOrigin else { return dot < otherDot }
    let mine = place(of: anchor.rightOrigin)
    let theirs = place(of: other.rightOrigin)
    switch (mine, theirs) {
    case (nil, nil): return dot < otherDot
    case (nil, _): return true
    case (_, nil): return false
    case (let mine?, let theirs?):
      if mine.position == theirs.position { return mine.index > theirs.index }
      return tree.isBefore(theirs.position, mine.position)
    }
  }

  /// Returns where a right origin stands; `nil` for the end, also if the order has no such
  /// element.
  private func place(of dot: Dot) -> (position: SpanTree.Position, index: UInt64)? {
    guard !dot.isNone, let element = element(dot), let position = tree.find(element) else {
      return nil
    }
    return (position, element.counter &- tree[position].first.counter)
  }
}
