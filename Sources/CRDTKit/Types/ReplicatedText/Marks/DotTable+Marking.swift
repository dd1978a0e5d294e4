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
extension DotTable where Key == ReplicatedText.MarkKey, Payload == ReplicatedText.MarkRow {
  typealias Anchor = ReplicatedText.Anchor

  mutating func mark(
    _ range: Range<Int>, as key: Key, value: String, growing growth: ReplicatedText.Growth,
    by replica: ReplicaID
  ) {
    guard !range.isEmpty else { return }
    changeText { table, order in
      if table.layer(of: key, in: &order).covers(range, with: value) { return }
      let growsAtStart = growth == .atStart || growth == .both
      let growsAtEnd = growth == .atEnd || growth == .both
      table.writeMark(
        range, of: key, value: value, growsAtStart: growsAtStart, growsAtEnd: growsAtEnd,
        by: replica, &order)
    }
  }

  mutating func unmark(_ range: Range<Int>, _ key: Key, by replica: ReplicaID) {
    guard !range.isEmpty else { return }
    changeText { table, order in
      let layer = table.layer(of: key, in: &order)
      guard layer.parts.contains(where: { $0.range.overlaps(range) }) else { return }
      // What is left of the mark before the range ends where this begins, and grows there or
      // not; what is left behind it likewise. Where nothing is left, this grows as the mark did.
      let before = range.lowerBound > 0 ? layer.row(at: range.lowerBound - 1) : nil
      let behind = layer.row(at: range.upperBound)
      table.writeMark(
        range, of: key, value: nil,
        growsAtStart: before.map { $0.end.side == .after }
          ?? layer.row(at: range.lowerBound).map { $0.start.side == .after } ?? true,
        growsAtEnd: behind.map { $0.start.side == .before }
          ?? layer.row(at: range.upperBound - 1).map { $0.end.side == .before } ?? true,
        by: replica, &order)
    }
  }

  private mutating func writeMark(
    _ range: Range<Int>, of key: Key, value: String?, growsAtStart: Bool, growsAtEnd: Bool,
    by replica: ReplicaID, _ order: inout TextOrder
  ) {
    var row = Payload(
      start: anchor(at: range.lowerBound, growsAtStart ? .after : .before, &order),
      end: anchor(at: range.upperBound, growsAtEnd ? .before : .after, &order),
      value: value, stamp: 1)
    let earlier = dotsForChange(of: key)
    var killed: ContiguousArray<Dot> = []
    for dot in earlier {
      guard let other = self.row(at: dot)?.payload else { continue }
      row.stamp = Swift.min(Swift.max(row.stamp, other.stamp + 1), Payload.stampMax)
      if row.includes(standing(for: other, &order), in: order) { killed.append(dot) }
    }
    write(Row(key: key, payload: row), by: replica, killing: killed)
  }

  /// Returns a row with the elements that stand for those at which its mark begins and ends.
  private func standing(for row: Payload, _ order: inout TextOrder) -> Payload {
    var row = row
    row.start.element = row.start.element.map { representative(of: $0, isLast: false, &order) }
    row.end.element = row.end.element.map { representative(of: $0, isLast: true, &order) }
    return row
  }

  /// Returns an anchor beside the living element before or after an offset.
  private func anchor(
    at offset: Int, _ side: ReplicatedText.Side, _ order: inout TextOrder
  ) -> Anchor {
    let place = side == .before ? offset : offset - 1
    let found = place < 0 ? nil : order.location(of: place, in: .utf8, texts)
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
extension DotTable where Key == ReplicatedText.MarkKey, Payload == ReplicatedText.MarkRow {
  mutating func insertMarkedText(_ string: String, at offset: Int, by replica: ReplicaID) {
    if rowCount > 0, let dead = deadElementAtMark(offset) {
      insertText(string, after: dead, by: replica)
    } else {
      insertText(string, at: offset, by: replica)
    }
  }

  mutating func replaceMarkedText(
    _ range: Range<Int>, with string: String, by replica: ReplicaID
  ) {
    guard rowCount > 0 else { return replaceText(range, with: string, by: replica) }
    let first =
      range.isEmpty
      ? nil
      : withOrder { order in
        order.location(of: range.lowerBound, in: .utf8, texts).map { order.dot($0.element) }
      }
    removeText(range, by: replica)
    if let first {
      insertText(string, after: first, by: replica)
    } else {
      insertMarkedText(string, at: range.lowerBound, by: replica)
    }
  }

  mutating func setMarkedText(to string: String, by replica: ReplicaID) {
    guard rowCount > 0 else { return setText(to: string, by: replica) }
    for edit in textEdits(to: string).reversed() {
      replaceMarkedText(edit.removed, with: edit.inserted, by: replica)
    }
  }

  /// Returns the last of the dead elements at an offset after which a mark begins or ends.
  ///
  /// What is inserted there stands behind it: after a link whose last character was deleted, not
  /// in the link.
  private func deadElementAtMark(_ offset: Int) -> Dot? {
    withOrder { order in
      guard order.hasDeadElement(at: offset, in: texts) else { return nil }
      var found: TextOrder.Element?
      forEachRow { _, row in
        for anchor in [row.payload.start, row.payload.end] where anchor.side == .after {
          guard let dot = anchor.element, let (page, slot) = textElement(at: dot),
            page.dead[slot], let element = order.element(dot),
            order.size(before: dot, in: texts)?.utf8 == offset
          else { continue }
          if found.map({ order.isBefore($0, element) }) ?? true { found = element }
        }
      }
      return found.map { order.dot($0) }
    }
  }
}
