/// How the rows of marks are written.
///
/// A row names the elements at which its mark begins and ends, and on which side of them. An end
/// that grows is beside the element that follows the mark, an end that doesn't is beside the
/// mark's own last element; at the start likewise.
///
/// A row kills the earlier rows of its name that begin and end within it, wherever characters are
/// inserted: they count nowhere. So a text in which a mark is set and taken away again and again
/// keeps a few rows. Each row's stamp is greater than those of all rows of the name that its
/// writer had seen, also of the killed ones, since a row has a greater stamp than those it kills.
///
/// Offsets are among all texts of the table, as in the other functions that change texts.
extension DotTable {
  typealias Anchor = ReplicatedText.Anchor
  typealias MarkKey = ReplicatedText.MarkKey

  mutating func mark(
    _ range: Range<Int>, as key: MarkKey, value: String, growing growth: ReplicatedText.Growth,
    in marks: some TextMarks<Key, Payload>, by replica: ReplicaID
  ) {
    guard !range.isEmpty else { return }
    prepareGroups()
    let earlier = marks.entries(of: key, in: self)
    changeText { table, order in
      let layer = table.markLayer(earlier, inTextAt: marks.start, &order)
      if layer.covers(range, with: value) { return }
      let growsAtStart = growth == .atStart || growth == .both
      let growsAtEnd = growth == .atEnd || growth == .both
      table.writeMark(
        range, of: key, value: value, growsAtStart: growsAtStart, growsAtEnd: growsAtEnd,
        over: earlier, in: marks, by: replica, &order)
    }
  }

  mutating func unmark(
    _ range: Range<Int>, _ key: MarkKey, in marks: some TextMarks<Key, Payload>,
    by replica: ReplicaID
  ) {
    guard !range.isEmpty else { return }
    prepareGroups()
    let earlier = marks.entries(of: key, in: self)
    changeText { table, order in
      let layer = table.markLayer(earlier, inTextAt: marks.start, &order)
      guard layer.parts.contains(where: { $0.range.overlaps(range) }) else { return }
      // What is left of the mark before the range ends where this begins, and grows there or
      // not; what is left behind it likewise. Where nothing is left, this grows as the mark did.
      let before = layer.row(at: range.lowerBound - 1)
      let behind = layer.row(at: range.upperBound)
      table.writeMark(
        range, of: key, value: nil,
        growsAtStart: before.map { $0.end.side == .after }
          ?? layer.row(at: range.lowerBound).map { $0.start.side == .after } ?? true,
        growsAtEnd: behind.map { $0.start.side == .before }
          ?? layer.row(at: range.upperBound - 1).map { $0.end.side == .before } ?? true,
        over: earlier, in: marks, by: replica, &order)
    }
  }

  private mutating func writeMark(
    _ range: Range<Int>, of key: MarkKey, value: String?, growsAtStart: Bool, growsAtEnd: Bool,
    over earlier: [MarkEntry], in marks: some TextMarks<Key, Payload>, by replica: ReplicaID,
    _ order: inout TextOrder
  ) {
    let start = marks.start
    var row = ReplicatedText.MarkRow(
      start: anchor(
        at: range.lowerBound, growsAtStart ? .after : .before, inTextAt: start, &order),
      end: anchor(at: range.upperBound, growsAtEnd ? .before : .after, inTextAt: start, &order),
      value: value, stamp: 1)
    var killed: ContiguousArray<Dot> = []
    for entry in earlier {
      let stampMax = ReplicatedText.MarkRow.stampMax
      row.stamp = Swift.min(Swift.max(row.stamp, entry.row.stamp + 1), stampMax)
      if row.includes(standing(for: entry.row, inTextAt: start, &order), in: order) {
        killed.append(entry.dot)
      }
    }
    write(marks.row(row, of: key), by: replica, killing: killed)
  }

  /// Returns a row with the elements that stand for those at which its mark begins and ends.
  private func standing(
    for row: ReplicatedText.MarkRow, inTextAt start: Dot, _ order: inout TextOrder
  ) -> ReplicatedText.MarkRow {
    var row = row
    row.start.element = row.start.element.map {
      markedElement($0, isLast: false, inTextAt: start, &order)
    }
    row.end.element = row.end.element.map {
      markedElement($0, isLast: true, inTextAt: start, &order)
    }
    return row
  }

  /// Returns an anchor beside the living element before or after an offset.
  private func anchor(
    at offset: Int, _ side: ReplicatedText.Side, inTextAt start: Dot, _ order: inout TextOrder
  ) -> Anchor {
    let place = side == .before ? offset : offset - 1
    let (lower, upper) = order.range(ofTextAt: start)
    let found =
      (lower.utf8..<upper.utf8).contains(place)
      ? order.location(of: place, in: .utf8, texts) : nil
    return Anchor(element: found.map { order.dot($0.element) }, side: side)
  }
}

extension ReplicatedText.MarkRow {
  /// Returns whether another row begins and ends within this one, whatever is inserted.
  fileprivate func includes(_ other: Self, in order: TextOrder) -> Bool {
    start.isNotAfter(other.start, in: order) && other.end.isNotAfter(end, in: order)
  }
}

extension ReplicatedText.Anchor {
  /// Returns whether the anchor is another one or stands before it; `false` if that isn't known.
  fileprivate func isNotAfter(_ other: Self, in order: TextOrder) -> Bool {
    if self == other { return true }
    guard let mine = element else { return side == .after }
    guard let theirs = other.element else { return other.side == .before }
    if mine == theirs { return side == .before }
    guard let first = order.element(mine), let second = order.element(theirs) else { return false }
    return order.isBefore(first, second)
  }
}

/// How a text is changed that has marks; without marks, it is changed as any other.
extension DotTable {
  mutating func insertMarkedText(
    _ string: String, at offset: Int, _ marks: some TextMarks<Key, Payload>, by replica: ReplicaID
  ) {
    if rowCount > 0, let dead = deadElement(at: offset, besideMarkIn: marks) {
      insertText(string, after: dead, by: replica)
    } else {
      insertText(string, at: offset, inTextAt: marks.start, by: replica)
    }
  }

  mutating func replaceMarkedText(
    _ range: Range<Int>, with string: String, _ marks: some TextMarks<Key, Payload>,
    by replica: ReplicaID
  ) {
    if !range.isEmpty {
      prepareGroups()
      if marks.isEmpty(in: self) {
        return replaceText(range, with: string, inTextAt: marks.start, by: replica)
      }
    }
    replace(range, with: string, marks, by: replica)
  }

  mutating func setMarkedText(
    to string: String, _ marks: some TextMarks<Key, Payload>, by replica: ReplicaID
  ) {
    applyMarked(textEdits(to: string, at: marks.start), marks, by: replica)
  }

  /// Makes edits as `apply(_:toTextAt:by:removing:)` does, of a text that may have marks.
  mutating func applyMarked(
    _ edits: [RebasedEdit], _ marks: some TextMarks<Key, Payload>, by replica: ReplicaID,
    removing isRemoved: ((Dot) -> Bool)? = nil
  ) {
    if edits.isEmpty { return }
    prepareGroups()
    if marks.isEmpty(in: self) {
      return apply(edits, toTextAt: marks.start, by: replica, removing: isRemoved)
    }
    let lower = textRange(at: marks.start).lowerBound
    // From the end, so that the offsets of those before stay right.
    for edit in edits.reversed() {
      let range = lower + edit.removed.lowerBound..<lower + edit.removed.upperBound
      replace(range, with: edit.inserted, marks, by: replica, where: isRemoved)
    }
  }

  /// Replaces the elements between two offsets, or those of them that meet a condition; the
  /// new text stands behind the first of them.
  private mutating func replace(
    _ range: Range<Int>, with string: String, _ marks: some TextMarks<Key, Payload>,
    by replica: ReplicaID, where isRemoved: ((Dot) -> Bool)? = nil
  ) {
    let first =
      range.isEmpty
      ? nil
      : withOrder { order in
        order.location(of: range.lowerBound, in: .utf8, texts).map { order.dot($0.element) }
      }
    removeText(range, by: replica, where: isRemoved)
    if let first, isRemoved?(first) ?? true {
      insertText(string, after: first, by: replica)
    } else {
      insertMarkedText(string, at: range.lowerBound, marks, by: replica)
    }
  }

  /// Returns the last of the dead elements at an offset after which a mark begins or ends.
  ///
  /// What is inserted there stands behind it: after a link whose last character was deleted, not
  /// in the link.
  private mutating func deadElement(
    at offset: Int, besideMarkIn marks: some TextMarks<Key, Payload>
  ) -> Dot? {
    let mayBeThere = withOrder { order in
      // At the start of a text, what is before the offset is another text.
      offset == order.range(ofTextAt: marks.start).lower.utf8
        || order.hasDeadElement(at: offset, in: texts)
    }
    guard mayBeThere else { return nil }
    prepareGroups()
    let entries = marks.entries(in: self)
    return withOrder { order in
      var found: TextOrder.Element?
      for entry in entries {
        for anchor in [entry.row.start, entry.row.end] where anchor.side == .after {
          guard let dot = anchor.element, let (page, slot) = textElement(at: dot),
            page.dead[slot], let element = order.element(dot),
            order.size(before: dot, in: texts)?.utf8 == offset,
            marks.start.isNone || order.has(dot, inTextAt: marks.start)
          else { continue }
          if found.map({ order.isBefore($0, element) }) ?? true { found = element }
        }
      }
      return found.map { order.dot($0) }
    }
  }
}
