extension DotTable {
  /// Removes what is still there of what a step inserted, and puts back what it removed and
  /// nobody has put back.
  ///
  /// What is put back stands before the dead elements, and for them.
  ///
  /// - Returns: What was done, and where, as offsets in UTF-8 among all texts: the place of
  ///   what was put back, or where text was removed; `nil` if there was nothing to do.
  /// - Complexity: O(pages), and O(m log n) for m elements of the step and n of the table.
  mutating func takeBack(
    _ step: TextStep, inTextAt start: Dot, by replica: ReplicaID
  ) -> (done: TextStep, place: Range<Int>)? {
    let before = self
    let missing = missing(of: step, inTextAt: start)
    let own = living(of: step, inTextAt: start)
    if !own.isEmpty { removeElements(own, by: replica) }
    putBack(missing, by: replica)
    let done = textStep(since: before)
    guard !done.isEmpty else { return nil }
    return (done, place(of: done))
  }

  /// The living elements of a text that a step inserted, or that stand for such now.
  func living(of step: TextStep, inTextAt start: Dot) -> ContiguousArray<Dot> {
    withOrder { order in
      var living: ContiguousArray<Dot> = []
      for dot in step.inserted.lazy.flatMap(\.dots) where order.has(dot, inTextAt: start) {
        living += livingElements(inPlaceOf: dot, inTextAt: start, &order).living
      }
      return living
    }
  }

  /// What a step removed and is still missing: dead elements for which no living one with the
  /// same text stands.
  ///
  /// Of an element and those that stood for it, it is the last. An element that isn't dead isn't
  /// missing, whatever text the step says it had.
  func missing(of step: TextStep, inTextAt start: Dot) -> ContiguousArray<TextStep.Removal> {
    withOrder { order in
      var missing = TextStep()
      let removed = Set(step.removed.lazy.flatMap(\.elements.dots))
      for removal in step.removed.sorted(by: { $0.elements.first < $1.elements.first }) {
        for (dot, scalar) in zip(removal.elements.dots, removal.text.unicodeScalars)
        where order.has(dot, inTextAt: start) {
          let (living, hasStood) = livingElements(
            inPlaceOf: dot, inTextAt: start, &order, stoodFor: removed.contains)
          let isThere = living.contains { $0 == dot || self.scalar(at: $0) == scalar }
          if isThere || hasStood { continue }
          let elements = TextStep.Elements(first: dot, count: 1)
          missing.add(TextStep.Removal(elements: elements, text: String(scalar)))
        }
      }
      return missing.removed
    }
  }

  private func scalar(at dot: Dot) -> Unicode.Scalar? {
    guard let (page, slot) = textElement(at: dot) else { return nil }
    let text = page.withText(of: slot..<slot + 1) { String(decoding: $0, as: UTF8.self) }
    return text.unicodeScalars.first
  }

  /// Inserts what is missing of a text where it was, as elements that stand for the dead ones.
  mutating func putBack(_ missing: ContiguousArray<TextStep.Removal>, by replica: ReplicaID) {
    if missing.isEmpty { return }
    changeText { table, order in
      for removal in missing { table.putBack(removal, by: replica, &order) }
    }
  }

  /// Inserts the text of dead elements right before those, as elements that stand for them.
  private mutating func putBack(
    _ removal: TextStep.Removal, by replica: ReplicaID, _ order: inout TextOrder
  ) {
    var (text, dot, left) = (removal.text, removal.elements.first, removal.elements.count)
    text.withUTF8 { text in
      var start = 0
      while left > 0 {
        // A run that goes on in another page has another anchor there.
        let room = TextPage.slotCount - Int(seen(of: replica) % UInt64(TextPage.slotCount))
        guard let anchor = order.anchorOfInsertion(before: dot),
          let count = order.countOfNeighbors(from: dot, atMost: min(left, room))
        else { return }
        var end = start
        for _ in 0..<count { end += text[end].scalarLength }
        insert(
          UnsafeBufferPointer(rebasing: text[start..<end]), anchor.standing(forNext: count),
          by: replica, &order)
        (start, dot.counter, left) = (end, dot.counter + UInt64(count), left - count)
      }
    }
  }

  /// Where what was put back stands, or what was removed stood.
  private func place(of step: TextStep) -> Range<Int> {
    withOrder { order in
      var place: Range<Int>?
      let elements = step.inserted.isEmpty ? step.removed.map(\.elements) : Array(step.inserted)
      for dot in elements.lazy.flatMap(\.dots) {
        guard let (page, slot) = textElement(at: dot),
          let start = order.size(before: dot, in: texts)?.utf8
        else { continue }
        let end = page.dead[slot] ? start : start + page.withText(of: slot..<slot + 1) { $0.count }
        place = min(place?.lowerBound ?? start, start)..<max(place?.upperBound ?? end, end)
      }
      return place ?? 0..<0
    }
  }
}

extension TextOrder {
  /// How many consecutive elements from one on stand side by side, up to a greatest number.
  fileprivate func countOfNeighbors(from dot: Dot, atMost most: Int) -> Int? {
    guard let element = element(dot), var position = tree.find(element) else { return nil }
    var last = tree.packed(position).last
    var count: Int { Int(last.counter &- element.counter) + 1 }
    while count < most, let next = tree.position(after: position),
      case let span = tree.packed(next), span.replica == last.replica,
      span.counter == last.counter &+ 1
    {
      (position, last) = (next, span.last)
    }
    return min(count, most)
  }
}
