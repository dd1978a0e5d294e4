/// Moves the borders of edits to better places without changing what the edits give.
struct EditPlacement {
  typealias Edit = TextDifference.Edit

  private let old: UnsafeBufferPointer<UInt8>
  private let new: UnsafeBufferPointer<UInt8>
  private(set) var edits: [Edit]
  private var oldBorders: CharacterBorders
  private var newBorders: CharacterBorders
  private var slideSteps = 0

  /// How many bytes an edit may slide or its borders may move.
  private static let reach = 256

  init(old: UnsafeBufferPointer<UInt8>, new: UnsafeBufferPointer<UInt8>, edits: [Edit]) {
    self.old = old
    self.new = new
    self.edits = edits
    oldBorders = CharacterBorders(old)
    newBorders = CharacterBorders(new)
  }

  var steps: Int { slideSteps + oldBorders.steps + newBorders.steps }

  /// Slides each pure insertion or removal to the start of a line, or else of a word, if one is
  /// near.
  ///
  /// Inserting "bc" after "a" in "ab" is the same as inserting "cb" after "ab".
  ///
  /// - Parameter ofWords: Whether the texts are those of ``WordSequence``. Then the first of equally
  ///   good places is taken, so that it depends on the texts alone, not on where the edit was.
  mutating func slide(ofWords: Bool = false) {
    for index in edits.indices {
      let edit = edits[index]
      let text: UnsafeBufferPointer<UInt8>
      let block: Range<Int>
      if edit.removed.isEmpty {
        (text, block) = (new, edit.inserted)
      } else if edit.inserted.isEmpty {
        (text, block) = (old, edit.removed)
      } else {
        continue
      }
      // One byte stays between this edit and its neighbours.
      let before =
        index == 0
        ? edit.removed.lowerBound
        : edit.removed.lowerBound - edits[index - 1].removed.upperBound - 1
      let after =
        index + 1 == edits.count
        ? old.count - edit.removed.upperBound
        : edits[index + 1].removed.lowerBound - edit.removed.upperBound - 1
      let shift = bestShift(
        of: block, in: text, before: before, after: after, ofWords: ofWords)
      edits[index] = Edit(
        removed: (edit.removed.lowerBound + shift)..<(edit.removed.upperBound + shift),
        inserted: (edit.inserted.lowerBound + shift)..<(edit.inserted.upperBound + shift))
    }
  }

  /// How far to slide a block of text that may go by so many bytes either way.
  private mutating func bestShift(
    of block: Range<Int>, in text: UnsafeBufferPointer<UInt8>, before: Int, after: Int,
    ofWords: Bool
  ) -> Int {
    var best = (shift: 0, rank: rank(of: block.lowerBound, in: text, ofWords: ofWords))
    guard ofWords || best.rank < 2 else { return 0 }
    var shift = 0
    while shift > -min(before, Self.reach),
      text[block.lowerBound + shift - 1] == text[block.upperBound + shift - 1]
    {
      shift -= 1
      consider(shift)
    }
    shift = 0
    while shift < min(after, Self.reach),
      text[block.lowerBound + shift] == text[block.upperBound + shift]
    {
      shift += 1
      consider(shift)
    }
    return best.shift

    func consider(_ shift: Int) {
      slideSteps += 1
      let start = block.lowerBound + shift
      guard text.isScalarBorder(start), text.isScalarBorder(block.upperBound + shift) else {
        return
      }
      let rank = rank(of: start, in: text, ofWords: ofWords)
      let isNearer = ofWords ? shift < best.shift : abs(shift) < abs(best.shift)
      guard rank > best.rank || (rank == best.rank && isNearer) else { return }
      best = (shift, rank)
    }
  }

  /// 2 for the start of a line, 1 for the start of a word, 0 for any other place.
  private func rank(
    of offset: Int, in text: UnsafeBufferPointer<UInt8>, ofWords: Bool
  ) -> Int {
    guard offset > 0 else { return 2 }
    if ofWords { return text[..<offset].suffix(4).elementsEqual(WordSequence.lineFeed) ? 2 : 0 }
    return switch text[offset - 1] {
    case 0x0A: 2
    case 0x20, 0x09: 1
    default: 0
    }
  }

  /// Widens edits so that they cut no character, neither of the old text nor of the new one.
  ///
  /// An edit that reaches its neighbour becomes one with it.
  mutating func roundToCharacters() {
    var rounded: [Edit] = []
    rounded.reserveCapacity(edits.count)
    var index = 0
    while index < edits.count {
      var edit = edits[index]
      index += 1
      let kept = edit.removed.lowerBound - (rounded.last?.removed.upperBound ?? 0)
      edit = edit.widened(before: shiftBack(from: edit, atMost: kept), after: 0)
      if let last = rounded.last, last.removed.upperBound == edit.removed.lowerBound {
        edit = last.joined(with: edit)
        rounded.removeLast()
      }
      while true {
        let next = index < edits.count ? edits[index] : nil
        let kept = (next?.removed.lowerBound ?? old.count) - edit.removed.upperBound
        let shift = shiftForward(from: edit, atMost: kept)
        edit = edit.widened(before: 0, after: shift)
        guard let next, shift == kept else { break }
        edit = edit.joined(with: next)
        index += 1
      }
      rounded.append(edit)
    }
    edits = rounded
  }

  /// How far before an edit a character begins in both texts.
  ///
  /// The texts are equal there, so one shift serves both. It is 0 if no border is near, or
  /// `limit` if the edit before this one comes first.
  private mutating func shiftBack(from edit: Edit, atMost limit: Int) -> Int {
    let (oldStart, newStart) = (edit.removed.lowerBound, edit.inserted.lowerBound)
    var shift = 0
    while shift < Self.reach {
      guard let oldBorder = oldBorders.start(around: oldStart - shift),
        let newBorder = newBorders.start(around: newStart - shift)
      else { return 0 }
      let further = max(oldStart - oldBorder, newStart - newBorder)
      if further >= limit { return limit }
      if further == shift { return shift }
      shift = further
    }
    return 0
  }

  /// How far after an edit a character ends in both texts; see `shiftBack(from:atMost:)`.
  private mutating func shiftForward(from edit: Edit, atMost limit: Int) -> Int {
    let (oldEnd, newEnd) = (edit.removed.upperBound, edit.inserted.upperBound)
    var shift = 0
    while shift < Self.reach {
      guard let oldBorder = oldBorders.end(around: oldEnd + shift),
        let newBorder = newBorders.end(around: newEnd + shift)
      else { return 0 }
      let further = max(oldBorder - oldEnd, newBorder - newEnd)
      if further >= limit { return limit }
      if further == shift { return shift }
      shift = further
    }
    return 0
  }
}

extension TextDifference.Edit {
  /// This edit with so many more bytes before and after it replaced by themselves.
  func widened(before: Int, after: Int) -> Self {
    Self(
      removed: (removed.lowerBound - before)..<(removed.upperBound + after),
      inserted: (inserted.lowerBound - before)..<(inserted.upperBound + after))
  }

  /// One edit in place of this one and a later one.
  func joined(with later: Self) -> Self {
    Self(
      removed: removed.lowerBound..<later.removed.upperBound,
      inserted: inserted.lowerBound..<later.inserted.upperBound)
  }
}
