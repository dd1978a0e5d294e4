extension SpanTree {
  /// Inserts a span, without joining it with its neighbours.
  ///
  /// - Parameters:
  ///   - span: The span, none of whose elements is in the tree.
  ///   - next: The span before which it shall stand, or `nil` for the end.
  /// - Returns: The position of the new span.
  /// - Complexity: O(log `spanCount`)
  @discardableResult
  package mutating func insert(_ span: Span, before next: Position?) -> Position {
    Self.check(span)
    var place: Position
    if let next {
      precondition(next.index < spanCount(of: next.leaf), "the position is not valid")
      place = makeRoom(at: next)
    } else {
      place = makeRoomAtEnd()
    }
    put(PackedSpan(span), at: place)
    noteChange(at: place, growth: span.size)
    return place
  }

  /// Inserts a span at the end.
  ///
  /// A tree that is built by this has full leaves.
  package mutating func append(_ span: Span) {
    insert(span, before: nil)
  }

  /// Divides a span in two.
  ///
  /// The left origin of the second part is the last element of the first one.
  ///
  /// - Parameters:
  ///   - position: The position of the span.
  ///   - count: The number of elements of the first part.
  ///   - size: The size of the first part; zero if the span is dead.
  /// - Returns: The position of the second part.
  /// - Complexity: O(log `spanCount`)
  @discardableResult
  package mutating func split(
    _ position: Position, at count: Int, size: TextSize
  ) -> Position {
    var span = Span(leaves[position.leaf, position.index])
    precondition(count > 0 && count < span.count, "\(count) does not divide the span")
    let place = makeRoom(at: position)
    let second = Span(
      first: Element(replica: span.first.replica, counter: span.first.counter + UInt64(count)),
      count: span.count - count, isDead: span.isDead,
      leftOrigin: Element(
        replica: span.first.replica, counter: span.first.counter + UInt64(count) - 1
      ),
      size: span.size - size
    )
    span.count = count
    span.size = size
    Self.check(span)
    Self.check(second)
    leaves[place.leaf, place.index] = PackedSpan(span)
    let next = Position(leaf: place.leaf, index: place.index + 1)
    put(PackedSpan(second), at: next)
    noteChange(at: place)
    return next
  }

  /// Lengthens a span at its end.
  ///
  /// - Parameters:
  ///   - position: The position of the span.
  ///   - count: The number of elements that it gets.
  ///   - size: Their size; zero if the span is dead.
  /// - Complexity: O(log `spanCount`)
  package mutating func extend(_ position: Position, by count: Int, size: TextSize) {
    precondition(position.index < spanCount(of: position.leaf), "the position is not valid")
    precondition(count > 0, "a span cannot be extended by \(count) elements")
    let index = position.index
    leaves.update(position.leaf) { spans in
      var span = Span(spans[index])
      span.count += count
      span.size += size
      Self.check(span)
      spans[index].count = span.count
      spans[index].size = PackedSpan.Size(span.size)
    }
    noteChange(at: position, growth: size)
    if recent.isSizeKnown, recent.index != index {
      remember(position, after: self.size(before: position))
    }
  }

  /// Lengthens the living span that was searched last, if it ends with an element after which
  /// no other was inserted; returns whether it has.
  ///
  /// As `extend(_:by:size:)` when a user types.
  mutating func extendRecent(_ last: Element, by count: Int, size: TextSize) -> Bool {
    guard let index = recent.index else { return false }
    let leaf = recent.leaf
    let span = leaves[leaf, index]
    guard !span.isDead, span.last == last else { return false }
    if index &+ 1 < spanCount(of: leaf) {
      if leaves[leaf, index &+ 1].leftOrigin == last { return false }
    } else if leaf != lastLeaf {
      return false
    }
    leaves[leaf, index].count = span.count &+ count
    leaves[leaf, index].size = PackedSpan.Size(TextSize(span.size) + size)
    self.size += size
    recent.growth += size
    return true
  }

  /// Marks the elements of a span as dead, joins the span with its neighbours where that is
  /// possible, and returns the position of the result.
  ///
  /// Two spans that are alone in their leaves stay apart, as no leaf may become empty.
  ///
  /// - Complexity: O(log `spanCount`)
  @discardableResult
  package mutating func setDead(_ position: Position) -> Position {
    precondition(position.index < spanCount(of: position.leaf), "the position is not valid")
    let size = TextSize(leaves[position.leaf, position.index].size)
    leaves[position.leaf, position.index].isDead = true
    leaves[position.leaf, position.index].size = PackedSpan.Size()
    noteChange(at: position, growth: .zero - size)
    var result = position
    if let next = self.position(after: result), let joined = join(result, next) {
      result = joined
    }
    if let previous = self.position(before: result), let joined = join(previous, result) {
      result = joined
    }
    return result
  }

  /// Marks the last elements of a living span, but not all, as dead, if a dead span after it
  /// in its leaf can take them; returns whether it can.
  mutating func killEnd(of position: Position, _ count: Int, size: TextSize) -> Bool {
    let (leaf, index) = (position.leaf, position.index)
    guard index &+ 1 < spanCount(of: leaf) else { return false }
    var span = leaves[leaf, index]
    var next = leaves[leaf, index &+ 1]
    guard next.isDead, span.isContinued(by: next) else { return false }
    let first = next.first
    span.count &-= count
    span.size = PackedSpan.Size(TextSize(span.size) - size)
    next.first.counter &-= UInt64(count)
    next.count &+= count
    next.leftOrigin = span.last
    elements.move(first, to: next.first)
    leaves[leaf, index] = span
    leaves[leaf, index &+ 1] = next
    noteChange(at: position, growth: .zero - size)
    return true
  }

  /// Marks the first elements of a living span, but not all, as dead, if a dead span before
  /// it in its leaf can take them; returns whether it can.
  mutating func killStart(of position: Position, _ count: Int, size: TextSize) -> Bool {
    let (leaf, index) = (position.leaf, position.index)
    guard index > 0 else { return false }
    var span = leaves[leaf, index]
    var previous = leaves[leaf, index &- 1]
    guard previous.isDead, previous.isContinued(by: span) else { return false }
    let first = span.first
    previous.count &+= count
    span.first.counter &+= UInt64(count)
    span.count &-= count
    span.size = PackedSpan.Size(TextSize(span.size) - size)
    span.leftOrigin = previous.last
    elements.move(first, to: span.first)
    leaves[leaf, index &- 1] = previous
    leaves[leaf, index] = span
    noteChange(at: position, growth: .zero - size)
    return true
  }

  /// Marks the first element of a span as one with a left child.
  mutating func noteLeftChild(of position: Position) {
    leaves[position.leaf, position.index].hasLeftChild = true
  }

  /// Marks the elements of a dead span as living, with the given size.
  ///
  /// - Complexity: O(log `spanCount`)
  mutating func setLiving(_ position: Position, size: TextSize) {
    var span = Span(leaves[position.leaf, position.index])
    precondition(span.isDead, "the span is not dead")
    span.isDead = false
    span.size = size
    Self.check(span)
    leaves[position.leaf, position.index] = PackedSpan(span)
    noteChange(at: position, growth: size)
  }

  /// Joins two neighbours, of which the second one has just been marked as dead or both are
  /// dead, and returns their common position; or `nil` if they cannot be joined.
  private mutating func join(_ left: Position, _ right: Position) -> Position? {
    var span = leaves[left.leaf, left.index]
    let next = leaves[right.leaf, right.index]
    guard span.isDead, span.canJoin(next) else { return nil }
    span.count += next.count
    if left.leaf == right.leaf || spanCount(of: right.leaf) > 1 {
      leaves[left.leaf, left.index] = span
      elements.remove(next.first)
      remove(right)
      return left
    }
    guard spanCount(of: left.leaf) > 1 else { return nil }
    leaves[right.leaf, right.index] = span
    elements.remove(next.first)
    elements.move(span.first, to: right.leaf)
    remove(left)
    return right
  }

  /// Removes a span of size zero from its leaf, which has others.
  private mutating func remove(_ position: Position) {
    let count = spanCount(of: position.leaf)
    if recent.leaf == position.leaf, let index = recent.index, index >= position.index {
      recent.index = nil
    }
    leaves.remove(in: position.leaf, at: position.index, count: count)
    leafHeaders[position.leaf, 0].count -= 1
    spanCount -= 1
  }

  private mutating func put(_ span: PackedSpan, at place: Position) {
    let count = spanCount(of: place.leaf)
    leaves.insert(span, in: place.leaf, at: place.index, count: count)
    leafHeaders[place.leaf, 0].count += 1
    spanCount += 1
    elements.insert(span.first, leaf: place.leaf)
  }

  /// Notes that a leaf has changed at a span, and by how much its size has grown.
  @inline(__always)
  private mutating func noteChange(at position: Position, growth: TextSize = .zero) {
    let leaf = position.leaf
    size += growth
    guard recent.leaf == leaf else {
      settle()
      recent = Recent(leaf: leaf)
      if growth != .zero { grow(leaf, by: growth) }
      return
    }
    forgetSpan(after: position)
    if !recent.isSizeKnown {
      recent.before = size(beforeLeaf: leaf)
      recent.isSizeKnown = true
    }
    recent.growth += growth
  }

  /// Notes the size of the text before a span, if it is in the leaf that was changed last.
  @inline(__always)
  mutating func remember(_ position: Position, after before: TextSize) {
    guard recent.isSizeKnown, recent.leaf == position.leaf else { return }
    recent.index = position.index
    recent.beforeSpan = before
  }

  /// Forgets the noted span if it stands after one that is changed.
  @inline(__always)
  private mutating func forgetSpan(after position: Position) {
    if recent.leaf == position.leaf, let index = recent.index, index > position.index {
      recent.index = nil
    }
  }

  /// Adds to the inner nodes what they lack.
  mutating func settle() {
    guard recent.growth != .zero else { return }
    grow(recent.leaf, by: recent.growth)
    recent.growth = .zero
  }

  /// Adds to the size of a leaf in all nodes above it.
  private mutating func grow(_ leaf: UInt32, by change: TextSize) {
    var node = leaf
    var parent = leafHeaders[leaf, 0].parent
    while parent != Self.noNode {
      let next = innerNodes.update(parent) { InnerRow.grow(node, by: change, in: $0) }
      node = parent
      parent = next
    }
  }

  @inline(__always)
  private static func check(_ span: Span) {
    precondition(
      span.count > 0 && span.count <= PackedSpan.maxCount, "a span of \(span.count) elements"
    )
    let counter = span.first.counter
    precondition(
      counter > 0 && counter <= PackedSpan.maxCounter
        && ElementMap.block(of: counter)
          == ElementMap.block(of: counter &+ UInt64(span.count) &- 1),
      "the span from counter \(counter) reaches out of its block"
    )
    let size = span.size
    precondition(
      size.scalars == (span.isDead ? 0 : span.count) && size.utf16 >= 0 && size.utf8 >= 0
        && size.lines >= 0 && size.utf16 <= 2 &* size.scalars
        && size.utf8 <= 4 &* size.scalars && size.lines <= size.scalars,
      "the size does not fit the span"
    )
  }
}
