extension AuthorityMerge {
  var edits: [RebasedEdit] {
    let replacements = replacements.enumerated().sorted { one, other in
      // An insertion comes before what is removed from its place on.
      let (first, second) = (one.element.removed, other.element.removed)
      return (first.lowerBound, first.upperBound, one.offset)
        < (second.lowerBound, second.upperBound, other.offset)
    }
    var line = Line(current, new)
    var place = 0
    for (_, replacement) in replacements {
      keep(place..<max(place, replacement.removed.lowerBound), in: &line)
      place = max(place, replacement.removed.upperBound)
      switch replacement.inserted {
      case .new(let range): for word in range { line.add(word, of: new, new: word) }
      case .shown(let range): for word in range { line.add(word, of: shown) }
      case .merged(let string): line.add(string)
      case nil: break
      }
    }
    keep(place..<current.count, in: &line)
    line.closeGap(before: current.bytes.count)
    return line.edits
  }

  /// Keeps words of the present text, with the spaces behind them that the authority has changed,
  /// unless others have written there.
  private func keep(_ words: Range<Int>, in line: inout Line) {
    for word in words {
      var spaces = current.bytes[current.spaces(word)]
      let (other, before) = same[word]
      if let other {
        let theirs = new.bytes[new.spaces(other)]
        let old = before.map { shown.bytes[shown.spaces($0)] }
        let isUnseen = hasUnseenSpaces[word] || word + 1 < current.count && runs[word + 1] != 0
        let isTheirs = old.map { !$0.elementsEqual(theirs) } ?? true
        let isOurs = isUnseen && old.map { !$0.elementsEqual(spaces) } ?? true
        if isTheirs, !isOurs { spaces = theirs }
      }
      line.keep(word, same: other, spaces: spaces)
    }
  }

  /// The words of the merged text one behind another, and the edits that lead to them.
  private struct Line {
    private let current: WordSequence
    private let new: WordSequence
    private(set) var edits: [RebasedEdit] = []
    /// What stands behind the last word that was kept, and where that word ends.
    private var gap: [UInt8] = []
    private var end = 0
    /// The last word, by its places in the new and in the present text, and whether it is of
    /// letters; `nil` if it isn't known, or a space stands behind it.
    private var last: (new: Int?, current: Int?, isOfLetters: Bool)?

    init(_ current: WordSequence, _ new: WordSequence) {
      (self.current, self.new) = (current, new)
    }

    /// Keeps a word of the present text: whoever has inserted it.
    mutating func keep(
      _ word: Int, same: Int?, spaces: Slice<UnsafeBufferPointer<UInt8>>
    ) {
      separate(word, of: current, new: same, current: word)
      closeGap(before: current.starts[word])
      end = current.ends[word]
      gap = Array(spaces)
      if !spaces.isEmpty { last = nil }
    }

    mutating func add(_ word: Int, of text: WordSequence, new: Int? = nil) {
      let spaces = text.bytes[text.spaces(word)]
      separate(word, of: text, new: new, current: nil)
      gap += text.word(word)
      gap += spaces
      if !spaces.isEmpty { last = nil }
    }

    mutating func add(_ string: String) {
      gap += string.utf8
      last = nil
    }

    /// Adds a space if a word has one before it in its text, or would be one with the last word,
    /// unless it follows that without one in a text.
    private mutating func separate(
      _ word: Int, of text: WordSequence, new: Int?, current: Int?
    ) {
      let isOfLetters = text.isOfLetters(word)
      if let last {
        let follows =
          self.new.follows(new, last.new) || self.current.follows(current, last.current)
        if !follows, last.isOfLetters && isOfLetters || !text.spaces(word - 1).isEmpty {
          gap.append(UInt8(ascii: " "))
        }
      }
      last = text.isLineFeed(word) || text.word(word).isEmpty ? nil : (new, current, isOfLetters)
    }

    /// Makes the edits of what stands between the last word that was kept and the next one.
    mutating func closeGap(before start: Int) {
      let offset = end
      let old = UnsafeBufferPointer(rebasing: current.bytes[offset..<start])
      gap.withUnsafeBufferPointer { new in
        edits += TextDifference(from: old, to: new).edits.map { edit in
          RebasedEdit(
            removed: edit.removed.lowerBound + offset..<edit.removed.upperBound + offset,
            inserted: String(decoding: new[edit.inserted], as: UTF8.self))
        }
      }
    }
  }
}

extension WordSequence {
  /// Whether a word follows another one without a space.
  fileprivate func follows(_ word: Int?, _ last: Int?) -> Bool {
    guard let word, let last else { return false }
    return word == last + 1 && spaces(last).isEmpty
  }
}
