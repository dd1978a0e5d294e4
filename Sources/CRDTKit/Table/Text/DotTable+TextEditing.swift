/// A table's texts stand one after another, so that one number tells a place in any of
/// them: its offset in UTF-8 from the beginning of the first. Without a start, the functions
/// are about the only text of a table that has no others.
extension DotTable {
  /// Where a text is among all of the table, in UTF-8.
  ///
  /// - Complexity: O(log n) for n runs of characters.
  func textRange(at start: Dot = .none) -> Range<Int> {
    withOrder { order in
      let (lower, upper) = order.range(ofTextAt: start)
      return lower.utf8..<upper.utf8
    }
  }

  /// The offset after a character that isn't dead; `nil` if there is none with the dot.
  ///
  /// - Complexity: O(log n) for n runs of characters.
  func textOffset(after dot: Dot) -> Int? {
    withOrder { order in
      guard let element = textElement(at: dot), !element.page.dead[element.slot],
        let before = order.size(before: dot, in: self)?.scalars
      else { return nil }
      return order.location(of: before + 1, in: .scalars, texts)?.before
        ?? order.tree.size.utf8
    }
  }

  /// A whole text; kept until the next change, or until another is read.
  func textString(at start: Dot = .none) -> String {
    withOrder(reading: start) { order in
      if let kept = order.string, kept.start == start { return kept.string }
      let (lower, upper) = order.range(ofTextAt: start)
      let string = order.text(in: lower.utf8..<upper.utf8, of: texts)
      order.string = (start, string)
      return string
    }
  }

  /// Calls the body with the dot of each character of a text, in order.
  ///
  /// - Complexity: O(length of the text).
  func forEachCharacter(ofTextAt start: Dot, _ body: (Dot) -> Void) {
    let range = textRange(at: start)
    withOrder { order in
      let replicas = order.replicas
      order.forEachPiece(in: range, of: texts) { first, count in
        let dot = Dot(replicas[Int(first.replica)], first.counter)
        for place in 0..<UInt64(count) { body(Dot(dot.replica, dot.counter + place)) }
      }
    }
  }

  /// Inserts a string at an offset, which must be between two scalars of the text.
  mutating func insertText(
    _ string: String, at offset: Int, inTextAt start: Dot = .none, by replica: ReplicaID
  ) {
    var string = string
    string.withUTF8 { insertText($0, at: offset, inTextAt: start, by: replica) }
  }

  private mutating func insertText(
    _ text: UnsafeBufferPointer<UInt8>, at offset: Int, inTextAt start: Dot,
    by replica: ReplicaID
  ) {
    guard !text.isEmpty else { return }
    changeText { table, order in
      let anchor = order.anchorOfInsertion(at: offset, inTextAt: start, in: table.texts)
      table.insert(text, anchor, by: replica, &order)
    }
  }

  /// Inserts a string right after an element, which may be dead.
  mutating func insertText(_ string: String, after element: Dot, by replica: ReplicaID) {
    var string = string
    guard !string.isEmpty else { return }
    string.withUTF8 { text in
      changeText { table, order in
        guard let anchor = order.anchorOfInsertion(after: element) else { return }
        table.insert(text, anchor, by: replica, &order)
      }
    }
  }

  /// Removes the elements between two offsets, in one event; with a condition, only those
  /// that meet it.
  mutating func removeText(
    _ range: Range<Int>, by replica: ReplicaID, where isRemoved: ((Dot) -> Bool)? = nil
  ) {
    guard !range.isEmpty else { return }
    changeText { table, order in
      var killed: ContiguousArray<(first: TextOrder.Element, count: Int)> = []
      let replicas = order.replicas
      order.forEachPiece(in: range, of: table.texts) { first, count in
        guard let isRemoved else { return killed.append((first, count)) }
        let replica = replicas[Int(first.replica)]
        var (element, left) = (first, count)
        while left > 0 {
          var length = 0
          while length < left, isRemoved(Dot(replica, element.counter + UInt64(length))) {
            length += 1
          }
          if length > 0 { killed.append((element, length)) }
          length = min(length + 1, left)
          element.counter += UInt64(length)
          left -= length
        }
      }
      if !killed.isEmpty { table.kill(killed, by: replica, &order) }
    }
  }

  /// Removes elements, in one event.
  @usableFromInline
  mutating func removeElements(_ dots: ContiguousArray<Dot>, by replica: ReplicaID) {
    changeText { table, order in
      var killed: ContiguousArray<(first: TextOrder.Element, count: Int)> = []
      for dot in dots.sorted() {
        guard let element = order.element(dot) else { continue }
        if let last = killed.last, last.first.replica == element.replica,
          last.first.counter &+ UInt64(last.count) == element.counter
        {
          killed[killed.count - 1].count += 1
        } else {
          killed.append((element, 1))
        }
      }
      if !killed.isEmpty { table.kill(killed, by: replica, &order) }
    }
  }

  /// Replaces the elements between two offsets.
  ///
  /// The new text stands where the old one began.
  mutating func replaceText(
    _ range: Range<Int>, with string: String, inTextAt start: Dot = .none,
    by replica: ReplicaID
  ) {
    removeText(range, by: replica)
    insertText(string, at: range.lowerBound, inTextAt: start, by: replica)
  }

  /// Makes a text equal to a string by small edits.
  mutating func setText(to string: String, at start: Dot = .none, by replica: ReplicaID) {
    apply(textEdits(to: string, at: start), toTextAt: start, by: replica)
  }

  /// Returns small edits that make a text equal to a string.
  func textEdits(to string: String, at start: Dot = .none) -> [RebasedEdit] {
    var old = textString(at: start)
    var new = string
    return old.withUTF8 { old in
      new.withUTF8 { new in
        TextDifference(from: old, to: new).edits.map {
          RebasedEdit(
            removed: $0.removed, inserted: String(decoding: new[$0.inserted], as: UTF8.self))
        }
      }
    }
  }

  /// Makes edits of a text, with offsets in the text before all of them.
  ///
  /// With a condition, they remove only what meets it.
  mutating func apply(
    _ edits: [RebasedEdit], toTextAt start: Dot, by replica: ReplicaID,
    removing isRemoved: ((Dot) -> Bool)? = nil
  ) {
    let lower = textRange(at: start).lowerBound
    // From the end, so that the offsets of those before stay right.
    for edit in edits.reversed() {
      let place = lower + edit.removed.lowerBound
      removeText(place..<lower + edit.removed.upperBound, by: replica, where: isRemoved)
      insertText(edit.inserted, at: place, inTextAt: start, by: replica)
    }
  }
}
