import CRDTKit

/// What somebody has written in a text, to undo it and to do it again.
///
/// Only one's own edits are undone. Their places are anchors, so what others have written
/// meanwhile stays, also in the middle of what is undone.
struct EditHistory {
  private var done: [Edit] = []
  private var undone: [Edit] = []
  /// Whether the last edit may still grow: it was made just now, at the caret.
  private var isGrowing = false
  private var editCount = 0

  /// The maximum number of edits that can be undone.
  static let countMax = 1_000
}

extension EditHistory {
  /// An edit that was made: some text in place of other text.
  fileprivate struct Edit {
    var number: Int
    /// The replica that made it.
    var replica: ReplicaID
    /// Before the first character that was inserted, or where characters were removed.
    var start: ReplicatedText.Anchor
    /// After the last character that was inserted, or the same.
    var end: ReplicatedText.Anchor
    var hasInserted: Bool
    var removed = ""
    var marks: [Mark] = []
  }

  /// An anchor of another edit at a character that an edit has removed.
  ///
  /// When the characters come back, they are new ones, to which the anchor is moved.
  fileprivate struct Mark {
    var edit: Int
    var isStart: Bool
    /// In the removed text, in UTF-8.
    var offset: Int
  }
}

extension EditHistory {
  /// Ends the last edit: the next one is undone by itself.
  mutating func endEdit() {
    isGrowing = false
  }

  /// Replaces a range of a text, in UTF-8, and returns where the caret is then.
  ///
  /// What is typed on one line is one edit, and so is what is removed character by character.
  mutating func replace(
    _ range: Range<Int>, with string: String, in text: inout Document.TextEditor
  ) -> Int {
    undone = []
    let last = isGrowing ? done.last : nil
    let lastRange = last.flatMap { text.range(from: $0.start, to: $0.end) }
    var edit = insert(string, inPlaceOf: [range], at: range.lowerBound, in: &text)
    if let last, let lastRange, last.replica == edit.replica,
      edit.join(last, at: lastRange, after: range)
    {
      done.removeLast()
    }
    done.append(edit)
    if done.count > Self.countMax { done.removeFirst() }
    isGrowing = !string.contains("\n")
    return range.lowerBound + string.utf8.count
  }

  /// Undoes the last edit that isn't undone; returns where the caret is then, `nil` if there is
  /// none.
  mutating func undo(in text: inout Document.TextEditor) -> Int? {
    isGrowing = false
    while let edit = done.popLast() {
      guard let (inverse, caret) = invert(edit, in: &text) else { continue }
      undone.append(inverse)
      return caret
    }
    return nil
  }

  /// Does the last undone edit again, unless something else was written since; returns where
  /// the caret is then.
  mutating func redo(in text: inout Document.TextEditor) -> Int? {
    isGrowing = false
    while let edit = undone.popLast() {
      guard let (inverse, caret) = invert(edit, in: &text) else { continue }
      done.append(inverse)
      return caret
    }
    return nil
  }

  /// Takes out what is still there of what an edit inserted, and puts back what it removed.
  ///
  /// It returns the edit that takes this back, or `nil` if the places are unknown, which is so
  /// after a fork was mended.
  private mutating func invert(
    _ edit: Edit, in text: inout Document.TextEditor
  ) -> (inverse: Edit, caret: Int)? {
    guard let range = text.range(from: edit.start, to: edit.end) else { return nil }
    let own = edit.hasInserted ? text.ranges(in: range, by: edit.replica) : []
    var inverse = insert(edit.removed, inPlaceOf: own, at: range.lowerBound, in: &text)
    inverse.number = edit.number
    for mark in edit.marks {
      done.move(mark, to: range.lowerBound + mark.offset, in: text)
      undone.move(mark, to: range.lowerBound + mark.offset, in: text)
    }
    return (inverse, range.lowerBound + edit.removed.utf8.count)
  }

  /// Removes ranges, which are in order, and inserts a text where the first one begins, or at
  /// the offset.
  private mutating func insert(
    _ string: String, inPlaceOf ranges: [Range<Int>], at offset: Int,
    in text: inout Document.TextEditor
  ) -> Edit {
    let marks = marks(in: ranges, of: text)
    var removed = ""
    for range in ranges.reversed() where !range.isEmpty {
      let range = text.indices(range)
      removed = text.text[range] + removed
      text.removeSubrange(range)
    }
    if !string.isEmpty { text.insert(string, at: text.text.index(offset, in: .utf8)) }
    editCount += 1
    return Edit(
      number: editCount, replica: text.replica,
      start: text.anchor(at: offset, string.isEmpty ? .after : .before),
      end: text.anchor(at: offset + string.utf8.count, .after), hasInserted: !string.isEmpty,
      removed: removed, marks: marks)
  }

  /// The anchors of edits at the characters of ranges.
  private func marks(
    in ranges: [Range<Int>], of text: borrowing Document.TextEditor
  ) -> [Mark] {
    let removed = ranges.filter { !$0.isEmpty }.map { (offsets: $0, indices: text.indices($0)) }
    if removed.isEmpty { return [] }
    let text = text.text
    var marks: [Mark] = []
    for edit in [done, undone].joined() {
      for isStart in [true, false] {
        guard let place = text.index(of: isStart ? edit.start : edit.end) else { continue }
        // The character is the one after the anchor, or the one before.
        let isBefore = isStart && edit.hasInserted
        var before = 0
        for (offsets, indices) in removed {
          let (lower, upper) = (indices.lowerBound, indices.upperBound)
          if isBefore ? lower <= place && place < upper : lower < place && place <= upper {
            let offset = before + text.offset(of: place, in: .utf8) - offsets.lowerBound
            marks.append(Mark(edit: edit.number, isStart: isStart, offset: offset))
          }
          before += offsets.count
        }
      }
    }
    return marks
  }
}

extension EditHistory.Edit {
  /// Takes in the edit before this one, if the two are undone together: says whether they are.
  ///
  /// `place` is where that edit was when this one was made, in place of `range`.
  fileprivate mutating func join(_ last: Self, at place: Range<Int>, after range: Range<Int>)
    -> Bool
  {
    if hasInserted, last.hasInserted, range.isEmpty, range.lowerBound == place.upperBound {
      (start, removed, marks) = (last.start, last.removed, last.marks)
      return true
    }
    guard !hasInserted, !last.hasInserted else { return false }
    // Where both have marks of one anchor, those of the earlier one count, and come last.
    if range.upperBound == place.lowerBound {
      marks += last.marks.map { $0.shifted(by: removed.utf8.count) }
      removed += last.removed
      return true
    }
    guard range.lowerBound == place.lowerBound else { return false }
    marks = marks.map { $0.shifted(by: last.removed.utf8.count) } + last.marks
    removed = last.removed + removed
    return true
  }
}

extension [EditHistory.Edit] {
  fileprivate mutating func move(
    _ mark: EditHistory.Mark, to offset: Int, in text: borrowing Document.TextEditor
  ) {
    guard let place = lastIndex(where: { $0.number == mark.edit }) else { return }
    let isBefore = mark.isStart && self[place].hasInserted
    let anchor = text.anchor(at: offset, isBefore ? .before : .after)
    if mark.isStart { self[place].start = anchor } else { self[place].end = anchor }
  }
}

extension EditHistory.Mark {
  fileprivate func shifted(by offset: Int) -> Self {
    var mark = self
    mark.offset += offset
    return mark
  }
}

extension Document.TextEditor {
  fileprivate func anchor(at offset: Int, _ side: ReplicatedText.Side) -> ReplicatedText.Anchor {
    let text = text
    return text.anchor(at: text.index(offset, in: .utf8), side)
  }

  fileprivate func indices(_ range: Range<Int>) -> Range<ReplicatedText.Index> {
    let text = text
    return text.index(range.lowerBound, in: .utf8)..<text.index(range.upperBound, in: .utf8)
  }

  /// The range between two anchors, in UTF-8.
  fileprivate func range(
    from start: ReplicatedText.Anchor, to end: ReplicatedText.Anchor
  ) -> Range<Int>? {
    let text = text
    guard let start = text.index(of: start), let end = text.index(of: end), start <= end else {
      return nil
    }
    return text.offset(of: start, in: .utf8)..<text.offset(of: end, in: .utf8)
  }

  /// The parts of a range that a replica has written.
  fileprivate func ranges(in range: Range<Int>, by replica: ReplicaID) -> [Range<Int>] {
    let text = text
    return text.authors(in: indices(range)).filter { $0.replica == replica }.map {
      let (start, end) = ($0.range.lowerBound, $0.range.upperBound)
      return text.offset(of: start, in: .utf8)..<text.offset(of: end, in: .utf8)
    }
  }
}
