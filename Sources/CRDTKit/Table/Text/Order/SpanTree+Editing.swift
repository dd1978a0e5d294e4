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
    noteChange(in: place.leaf, growth: span.size)
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
    noteChange(in: place.leaf)
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
    let isSame = recent.leaf == position.leaf && recent.index == index
    noteChange(in: position.leaf, growth: size)
    if recent.isSizeKnown {
      if !isSame { recent.beforeSpan = self.size(before: position) }
      recent.index = index
    }
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
    noteChange(in: position.leaf, growth: .zero - size)
    var result = position
    if let next = self.position(after: result), let joined = join(result, next) {
      result = joined
    }
    if let previous = self.position(before: result), let joined = join(previous, result) {
      result = joined
    }
    return result
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
    noteChange(in: position.leaf, growth: size)
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
    recent.index = nil
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

  /// Notes that a leaf has changed, and by how much its size has grown.
  @inline(__always)
  private mutating func noteChange(in leaf: UInt32, growth: TextSize = .zero) {
    size += growth
    guard recent.leaf == leaf else {
      settle()
      recent = Recent(leaf: leaf)
      if growth != .zero { grow(leaf, by: growth) }
      return
    }
    recent.index = nil
    if !recent.isSizeKnown {
      recent.before = size(beforeLeaf: leaf)
      recent.isSizeKnown = true
    }
    recent.growth += growth
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
