/// Finds where the characters of a text begin and end, by looking only nearby.
///
/// Text that doesn't decide within reach, such as a letter under hundreds of marks, has no known
/// borders; the caller then makes do with a scalar border.
struct CharacterBorders {
  private let text: UnsafeBufferPointer<UInt8>
  /// The bytes looked at so far, except where two scalars decided alone.
  private(set) var steps = 0
  private let stepsMax: Int

  /// How many bytes around an offset are looked at.
  private static let reach = 256
  /// How many bytes of regional indicators are counted back.
  private static let flagReach = 4096

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    stepsMax = 2 * text.count + 200_000
  }

  /// The start of the character around a scalar border, or the border itself if characters meet
  /// there; `nil` if that isn't known.
  mutating func start(around offset: Int) -> Int? {
    guard offset > 0, offset < text.count, !isPlainBorder(offset) else { return offset }
    guard steps < stepsMax else { return nil }
    var isCertain = false
    let lower = lookBack(from: offset, &isCertain)
    steps += 8 + offset - lower
    guard let string = string(lower..<(offset + width(at: offset))) else { return nil }
    let last = string.index(before: string.endIndex)
    let start = string.utf8.distance(from: string.startIndex, to: last)
    // Within a long row of regional indicators, it isn't known which make a pair.
    let isKnown = isCertain || (start > 0 && !isRegionalIndicator(lower))
    return isKnown ? lower + start : nil
  }

  /// The end of the character around a scalar border, or the border itself if characters meet
  /// there; `nil` if that isn't known.
  mutating func end(around offset: Int) -> Int? {
    guard let start = start(around: offset) else { return nil }
    guard start < offset else { return offset }
    var upper = min(offset + Self.reach, text.count)
    while upper > offset, !text.isScalarBorder(upper) { upper -= 1 }
    // Most characters end soon, so a short look comes first.
    for limit in [min(offset + 16, upper), upper] {
      var limit = limit
      while limit > offset, !text.isScalarBorder(limit) { limit -= 1 }
      steps += 8 + limit - start
      guard let string = string(start..<limit) else { return nil }
      let next = string.index(after: string.startIndex)
      let end = start + string.utf8.distance(from: string.startIndex, to: next)
      if end < limit || limit == text.count { return end }
    }
    return nil
  }

  /// Goes back to where a character surely begins, or as far as the reach.
  private func lookBack(from offset: Int, _ isCertain: inout Bool) -> Int {
    let lowest = max(0, offset - Self.reach)
    var lower = previous(offset)
    while lower > lowest, !beginsCharacter(lower) { lower = previous(lower) }
    // A pair of regional indicators is one flag, so all of them in a row count.
    let lowestFlag = max(0, offset - Self.flagReach)
    while lower > lowestFlag, isRegionalIndicator(lower), isRegionalIndicator(previous(lower)) {
      lower = previous(lower)
    }
    isCertain = lower == 0 || beginsCharacter(lower)
    return lower
  }

  /// Whether a character begins at `offset` whatever comes before the scalar before it.
  ///
  /// Only ASCII and plain scalars are seen at once; a longer look would find more.
  private func beginsCharacter(_ offset: Int) -> Bool {
    if offset == 0 || isPlainBorder(offset) { return true }
    let start = previous(offset)
    guard text[offset] < 0x80 || isRegionalIndicator(offset) else { return false }
    guard !(isRegionalIndicator(offset) && isRegionalIndicator(start)) else { return false }
    guard let pair = string(start..<(offset + width(at: offset))) else { return false }
    return pair.index(after: pair.startIndex) != pair.endIndex
  }

  /// Whether the scalars on both sides are such as never join.
  @inline(__always)
  private func isPlainBorder(_ offset: Int) -> Bool {
    let before = text[offset - 1]
    let after = text[offset]
    if before < 0x80, after < 0x80 { return !(before == 0x0D && after == 0x0A) }
    return isPlain(offset) && isPlain(previous(offset))
  }

  /// Whether the scalar is a letter or sign that joins with no other of this kind.
  private func isPlain(_ offset: Int) -> Bool {
    let first = text[offset]
    if first < 0x80 { return true }
    guard offset + 1 < text.count else { return false }
    let second = text[offset + 1]
    switch first {
    // Latin to U+02FF.
    case 0xC2...0xCB: return true
    // Greek and Cyrillic, without the marks U+0483 to U+0489.
    case 0xCE...0xD1: return true
    case 0xD2: return second >= 0x8A
    // Kana; U+3099 and U+309A are marks.
    case 0xE3:
      guard offset + 2 < text.count else { return false }
      let third = text[offset + 2]
      return second == 0x83 || (second == 0x81 && third >= 0x81)
        || (second == 0x82 && third != 0x99 && third != 0x9A)
        || second >= 0x90
    // Chinese characters.
    case 0xE4...0xE9: return true
    // Hangul syllables from U+B000 on.
    case 0xEB, 0xEC: return true
    default: return false
    }
  }

  @inline(__always)
  private func isRegionalIndicator(_ offset: Int) -> Bool {
    offset + 4 <= text.count && text[offset] == 0xF0 && text[offset + 1] == 0x9F
      && text[offset + 2] == 0x87 && text[offset + 3] >= 0xA6
  }

  /// The start of the scalar that ends at `offset`, which isn't 0.
  @inline(__always)
  private func previous(_ offset: Int) -> Int {
    var start = offset - 1
    while start > 0, text[start].isContinuation { start -= 1 }
    return start
  }

  /// A range of the text; `nil` if it is no valid UTF-8, so that its offsets would be others.
  private func string(_ range: Range<Int>) -> String? {
    String(validating: text[range], as: UTF8.self)
  }

  /// The bytes of the scalar that starts at `offset`.
  private func width(at offset: Int) -> Int {
    var end = offset + 1
    while !text.isScalarBorder(end) { end += 1 }
    return end - offset
  }
}
