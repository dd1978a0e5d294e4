/// Takes the bytes of a terminal's input apart into keys.
///
/// It passes over sequences that it doesn't know. What may be the beginning of a longer sequence
/// waits for the rest.
package struct KeyParser {
  private var waiting: [UInt8] = []
  private var isPasting = false

  package init() {}

  /// Whether an escape sequence has begun; the escape key alone sends its first byte.
  package var isInSequence: Bool { !isPasting && waiting.first == Self.escape }

  /// Gives up a sequence that has begun: nothing more came of it.
  package mutating func giveUp() {
    if isInSequence { waiting = [] }
  }

  /// Takes bytes in, and returns the keys that they complete.
  package mutating func parse(_ bytes: some Sequence<UInt8>) -> [Key] {
    let all = waiting + bytes
    waiting = []
    var (rest, keys) = (all[...], [Key]())
    while let first = rest.first {
      let before = rest.count
      if isPasting {
        parsePasted(&rest, &keys)
      } else if first == Self.escape {
        parseSequence(&rest, &keys)
      } else if first < 0x20 || first == 0x7F {
        rest.removeFirst()
        if let key = Key(control: first) { keys.append(key) }
      } else {
        parseText(&rest, &keys)
      }
      if rest.count == before { break }
    }
    waiting = Array(rest)
    return keys
  }

  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// The maximum length of a sequence.
  private static let lengthMax = 4_096

  private mutating func parseText(_ rest: inout ArraySlice<UInt8>, _ keys: inout [Key]) {
    let run = rest.prefix { $0 >= 0x20 && $0 != 0x7F }
    let isCut = run.endIndex == rest.endIndex
    let text = run.dropLast(isCut ? run.cutScalarLength : 0)
    guard !text.isEmpty else { return }
    keys.append(.text(String(decoding: text, as: UTF8.self)))
    rest = rest.dropFirst(text.count)
  }

  private mutating func parsePasted(_ rest: inout ArraySlice<UInt8>, _ keys: inout [Key]) {
    var (text, next) = (rest, rest.endIndex)
    if let end = rest.firstRange(of: Self.pasteEnd) {
      (text, next) = (rest[..<end.lowerBound], end.upperBound)
      isPasting = false
    } else {
      let cut = (1..<Self.pasteEnd.count).last { rest.suffix($0) == Self.pasteEnd.prefix($0) }
      text = text.dropLast(cut ?? text.cutScalarLength)
      // A line feed may follow.
      if text.last == 0x0D { text.removeLast() }
      next = text.endIndex
    }
    rest = rest[next...]
    guard !text.isEmpty else { return }
    let string = String(decoding: text, as: UTF8.self)
    keys.append(.paste(string.replacing("\r\n", with: "\n").replacing("\r", with: "\n")))
  }

  private mutating func parseSequence(_ rest: inout ArraySlice<UInt8>, _ keys: inout [Key]) {
    guard let length = Self.length(of: rest) else {
      if rest.count > Self.lengthMax { rest = [] }
      return
    }
    let sequence = rest.prefix(length)
    rest = rest.dropFirst(length)
    guard length >= 3, let last = sequence.last else { return }
    let kind = sequence[sequence.startIndex + 1]
    guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O"),
      sequence[sequence.startIndex + 2] != UInt8(ascii: "[")
    else { return }
    if last == UInt8(ascii: "~") {
      let digits = sequence.dropFirst(2).prefix { 0x30...0x39 ~= $0 }
      let number = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      isPasting = number == 200
      if let key = Key(number: number) { keys.append(key) }
    } else if let key = Key(letter: last) {
      keys.append(key)
    }
  }

  /// The length of the sequence at the beginning of some bytes; `nil` if more of it may follow.
  private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    guard let kind = bytes.dropFirst().first else { return nil }
    let body = bytes.dropFirst(2)
    switch kind {
    case UInt8(ascii: "["):
      // The function keys of the Linux console.
      if body.first == kind { return body.count > 1 ? 4 : nil }
      guard let end = body.firstIndex(where: { !(0x20...0x3F ~= $0) }) else { return nil }
      let isWhole = 0x40...0x7E ~= bytes[end]
      return end - bytes.startIndex + (isWhole ? 1 : 0)
    case UInt8(ascii: "O"): return body.isEmpty ? nil : 3
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      // A string of the terminal's: it ends with BEL or with `ESC \`.
      for place in body.indices {
        if bytes[place] == 0x07 { return place - bytes.startIndex + 1 }
        let next = place + 1
        guard bytes[place] == escape, next < bytes.endIndex else { continue }
        return next - bytes.startIndex + (bytes[next] == UInt8(ascii: "\\") ? 1 : 0)
      }
      return nil
    case escape: return 1
    default:
      // A key with the alternate key.
      let character = bytes.dropFirst().prefix(4)
      let length = character.first?.scalarLength ?? 1
      return character.count < length ? nil : 1 + length
    }
  }
}

extension UInt8 {
  /// The length of a scalar in UTF-8 that begins with this byte; 1 if none does.
  fileprivate var scalarLength: Int {
    switch self {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}

extension ArraySlice<UInt8> {
  /// The number of bytes at the end that begin a scalar and don't complete it.
  fileprivate var cutScalarLength: Int {
    for length in 1...3 where length <= count {
      let first = self[endIndex - length]
      if first.scalarLength > length { return length }
      if first & 0xC0 != 0x80 { return 0 }
    }
    return 0
  }
}
