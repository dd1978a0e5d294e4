extension AuthorityMerge {
  /// The edits that lead from what the authority has shown to the present text.
  ///
  /// Of equal words, those are what it has shown that were inserted for it.
  mutating func changes() -> [Edit] {
    let direct = TextDifference.edits(ofWords: shown.scalars, to: current.scalars)
    let count = foreignCount(direct)
    if count > 0 {
      let before = (runs, isForeign)
      let others = changesBesidesSeen()
      if foreignCount(others) < count { return others }
      (runs, isForeign) = before
    }
    return placed(direct, from: shown.scalars)
  }

  private func foreignCount(_ edits: [Edit]) -> Int {
    edits.reduce(0) { $0 + $1.inserted.count { isForeign[$0] } }
  }

  /// The edits that lead from what the authority has shown to the present text, as found if what
  /// it has certainly seen is compared first.
  private mutating func changesBesidesSeen() -> [Edit] {
    var seen: [UInt8] = []
    var added: [Edit] = []
    for word in 0..<current.count {
      if runs[word] == 0 {
        seen += current.scalar(word)
      } else if let last = added.last, last.inserted.upperBound == word {
        added[added.count - 1] = Edit(
          removed: last.removed, inserted: last.inserted.lowerBound..<word + 1)
      } else {
        added.append(Edit(removed: seen.count / 4..<seen.count / 4, inserted: word..<word + 1))
      }
    }
    added = placed(added, from: seen)
    let known = TextDifference.edits(ofWords: seen, to: shown.scalars)
    let words = SharedInsertions.Words(text: current, runs: runs)
    var same = SharedInsertions(
      of: added, in: words, and: known, in: shown, areStrangers: false
    ).pairs
    var toCurrent = [Int](repeating: 0, count: seen.count / 4)
    Self.forEachKept(added, toCurrent.count) { toCurrent[$0] = $1 }
    Self.forEachKept(known, toCurrent.count) { word, place in
      let other = toCurrent[word]
      same.append((ours: other..<other + 1, theirs: place..<place + 1))
    }
    same.sort { $0.theirs.lowerBound < $1.theirs.lowerBound }
    return placed(edits(besides: same), from: shown.scalars)
  }

  /// The edits that lead from what was shown to the present text, which have words in common.
  private func edits(besides same: [(ours: Range<Int>, theirs: Range<Int>)]) -> [Edit] {
    let end = (ours: current.count..<current.count, theirs: shown.count..<shown.count)
    var edits: [Edit] = []
    var (shownEnd, currentEnd) = (0, 0)
    for pair in same + [end] {
      let edit = Edit(
        removed: shownEnd..<pair.theirs.lowerBound, inserted: currentEnd..<pair.ours.lowerBound)
      if !edit.removed.isEmpty || !edit.inserted.isEmpty { edits.append(edit) }
      (shownEnd, currentEnd) = (pair.theirs.upperBound, pair.ours.upperBound)
    }
    return edits
  }

  /// Moves edits that lead to the present text to the first of their places; what is unseen goes
  /// with them.
  private mutating func placed(_ edits: [Edit], from old: [UInt8]) -> [Edit] {
    let placed = TextDifference.placed(edits, ofWords: old, to: current.scalars)
    for (was, edit) in zip(edits, placed) {
      let (start, end) = (was.inserted.lowerBound, was.inserted.upperBound)
      let shift = edit.inserted.lowerBound - start
      if shift < 0 {
        rotate(start + shift..<end, by: -shift)
      } else if shift > 0 {
        rotate(start..<end + shift, by: end - start)
      }
    }
    return placed
  }

  /// Moves what is known of the first words of a range to its end.
  private mutating func rotate(_ range: Range<Int>, by count: Int) {
    let middle = range.lowerBound + count
    runs.replaceSubrange(range, with: runs[middle..<range.upperBound] + runs[range.prefix(count)])
    isForeign.replaceSubrange(
      range, with: isForeign[middle..<range.upperBound] + isForeign[range.prefix(count)])
  }
}
