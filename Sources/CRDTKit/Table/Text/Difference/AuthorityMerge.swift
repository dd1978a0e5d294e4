/// The edits by which an authority's next string changes a text of which it has seen a part.
///
/// What it had shown before is compared with what it shows now and with the present text, word by
/// word.
struct AuthorityMerge {
  typealias Edit = TextDifference.Edit

  let shown: WordSequence
  let new: WordSequence
  let current: WordSequence

  /// For each word of the present text that the authority hasn't seen, the run that it is part
  /// of; 0 for those that it has seen.
  var runs: [Int] = []
  /// Whether the authority hasn't seen all the spaces behind each word.
  var hasUnseenSpaces: [Bool] = []
  /// The bytes of the present text that were inserted for the authority elsewhere.
  private let foreign: [Range<Int>]
  /// Whether each word of the present text has some of these, and is not unseen.
  var isForeign: [Bool] = []

  /// What replaces words of the present text.
  struct Replacement {
    var removed: Range<Int>
    var inserted: Source?

    enum Source {
      case new(Range<Int>)
      case shown(Range<Int>)
      case merged(String)
    }
  }

  var replacements: [Replacement] = []
  /// For each word of the present text, the places of the same word in the new text and in what
  /// was shown.
  var same: [(new: Int?, shown: Int?)]

  /// Finds the edits of the present text.
  ///
  /// What the authority shows is there, with what others have inserted and it has not shown, and
  /// without what others have removed. What both have inserted at one place is there once. What
  /// was done for the authority elsewhere goes if it doesn't show it: another replica has
  /// received another string from it.
  ///
  /// - Parameters:
  ///   - shown: What the authority has shown before.
  ///   - new: What it shows now.
  ///   - current: The present text.
  ///   - unseen: The bytes of it of which it isn't known that the authority has seen them, in
  ///     ascending order. Each range is a run that somebody has inserted one behind another.
  ///   - foreign: The bytes of it that were inserted for the authority elsewhere.
  /// - Returns: The edits, in ascending order, with offsets in the present text before all of them.
  /// - Complexity: As the search for the differences between these.
  static func edits(
    from shown: String, to new: String, over current: String, unseen: [Range<Int>],
    foreign: [Range<Int>]
  ) -> [RebasedEdit] {
    if shown.utf8.elementsEqual(new.utf8) || current.utf8.elementsEqual(new.utf8) { return [] }
    // The words of all three are in one table.
    var bytes: [UInt8] = [0x0A]
    let texts = [shown, new, current].map { text in
      let start = bytes.count
      bytes += text.utf8
      return start..<bytes.count
    }
    return bytes.withUnsafeBufferPointer { bytes in
      guard let sequences = WordSequence.sequences(of: texts, in: bytes) else {
        return TextDifference.edits(from: shown, to: new, over: current)
      }
      var merge = AuthorityMerge(sequences[0], sequences[1], sequences[2], unseen, foreign)
      merge.merge()
      return merge.edits
    }
  }

  private init(
    _ shown: WordSequence, _ new: WordSequence, _ current: WordSequence, _ unseen: [Range<Int>],
    _ foreign: [Range<Int>]
  ) {
    (self.shown, self.new, self.current) = (shown, new, current)
    self.foreign = foreign
    same = Array(repeating: (nil, nil), count: current.count)
    for word in 0..<current.count {
      let bytes = current.starts[word]..<current.ends[word]
      runs.append(unseen.first(with: bytes).map { $0 + 1 } ?? 0)
      isForeign.append(runs[word] == 0 && foreign.first(with: bytes) != nil)
      hasUnseenSpaces.append(unseen.first(with: current.spaces(word)) != nil)
    }
  }

  private mutating func merge() {
    let ours = changes()
    let theirs = TextDifference.edits(ofWords: shown.scalars, to: new.scalars)
    findSame(ours, theirs)
    merge(theirs, over: ours)
  }
}

extension AuthorityMerge {
  /// Finds the words that all three texts have.
  private mutating func findSame(_ ours: [Edit], _ theirs: [Edit]) {
    var toNew = [Int?](repeating: nil, count: shown.count)
    Self.forEachKept(theirs, shown.count) { toNew[$0] = $1 }
    Self.forEachKept(ours, shown.count) { same[$1] = (toNew[$0], $0) }
  }

  /// Calls the body with the places, before and afterwards, of each of so many words that edits
  /// keep.
  static func forEachKept(_ edits: [Edit], _ count: Int, _ body: (Int, Int) -> Void) {
    var (place, growth) = (0, 0)
    for edit in edits {
      for word in place..<edit.removed.lowerBound { body(word, word + growth) }
      place = edit.removed.upperBound
      growth += edit.inserted.count - edit.removed.count
    }
    for word in place..<count { body(word, word + growth) }
  }

  private mutating func merge(_ theirs: [Edit], over ours: [Edit]) {
    let words = SharedInsertions.Words(text: current, runs: runs)
    let both = SharedInsertions(of: ours, in: words, and: theirs, in: new, areStrangers: true)
    var isShown = [Bool](repeating: false, count: current.count)
    for pair in both.pairs {
      for (our, their) in zip(pair.ours, pair.theirs) {
        isShown[our] = true
        same[our].new = their
      }
    }
    let conflicts = both.conflicts.filter { conflict in
      ours[conflict.ours].contains { taken(from: $0, isShown).count < $0.inserted.count }
        && mergeLetters(theirs[conflict.theirs], over: ours[conflict.ours])
    }
    var shared = both.pairs[...]
    var open = conflicts[...]
    var rebase = EditRebase(over: ours)
    for (number, edit) in theirs.enumerated() {
      while let conflict = open.first, conflict.theirs.upperBound <= number { open.removeFirst() }
      var (place, pieces) = rebase.place(of: edit)
      if open.first?.theirs.contains(number) == true { continue }
      var start = edit.inserted.lowerBound
      while let pair = shared.first, pair.theirs.upperBound <= edit.inserted.upperBound {
        insert(.new(start..<pair.theirs.lowerBound), at: pair.ours.lowerBound)
        (start, place) = (pair.theirs.upperBound, pair.ours.upperBound)
        shared.removeFirst()
      }
      insert(.new(start..<edit.inserted.upperBound), at: place)
      replacements += pieces.map { Replacement(removed: $0) }
    }
    var lacking = lackingWords()
    open = conflicts[...]
    var next = 0
    for (number, edit) in ours.enumerated() {
      while let conflict = open.first, conflict.ours.upperBound <= number { open.removeFirst() }
      if open.first?.ours.contains(number) == true { continue }
      takeBack(edit, isShown, besides: theirs, &next, &lacking)
    }
  }

  /// How many of each word the new text has more than the merged one so far.
  private func lackingWords() -> [UInt32: Int] {
    var lacking: [UInt32: Int] = [:]
    for word in 0..<new.count { lacking[new.number(of: word), default: 0] += 1 }
    for word in 0..<current.count { lacking[current.number(of: word), default: 0] -= 1 }
    for replacement in replacements {
      for word in replacement.removed { lacking[current.number(of: word), default: 0] += 1 }
      guard case .new(let range)? = replacement.inserted else { continue }
      for word in range { lacking[new.number(of: word), default: 0] -= 1 }
    }
    return lacking
  }

  private mutating func insert(_ source: Replacement.Source, at place: Int) {
    replacements.append(Replacement(removed: place..<place, inserted: source))
  }

  /// Merges edits that have both changed letters of the same words, and returns whether they
  /// have.
  private mutating func mergeLetters(
    _ theirs: ArraySlice<Edit>, over ours: ArraySlice<Edit>
  ) -> Bool {
    guard let first = ours.first, let last = ours.last, let otherFirst = theirs.first,
      let otherLast = theirs.last
    else { return false }
    let base =
      min(
        first.removed.lowerBound, otherFirst.removed.lowerBound)..<max(
        last.removed.upperBound, otherLast.removed.upperBound)
    let ours = first.reached(from: base.lowerBound)..<last.reached(to: base.upperBound)
    let theirs = otherFirst.reached(from: base.lowerBound)..<otherLast.reached(to: base.upperBound)
    let (old, new) = (
      String(decoding: shown[base], as: UTF8.self), String(decoding: new[theirs], as: UTF8.self)
    )
    var merged = String(decoding: current[ours], as: UTF8.self)
    let (theirShare, ourShare) = (
      TextDifference.share(of: old, in: new), TextDifference.share(of: old, in: merged)
    )
    guard ourShare.isLeft || theirShare.isMost && ourShare.isMost else { return false }
    merged.apply(TextDifference.edits(from: old, to: new, over: merged))
    replacements.append(Replacement(removed: ours, inserted: .merged(merged)))
    return true
  }

  /// The words into which an edit has inserted something for the authority elsewhere, and that it
  /// doesn't show.
  ///
  /// Letters that are left of what was shown, after others have removed some, were not inserted.
  private func taken(from edit: Edit, _ isShown: [Bool]) -> [Int] {
    let words = edit.inserted.filter { isForeign[$0] && !isShown[$0] }
    if words.isEmpty || edit.removed.isEmpty { return words }
    let start = current.starts[edit.inserted.lowerBound]
    let letters = TextDifference(
      from: UnsafeBufferPointer(rebasing: shown[edit.removed]),
      to: UnsafeBufferPointer(rebasing: current[edit.inserted]), isRounded: false)
    let inserted = letters.edits.map {
      start + $0.inserted.lowerBound..<start + $0.inserted.upperBound
    }
    .filter { !$0.isEmpty && foreign.first(with: $0) != nil }
    return words.filter { inserted.first(with: current.starts[$0]..<current.ends[$0]) != nil }
  }

  /// Takes back what was done for the authority elsewhere and it doesn't show.
  ///
  /// A word that it shows at another place stays: it was moved.
  private mutating func takeBack(
    _ edit: Edit, _ isShown: [Bool], besides theirs: [Edit], _ next: inout Int,
    _ lacking: inout [UInt32: Int]
  ) {
    let taken = taken(from: edit, isShown)
    if taken.isEmpty { return }
    for word in taken where lacking[current.number(of: word), default: 0] < 0 {
      lacking[current.number(of: word), default: 0] += 1
      replacements.append(Replacement(removed: word..<word + 1))
    }
    func restore(_ words: Range<Int>) {
      for word in words where lacking[shown.number(of: word), default: 0] > 0 {
        lacking[shown.number(of: word), default: 0] -= 1
        insert(.shown(word..<word + 1), at: edit.inserted.lowerBound)
      }
    }
    // What it replaced is there again, unless the authority has removed it.
    var start = edit.removed.lowerBound
    while next < theirs.count, theirs[next].removed.upperBound <= start { next += 1 }
    for other in theirs[next...].prefix(while: {
      $0.removed.lowerBound < edit.removed.upperBound
    }) {
      restore(start..<max(start, other.removed.lowerBound))
      start = max(start, other.removed.upperBound)
    }
    restore(start..<max(start, edit.removed.upperBound))
  }
}

extension [Range<Int>] {
  /// The index of the first of the ranges, which are in ascending order, that has some of a
  /// range; `nil` if none has.
  ///
  /// - Complexity: O(log n).
  fileprivate func first(with range: Range<Int>) -> Int? {
    let place = indices.partitioningIndex { self[$0].upperBound > range.lowerBound }
    return place < count && self[place].lowerBound < range.upperBound ? place : nil
  }
}

extension TextDifference.Edit {
  /// Where a place before the edit, from which on nothing is changed, is in the new text.
  fileprivate func reached(from place: Int) -> Int {
    inserted.lowerBound - (removed.lowerBound - place)
  }

  /// Where a place behind the edit, up to which nothing is changed, is in the new text.
  fileprivate func reached(to place: Int) -> Int {
    inserted.upperBound + place - removed.upperBound
  }
}

extension TextDifference {
  /// Whether a string has nothing but what is left of another one, and whether most of both is the
  /// same.
  fileprivate static func share(
    of old: String, in new: String
  ) -> (isLeft: Bool, isMost: Bool) {
    var (old, new) = (old, new)
    return old.withUTF8 { old in
      new.withUTF8 { new in
        let edits = TextDifference(from: old, to: new, isRounded: false).edits
        let kept = edits.reduce(old.count) { $0 - $1.removed.count }
        return (kept == new.count, 3 * kept > 2 * max(old.count, new.count))
      }
    }
  }
}
