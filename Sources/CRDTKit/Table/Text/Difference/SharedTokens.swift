/// What a text is divided into.
enum TokenKind {
  /// A line with its line feed and the empty lines after it.
  case line
  /// A word with the spaces and signs after it, or a piece of a long run of letters.
  case word
}

/// The tokens of two texts that occur in both, numbered so that equal tokens have equal numbers.
///
/// A token that only one of the texts has can't be kept, so leaving it out changes nothing of the
/// longest common subsequence.
struct SharedTokens {
  struct Side {
    /// The number of each shared token.
    var numbers: [UInt32] = []
    fileprivate var tokens: [UInt32] = []
    fileprivate var starts: [UInt32] = []

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }

    /// The bytes of the shared token at `index`.
    func range(_ index: Int) -> Range<Int32> {
      let token = Int(tokens[index])
      return Int32(starts[token])..<Int32(starts[token + 1])
    }
  }

  private(set) var old = Side()
  private(set) var new = Side()

  /// Divides two texts and finds what they share; `nil` if the tokens would be hardly longer than
  /// scalars, which would take much memory and gain nothing.
  init?(
    _ kind: TokenKind, _ oldText: UnsafeBufferPointer<UInt8>,
    _ newText: UnsafeBufferPointer<UInt8>
  ) {
    guard Self.divide(oldText, kind, into: &old.starts),
      Self.divide(newText, kind, into: &new.starts)
    else { return nil }
    var table = TokenTable(text: oldText, tokenCount: old.starts.count - 1)
    var oldNumbers = [UInt32](repeating: 0, count: old.starts.count - 1)
    for token in oldNumbers.indices {
      oldNumbers[token] = table.insert(old.starts[token]..<old.starts[token + 1])
    }
    var isShared = [Bool](repeating: false, count: Int(table.count))
    for token in 0..<(new.starts.count - 1) {
      let range = Int(new.starts[token])..<Int(new.starts[token + 1])
      let bytes = UnsafeBufferPointer(rebasing: newText[range])
      guard let number = table.number(of: bytes) else { continue }
      isShared[Int(number)] = true
      new.numbers.append(number)
      new.tokens.append(UInt32(token))
    }
    for (token, number) in oldNumbers.enumerated() where isShared[Int(number)] {
      old.numbers.append(number)
      old.tokens.append(UInt32(token))
    }
  }

  /// The least average length of tokens that are worth comparing.
  private static let lengthMin = 4

  /// Finds where tokens start, and the end of the text; false if there would be too many.
  private static func divide(
    _ text: UnsafeBufferPointer<UInt8>, _ kind: TokenKind, into starts: inout [UInt32]
  ) -> Bool {
    let countMax = text.count / lengthMin + 16
    starts.append(0)
    for offset in 1..<max(1, text.count) {
      let isStart =
        switch kind {
        case .line: text[offset - 1] == 0x0A && text[offset] != 0x0A
        case .word: isWordStart(offset, in: text)
        }
      guard isStart else { continue }
      guard starts.count < countMax else { return false }
      starts.append(UInt32(offset))
    }
    starts.append(UInt32(text.count))
    return true
  }

  @inline(__always)
  private static func isWordStart(_ offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let byte = text[offset]
    guard isLetter(byte), !byte.isContinuation else { return false }
    guard isLetter(text[offset - 1]) else { return true }
    // Within a long run of letters, the last four bytes decide, so that both texts are divided
    // alike: after about every 32nd byte, and every fourth scalar from U+3000 on, where scripts
    // have no spaces.
    guard offset >= 4, let start = text.baseAddress else { return false }
    let last = UnsafeRawPointer(start).loadUnaligned(fromByteOffset: offset - 4, as: UInt32.self)
    return (UInt32(littleEndian: last) &* 0x9E37_79B1) >> (byte < 0xE3 ? 27 : 30) == 0
  }

  @inline(__always)
  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F
  }
}
