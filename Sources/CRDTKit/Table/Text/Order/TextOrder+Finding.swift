extension TextOrder {
  /// An element that isn't dead.
  struct Location {
    let position: SpanTree.Position
    let span: PackedSpan
    /// The number of elements before it in its span.
    let index: Int
    /// The size of the text before it, in the unit that was asked for.
    let before: Int

    var element: SpanTree.Element {
      SpanTree.Element(replica: span.replica, counter: span.counter &+ UInt64(index))
    }
  }

  /// Returns the element that contains an offset: the last one that begins at the offset
  /// or before; `nil` from the end of the text on.
  ///
  /// An offset in lines is that of the line feed that many lines after the first one.
  /// The text before the element is counted in another unit.
  mutating func location(
    of offset: Int, in unit: TextUnit, counting other: TextUnit = .utf8,
    _ elements: some TextElements
  ) -> Location? {
    guard offset >= 0, let (position, before) = tree.find(offset, in: unit) else { return nil }
    tree.remember(position, after: before)
    let span = tree.packed(position)
    if span.isASCII, unit != .lines, other != .lines {
      let index = offset &- before[unit]
      return Location(
        position: position, span: span, index: index, before: before[other] &+ index)
    }
    guard let (page, slot) = elements.textElement(at: dot(span.first)) else { return nil }
    return page.withText(of: slot..<slot &+ span.count) { text in
      var (size, index, place) = (before, 0, 0)
      while place < text.count {
        let scalar = TextSize(ofScalar: text[place])
        if size[unit] &+ scalar[unit] > offset { break }
        size += scalar
        index &+= 1
        place &+= scalar.utf8
      }
      return Location(position: position, span: span, index: index, before: size[other])
    }
  }

  /// Returns where a living element begins, or where the next living one does if it is
  /// dead; `nil` if the order doesn't have it.
  func size(before dot: Dot, in elements: some TextElements) -> TextSize? {
    guard let element = element(dot), let position = tree.find(element) else { return nil }
    let span = tree[position]
    let index = Int(element.counter &- span.first.counter)
    return tree.size(before: position) + size(of: span, upTo: index, in: elements)
  }

  /// Returns where a text is among all of the table, in every unit.
  ///
  /// - Complexity: O(log n) for n spans.
  func range(ofTextAt start: Dot) -> (lower: TextSize, upper: TextSize) {
    if starts.count == 1, start.isNone { return (.zero, tree.size) }
    guard let element = elementIfKnown(ofStart: start), let position = tree.find(element) else {
      return (tree.size, tree.size)
    }
    let next = Element(replica: 0, counter: element.counter &+ 1)
    let end =
      element.counter < starts.count ? tree.find(next).map { tree.size(before: $0) } : nil
    return (tree.size(before: position), end ?? tree.size)
  }

  /// Returns whether an element is one of a text.
  func has(_ dot: Dot, inTextAt start: Dot) -> Bool {
    guard let element = element(dot), let position = tree.find(element) else { return false }
    if starts.count == 1 { return start.isNone }
    guard let first = elementIfKnown(ofStart: start), let begin = tree.find(first),
      tree.isBefore(begin, position)
    else { return false }
    let next = Element(replica: 0, counter: first.counter &+ 1)
    guard next.counter <= UInt64(starts.count), let end = tree.find(next) else { return true }
    return tree.isBefore(position, end)
  }

  /// Returns the start of the text that an element is in.
  ///
  /// - Complexity: O(log n · log t) for n spans and t texts.
  func start(ofTextWith dot: Dot) -> Dot? {
    guard let element = element(dot), let position = tree.find(element) else { return nil }
    let next = starts.indices.partitioningIndex { place in
      let start = tree.find(Element(replica: 0, counter: UInt64(place) &+ 1))
      return start.map { !tree.isBefore($0, position) } ?? true
    }
    return next > 0 ? starts[next - 1] : nil
  }

  /// Calls the body with the spans of a text, in order.
  ///
  /// - Complexity: O(n) for n spans.
  func forEachSpan(ofTextAt start: Dot, _ body: (SpanTree.Span) -> Void) {
    guard let first = elementIfKnown(ofStart: start) else { return }
    var position = tree.find(first).flatMap { tree.position(after: $0) }
    while let here = position, case let span = tree[here], !span.first.isStart {
      body(span)
      position = tree.position(after: here)
    }
  }

  /// Returns the anchor for what is inserted into a text at an offset in UTF-8.
  mutating func anchorOfInsertion(
    at offset: Int, inTextAt start: Dot, in elements: some TextElements
  ) -> TextAnchor {
    guard let first = elementIfKnown(ofStart: start) else {
      return .right(of: start, before: .none)
    }
    var left = first
    var parent = start
    var position = tree.find(first)
    if offset > 0, starts.count == 1 || offset > range(ofTextAt: start).lower.utf8 {
      guard let found = location(of: offset &- 1, in: .utf8, elements) else {
        return .right(of: start, before: .none)
      }
      left = found.element
      parent = dot(found.element)
      if found.index &+ 1 < found.span.count {
        return .left(of: Dot(parent.replica, parent.counter &+ 1))
      }
      position = found.position
    }
    return anchorOfInsertion(after: left, parent, at: position)
  }

  /// Returns whether the element that stands right after the text up to an offset in UTF-8 is
  /// dead.
  mutating func hasDeadElement(at offset: Int, in elements: some TextElements) -> Bool {
    var position = tree.find(Element(replica: 0, counter: 1))
    if offset > 0 {
      guard let found = location(of: offset &- 1, in: .utf8, elements),
        found.index &+ 1 == found.span.count
      else { return false }
      position = found.position
    }
    guard let next = position.flatMap({ tree.position(after: $0) }) else { return false }
    return tree.packed(next).isDead
  }

  /// Returns the anchor for what is inserted right after an element, which may be dead.
  func anchorOfInsertion(after dot: Dot) -> TextAnchor? {
    guard let left = element(dot), let position = tree.find(left) else { return nil }
    if tree[position].last != left { return .left(of: Dot(dot.replica, dot.counter &+ 1)) }
    return anchorOfInsertion(after: left, dot, at: position)
  }

  /// Returns the anchor for what is inserted right before an element, which may be dead.
  func anchorOfInsertion(before dot: Dot) -> TextAnchor? {
    guard let next = element(dot), let position = tree.find(next) else { return nil }
    let span = tree.packed(position)
    guard span.first == next, let before = tree.position(before: position) else {
      return .left(of: dot)
    }
    let left = tree.packed(before).last
    return span.leftOrigin == left ? .left(of: dot) : .right(of: self.dot(left), before: dot)
  }

  /// Returns the anchor for what is inserted after the last element of the span at a position.
  private func anchorOfInsertion(
    after left: Element, _ parent: Dot, at position: SpanTree.Position?
  ) -> TextAnchor {
    guard let next = position.flatMap({ tree.position(after: $0) }),
      case let span = tree.packed(next), !span.first.isStart
    else { return .right(of: parent, before: .none) }
    if span.leftOrigin == left { return .left(of: dot(span.first)) }
    return .right(of: parent, before: dot(span.first))
  }

  /// Calls the body with the living elements between two offsets in UTF-8, in pieces of
  /// spans.
  mutating func forEachPiece(
    in range: Range<Int>, of elements: some TextElements,
    _ body: (_ first: Element, _ count: Int) -> Void
  ) {
    guard !range.isEmpty, let start = location(of: range.lowerBound, in: .utf8, elements),
      let end = range.count == 1
        ? start : location(of: range.upperBound &- 1, in: .utf8, elements)
    else { return }
    var position: SpanTree.Position? = start.position
    var index = start.index
    while let here = position {
      let span = tree.packed(here)
      let last = here == end.position ? end.index &+ 1 : span.count
      if !span.isDead {
        body(
          Element(replica: span.replica, counter: span.counter &+ UInt64(index)),
          last &- index)
      }
      if here == end.position { return }
      index = 0
      position = tree.position(after: here)
    }
  }

  /// Returns the text between two offsets in UTF-8.
  mutating func text(in range: Range<Int>, of elements: some TextElements) -> String {
    let replicas = replicas
    var last: TextPage?
    return String(unsafeUninitializedCapacity: range.count) { buffer in
      var count = 0
      forEachPiece(in: range, of: elements) { first, length in
        let dot = Dot(replicas[Int(first.replica)], first.counter)
        // Neighbours often are of one page.
        if last?.replica != dot.replica || last?.first != TextPage.start(of: dot.counter) {
          last = elements.textElement(at: dot)?.page
        }
        guard let page = last else { return }
        let slot = Int(dot.counter &- page.first)
        page.withText(of: slot..<slot &+ length) { text in
          guard count &+ text.count <= buffer.count else { return }
          _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).initialize(from: text)
          count &+= text.count
        }
      }
      return count
    }
  }
}

extension TextOrder {
  /// Follows an insertion, as of what a user types: lengthens the span that was searched last
  /// by consecutive elements of one page, if the anchor names its end; returns whether it
  /// does.
  mutating func extendRecent(
    _ first: Dot, count: Int, _ text: UnsafeBufferPointer<UInt8>, _ anchor: TextAnchor
  ) -> Bool {
    let last = first.counter &+ UInt64(count) &- 1
    guard !anchor.isLeft, anchor.parent == Dot(first.replica, first.counter &- 1),
      ElementMap.block(of: anchor.parent.counter) == ElementMap.block(of: last),
      let number = number(known: first.replica),
      tree.extendRecent(
        Element(replica: UInt32(number), counter: anchor.parent.counter), by: count,
        size: TextSize(of: text))
    else { return false }
    covered[number] = last
    string = nil
    if anchor.standInCount > 0 { standIns = nil }
    return true
  }

  /// Follows an insertion: places the elements of consecutive events, whose text is given.
  mutating func insert(
    _ first: Dot, count: Int, _ text: UnsafeBufferPointer<UInt8>, in elements: some TextElements
  ) {
    var (counter, left) = (first.counter, count)
    while left > 0 {
      guard let (page, slot) = elements.textElement(at: Dot(first.replica, counter)) else {
        return
      }
      let part = min(left, TextPage.slotCount &- slot)
      var piece = TextPiece(page, slot..<slot &+ part, isDead: false)
      if part == count { piece.knownSize = TextSize(of: text) }
      place(piece, in: elements)
      note(page)
      counter &+= UInt64(part)
      left &-= part
    }
  }

  /// Follows a deletion: marks consecutive elements as dead, which were alive.
  mutating func kill(_ first: Element, count: Int, in elements: some TextElements) {
    string = nil
    let last = first.counter &+ UInt64(count) &- 1
    var element = first
    while element.counter <= last, let position = tree.find(element) {
      let span = tree[position]
      let end = min(span.last.counter, last)
      if !span.isDead {
        killPart(from: element, through: end, of: span, at: position, in: elements)
      }
      element.counter = end &+ 1
    }
  }

  /// Records the present state of a page.
  mutating func note(_ page: TextPage) {
    let number = Int(number(of: page.replica))
    if let last = marks[number].last, last.first == page.first {
      marks[number][marks[number].count &- 1] = page.mark
      return
    }
    let place = marks[number].indices.partitioningIndex {
      marks[number][$0].first >= page.first
    }
    if place < marks[number].count, marks[number][place].first == page.first {
      marks[number][place] = page.mark
    } else {
      marks[number].insert(page.mark, at: place)
    }
  }
}
