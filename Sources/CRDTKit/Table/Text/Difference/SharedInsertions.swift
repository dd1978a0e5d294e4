/// What two changes of one base have both inserted at the same places, in words.
///
/// Insertions of strangers may have words in common by chance: two who add a line to a list often
/// begin it with the same words. If all words of one are in the other, or nine of ten, they are
/// one that was edited. Of others, whole lines are the same, and whole runs.
struct SharedInsertions {
  typealias Edit = TextDifference.Edit

  /// The same words in both results, in ascending order.
  private(set) var pairs: [(ours: Range<Int>, theirs: Range<Int>)] = []

  /// The indices of edits that replace the same words of the base by different ones.
  private(set) var conflicts: [(ours: Range<Int>, theirs: Range<Int>)] = []

  /// What is known of the words of our text.
  struct Words {
    let text: WordSequence
    /// The number of the run that each word is part of: what somebody has inserted at once.
    let runs: [Int]
  }

  private let words: Words
  private let areStrangers: Bool

  /// Compares what is inserted where edits overlap or touch.
  ///
  /// - Parameters:
  ///   - ours: The edits that lead to our text.
  ///   - words: Our text, and who has inserted what.
  ///   - theirs: The edits that lead to the other text.
  ///   - new: The other text.
  ///   - areStrangers: Whether common words may be there by chance.
  /// - Complexity: As the search for the differences between the insertions.
  init(
    of ours: [Edit], in words: Words, and theirs: [Edit], in new: WordSequence, areStrangers: Bool
  ) {
    self.words = words
    self.areStrangers = areStrangers
    var (our, their) = (0, 0)
    while our < ours.count, their < theirs.count {
      let (first, second) = (ours[our].removed, theirs[their].removed)
      if first.upperBound < second.lowerBound {
        our += 1
        continue
      }
      if second.upperBound < first.lowerBound {
        their += 1
        continue
      }
      let (ourStart, theirStart) = (our, their)
      var end = max(first.upperBound, second.upperBound)
      (our, their) = (our + 1, their + 1)
      while true {
        if our < ours.count, ours[our].removed.lowerBound <= end {
          end = max(end, ours[our].removed.upperBound)
          our += 1
        } else if their < theirs.count, theirs[their].removed.lowerBound <= end {
          end = max(end, theirs[their].removed.upperBound)
          their += 1
        } else {
          break
        }
      }
      let count = pairs.count
      compare(
        ours[ourStart..<our].flatMap(\.inserted), theirs[theirStart..<their].flatMap(\.inserted),
        new)
      if pairs.count == count, Self.overlap(ours[ourStart..<our], theirs[theirStart..<their]) {
        conflicts.append((ourStart..<our, theirStart..<their))
      }
    }
  }

  /// Whether edits remove the same parts of the base.
  private static func overlap(_ ours: ArraySlice<Edit>, _ theirs: ArraySlice<Edit>) -> Bool {
    var theirs = theirs
    for edit in ours {
      while let other = theirs.first, other.removed.upperBound <= edit.removed.lowerBound {
        theirs.removeFirst()
      }
      guard let other = theirs.first else { return false }
      if other.removed.overlaps(edit.removed) { return true }
    }
    return false
  }

  /// Compares inserted words.
  private mutating func compare(_ ours: [Int], _ theirs: [Int], _ new: WordSequence) {
    if ours.isEmpty || theirs.isEmpty { return }
    let edits = TextDifference.edits(
      ofWords: ours.flatMap(words.text.scalar),
      to: theirs.flatMap(new.scalar))
    let common = edits.reduce(ours.count) { $0 - $1.removed.count }
    let isOne =
      !areStrangers || common == min(ours.count, theirs.count)
      || 10 * common >= 9 * max(ours.count, theirs.count)
    var (our, their) = (0, 0)
    let last = Edit(
      removed: ours.count..<ours.count, inserted: theirs.count..<theirs.count)
    for edit in edits + [last] {
      let same = our..<edit.removed.lowerBound
      if isOne {
        add(same, of: ours, theirs, from: their)
      } else if !same.isEmpty {
        for part in certain(same, of: ours, isAtStart: our == 0 && their == 0) {
          add(part, of: ours, theirs, from: their + part.lowerBound - same.lowerBound)
        }
      }
      (our, their) = (edit.removed.upperBound, edit.inserted.upperBound)
    }
  }

  /// The parts of a common stretch that are there by no chance: whole lines and whole
  /// runs.
  private func certain(
    _ same: Range<Int>, of ours: [Int], isAtStart: Bool
  ) -> [Range<Int>] {
    var isCertain = [Bool](repeating: false, count: same.count)
    let feeds = same.filter { words.text.isLineFeed(ours[$0]) }
    if let last = feeds.last, let first = isAtStart ? same.lowerBound : feeds.first.map({ $0 + 1 }),
      first <= last
    {
      for place in first...last { isCertain[place - same.lowerBound] = true }
    }
    var place = same.lowerBound
    while place < same.upperBound {
      var end = place + 1
      while end < same.upperBound, isOneRun(end - 1, of: ours) { end += 1 }
      let isWhole =
        (place == 0 || !isOneRun(place - 1, of: ours))
        && (end == ours.count || !isOneRun(end - 1, of: ours))
      if isWhole { for word in place..<end { isCertain[word - same.lowerBound] = true } }
      place = end
    }
    var parts: [Range<Int>] = []
    for word in same where isCertain[word - same.lowerBound] {
      if let last = parts.last, last.upperBound == word {
        parts[parts.count - 1] = last.lowerBound..<word + 1
      } else {
        parts.append(word..<word + 1)
      }
    }
    // Signs alone say nothing.
    return parts.filter { $0.contains { !words.text.isSign(ours[$0]) } }
  }

  /// Whether an inserted word and the next one stand one behind the other and are of one run.
  private func isOneRun(_ place: Int, of ours: [Int]) -> Bool {
    let (word, next) = (ours[place], ours[place + 1])
    return next == word + 1 && words.runs[word] == words.runs[next]
  }

  /// Adds a common stretch, in pieces that are one in both texts.
  private mutating func add(_ same: Range<Int>, of ours: [Int], _ theirs: [Int], from start: Int) {
    var place = same.lowerBound
    while place < same.upperBound {
      let (our, their) = (ours[place], theirs[start + place - same.lowerBound])
      var count = 1
      while place + count < same.upperBound, ours[place + count] == our + count,
        theirs[start + place + count - same.lowerBound] == their + count
      {
        count += 1
      }
      pairs.append((our..<our + count, their..<their + count))
      place += count
    }
  }
}
