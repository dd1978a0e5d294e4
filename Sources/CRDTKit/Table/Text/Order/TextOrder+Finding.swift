extension TextOrder {
  /// An element that isn't dead.
  struct Location {
    let position: SpanTree.Position
    let span: SpanTree.Span
    /// The number of elements before it in its span.
    let index: Int
    /// The size of the text before it.
    let before: TextSize

    var element: SpanTree.Element {
      SpanTree.Element(
        replica: span.first.replica, counter: span.first.counter &+ UInt64(index))
    }
  }

  /// Returns the element that contains an offset: the last one that begins at the offset
  /// or before; `nil` from the end of the text on.
  ///
  /// An offset in lines is that of the line feed that many lines after the first one.
  func location(
    of offset: Int, in unit: TextUnit, _ elements: some TextElements
  ) -> Location? {
    guard offset >= 0, let (position, before) = tree.find(offset, in: unit) else { return nil }
    let span = tree[position]
    if span.isASCII, unit != .lines {
      let index = offset &- before[unit]
      let size = before + size(of: span, upTo: index, in: elements)
      return Location(position: position, span: span, index: index, before: size)
    }
    guard let (page, slot) = elements.textElement(at: dot(span.first)) else { return nil }
    return page.withText(of: slot..<slot &+ span.count) { text in
      var (size, index, place) = (before, 0, 0)
      while place < text.count {
        let length = text[place].scalarLength
        let scalar = TextSize(
          of: UnsafeBufferPointer(rebasing: text[place..<place &+ length]))
        if size[unit] &+ scalar[unit] > offset { break }
        size += scalar
        index &+= 1
        place &+= length
      }
      return Location(position: position, span: span, index: index, before: size)
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

  /// Calls the body with the spans of a text, in order.
  ///
  /// - Complexity: O(n) for n spans.
  func forEachSpan(ofTextAt start: Dot, _ body: (SpanTree.Span) -> Void) {
    guard let first = elementIfKnown(ofStart: start) else { return }
    var position = tree.find(first).flatMap { tree.position(after: $0) }
    while let here = position, case let span = tree[here], !span.isStart {
      body(span)
      position = tree.position(after: here)
    }
  }

  /// Returns the anchor for what is inserted into a text at an offset in UTF-8.
  func anchorOfInsertion(
    at offset: Int, inTextAt start: Dot, in elements: some TextElements
  ) -> TextAnchor {
    guard let first = elementIfKnown(ofStart: start) else {
      return .right(of: start, before: .none)
    }
    var left = first
    var position = tree.find(first)
    if offset > 0, starts.count == 1 || offset > range(ofTextAt: start).lower.utf8 {
      guard let found = location(of: offset &- 1, in: .utf8, elements) else {
        return .right(of: start, before: .none)
      }
      left = found.element
      if found.index &+ 1 < found.span.count {
        return .left(of: dot(Element(replica: left.replica, counter: left.counter &+ 1)))
      }
      position = found.position
    }
    guard let next = position.flatMap({ tree.position(after: $0) }), case let span = tree[next],
      !span.isStart
    else { return .right(of: dot(left), before: .none) }
    if span.leftOrigin == left { return .left(of: dot(span.first)) }
    return .right(of: dot(left), before: dot(span.first))
  }

  /// Calls the body with the living elements between two offsets in UTF-8, in pieces of
  /// spans.
  func forEachPiece(
    in range: Range<Int>, of elements: some TextElements,
    _ body: (_ first: Element, _ count: Int) -> Void
  ) {
    guard !range.isEmpty, let start = location(of: range.lowerBound, in: .utf8, elements),
      let end = location(of: range.upperBound &- 1, in: .utf8, elements)
    else { return }
    var position: SpanTree.Position? = start.position
    var index = start.index
    while let here = position {
      let span = tree[here]
      let last = here == end.position ? end.index &+ 1 : span.count
      if !span.isDead {
        body(
          Element(replica: span.first.replica, counter: span.first.counter &+ UInt64(index)),
          last &- index)
      }
      if here == end.position { return }
      index = 0
      position = tree.position(after: here)
    }
  }

  /// Returns the text between two offsets in UTF-8.
  func text(in range: Range<Int>, of elements: some TextElements) -> String {
    String(unsafeUninitializedCapacity: range.count) { buffer in
      var count = 0
      forEachPiece(in: range, of: elements) { first, length in
        guard let (page, slot) = elements.textElement(at: dot(first)) else { return }
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
  /// Follows an insertion: places the elements of consecutive events.
  mutating func insert<Key, Payload>(
    _ first: Dot, count: Int, in table: DotTable<Key, Payload>
  ) {
    var (counter, left) = (first.counter, count)
    while left > 0 {
      guard let (page, slot) = table.textElement(at: Dot(first.replica, counter)) else { return }
      let part = min(left, TextPage.slotCount &- slot)
      place(TextPiece(page, slot..<slot &+ part, isDead: false), in: table)
      note(page)
      counter &+= UInt64(part)
      left &-= part
    }
  }

  /// Records the present state of a page.
  mutating func note(_ page: TextPage) {
    let number = Int(number(of: page.replica))
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
