extension TextOrderBuilder {
  /// Makes the spans of all that was listed, and their tree.
  mutating func makeSpans() -> SpanTree {
    var spans: ContiguousArray<PackedSpan> = []
    spans.reserveCapacity(2 * listed.count)
    let capacity = LeafRow.width
    var elements = ElementMap()
    var starts: ElementMap.Block = []
    if read != nil, order.starts.count == 1 {
      text.reserveCapacity(pages.reduce(0) { $0 + $1.text.count })
    }
    for place in listed.indices.reversed() {
      let start = spans.count
      append(listed[place], to: &spans)
      listed[place].spans = start..<spans.count
      guard listed[place].run >= runs.count else { continue }
      let counter = spans[start].counter
      starts.append(
        ElementMap.Entry(start: ElementMap.start(of: counter), leaf: UInt32(start / capacity)))
      if counter == UInt64(order.starts.count) || ElementMap.start(of: counter + 1) == 0 {
        elements.append(starts, at: counter, of: 0)
        starts.removeAll()
      }
    }
    for page in pages.indices {
      // Exact, because these blocks stay.
      var count = 0
      forEachListed(of: page) { count += $0.count }
      var block: ElementMap.Block = []
      block.reserveCapacity(count)
      forEachListed(of: page) { part in
        for span in part {
          block.append(
            ElementMap.Entry(
              start: ElementMap.start(of: spans[span].counter), leaf: UInt32(span / capacity)))
        }
      }
      elements.append(block, at: pageStarts[page], of: runs[firstRun[page]].number)
    }
    return SpanTree(spans, elements: elements)
  }

  /// Calls the body with the indices of the spans of a page, in the order of its events.
  private func forEachListed(of page: Int, _ body: (Range<Int>) -> Void) {
    for run in firstRun[page]..<firstRun[page + 1] {
      // What was listed last stands first.
      var place = lastListed[run]
      while place >= 0 {
        body(listed[place].spans)
        place = listed[place].earlier
      }
    }
  }

  /// Adds elements that were listed together, in spans of living and of dead ones.
  private mutating func append(_ part: Listed, to spans: inout ContiguousArray<PackedSpan>) {
    guard part.run < runs.count else {
      let start = UInt64(part.run - runs.count) + 1
      isRead = order.starts[Int(start) - 1] == read
      spans.append(PackedSpan(SpanTree.Span(ofStart: Element(replica: 0, counter: start))))
      return
    }
    let run = runs[part.run]
    let page = pages[run.page]
    var index = part.range.lowerBound
    while index < part.range.upperBound {
      let slot = run.slot + index
      let isDead = page.dead[slot]
      let border = isDead ? page.dead.nextGap(from: slot) : page.dead.next(from: slot)
      let end = min(part.range.upperBound, border - run.slot)
      var span = SpanTree.Span(
        first: run.element(index), count: end - index, isDead: isDead,
        leftOrigin: index > 0 ? run.element(index - 1) : leftOrigins[part.run], size: .zero)
      if !isDead {
        span.size = page.withText(of: slot..<run.slot + end, inRun: run.place) { bytes in
          if isRead { text.append(contentsOf: bytes) }
          return TextSize(of: bytes)
        }
      }
      span.hasLeftChild = part.hasLeftChild && index == part.range.lowerBound
      spans.append(PackedSpan(span))
      index = end
    }
  }
}
