/// A text as a sequence of words, of which equal ones have equal numbers.
///
/// A word is a run of letters and digits, or a single other scalar with what belongs to it; so is
/// each scalar of scripts that don't separate words. The spaces behind a word are no part of it.
struct WordSequence {
  typealias Edit = TextDifference.Edit

  /// The scalar of a line feed.
  static let lineFeed: [UInt8] = [0xF0, 0x90, 0x80, 0x80]

  /// The bytes of the text.
  let bytes: UnsafeBufferPointer<UInt8>
  /// Where each word begins, and the end of the text.
  ///
  /// The first word is empty: behind it are the spaces with which the text begins.
  private(set) var starts: [Int] = [0]
  /// Where each word ends.
  private(set) var ends: [Int] = [0]
  /// The words as scalars of four bytes, so that ``TextDifference`` compares them.
  private(set) var scalars: [UInt8] = []

  var count: Int { ends.count }

  /// The bytes of words, with the spaces behind them.
  subscript(words: Range<Int>) -> Slice<UnsafeBufferPointer<UInt8>> {
    bytes[starts[words.lowerBound]..<starts[words.upperBound]]
  }

  /// The bytes of a word.
  func word(_ index: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
    bytes[starts[index]..<ends[index]]
  }

  /// The scalar of a word.
  func scalar(_ index: Int) -> ArraySlice<UInt8> { scalars[4 * index..<4 * index + 4] }

  /// The number that a word has in common with those that are equal.
  func number(of index: Int) -> UInt32 {
    scalar(index).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The bytes of the spaces behind a word.
  func spaces(_ index: Int) -> Range<Int> { ends[index]..<starts[index + 1] }

  /// Divides several texts, which follow one another and have a line feed before them; `nil` if
  /// there are more different words than scalars.
  static func sequences(
    of texts: [Range<Int>], in bytes: UnsafeBufferPointer<UInt8>
  ) -> [WordSequence]? {
    guard bytes.count < Int(UInt32.max) else { return nil }
    var sequences = texts.map { WordSequence(UnsafeBufferPointer(rebasing: bytes[$0])) }
    let count = sequences.reduce(0) { $0 + $1.count }
    var table = TokenTable(text: bytes, tokenCount: count)
    _ = table.insert(0..<1)
    for number in sequences.indices {
      let start = texts[number].lowerBound
      let (starts, ends) = (sequences[number].starts, sequences[number].ends)
      var scalars: [UInt8] = []
      scalars.reserveCapacity(4 * ends.count)
      for (from, to) in zip(starts, ends) {
        let word = table.insert(UInt32(start + from)..<UInt32(start + to))
        guard let scalar = UnicodeScalar(0x10000 + word) else { return nil }
        scalars += Array(String(scalar).utf8)
      }
      sequences[number].scalars = scalars
    }
    return sequences
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    var place = 0
    while true {
      while place < bytes.count, Self.kind(at: place, in: bytes) == .space { place += 1 }
      starts.append(place)
      if place == bytes.count { return }
      let kind = Self.kind(at: place, in: bytes)
      place += bytes[place].scalarLength
      if kind == .letter {
        while place < bytes.count, Self.kind(at: place, in: bytes) == .letter {
          place += bytes[place].scalarLength
        }
      } else {
        place = Self.endOfSign(at: place, in: bytes)
      }
      ends.append(place)
    }
  }

  private enum Kind {
    case letter, space, other
  }

  private static func kind(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Kind {
    switch bytes[place] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      .letter
    case UInt8(ascii: " "), UInt8(ascii: "\t"): .space
    // Letters of alphabets up to U+0DFF, from Georgian to Cherokee, of Latin and Greek with
    // accents, and Hangul: scripts that separate words.
    case 0xC3...0xDF, 0xEB, 0xEC: .letter
    case 0xE0: bytes[place + 1] < 0xB8 ? .letter : .other
    case 0xE1: 0x82...0x8F ~= bytes[place + 1] || bytes[place + 1] >= 0xB8 ? .letter : .other
    case 0xEA: bytes[place + 1] >= 0xB0 ? .letter : .other
    case 0xED: bytes[place + 1] <= 0x9E ? .letter : .other
    default: .other
    }
  }

  /// The end of a sign of several scalars, as an emoji with a skin color or a family.
  private static func endOfSign(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var place = start
    var isJoined = false
    while place < bytes.count {
      let next = bytes[place..<min(bytes.count, place + 4)]
      let isJoiner = next.starts(with: [0xE2, 0x80, 0x8D])
      let isPart =
        isJoiner || next.starts(with: [0xEF, 0xB8, 0x8F])
        || next.starts(with: [0xF0, 0x9F, 0x8F]) && 0xBB...0xBF ~= bytes[place + 3]
      guard isPart || isJoined else { break }
      isJoined = isJoiner
      place += bytes[place].scalarLength
    }
    return place
  }

  /// Whether a word is of letters, so that a space has to be between it and another such word.
  func isOfLetters(_ index: Int) -> Bool {
    starts[index] < ends[index] && Self.kind(at: starts[index], in: bytes) == .letter
  }

  /// Whether a word is an ASCII sign or a line feed.
  func isSign(_ index: Int) -> Bool {
    starts[index] < ends[index] && bytes[starts[index]] < 0x80 && !isOfLetters(index)
  }

  /// Whether a word is a line feed.
  func isLineFeed(_ index: Int) -> Bool {
    starts[index] < ends[index] && bytes[starts[index]] == 0x0A
  }
}

extension TextDifference {
  /// The edits that turn a sequence of words into another, as scalars; offsets are those of words.
  ///
  /// Each is at the first of the places at which it gives the same result.
  static func edits(ofWords old: [UInt8], to new: [UInt8]) -> [Edit] {
    let edits = old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        TextDifference(from: old, to: new, isRounded: false).edits
      }
    }
    return placed(edits.map { $0.scaled { $0 / 4 } }, ofWords: old, to: new)
  }

  /// Moves edits to the first of the places at which they give the same result.
  static func placed(_ edits: [Edit], ofWords old: [UInt8], to new: [UInt8]) -> [Edit] {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        var placement = EditPlacement(old: old, new: new, edits: edits.map { $0.scaled { $0 * 4 } })
        placement.slide(ofWords: true)
        return placement.edits.map { $0.scaled { $0 / 4 } }
      }
    }
  }
}

extension TextDifference.Edit {
  fileprivate func scaled(_ scale: (Int) -> Int) -> Self {
    Self(
      removed: scale(removed.lowerBound)..<scale(removed.upperBound),
      inserted: scale(inserted.lowerBound)..<scale(inserted.upperBound))
  }
}
