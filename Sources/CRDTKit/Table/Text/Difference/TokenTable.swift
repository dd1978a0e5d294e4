/// A hash table of the tokens of one text.
///
/// It compares bytes, so tokens with equal hashes stay apart. It looks at a bounded number of
/// slots, so a text made for equal hashes doesn't slow it down: a token that finds no slot counts
/// as unlike any other.
struct TokenTable {
  /// How many different tokens there are.
  private(set) var count: UInt32 = 0
  private let text: UnsafeBufferPointer<UInt8>
  /// One more than the token's number, or 0 for an empty slot.
  private var slots: [UInt32]
  /// The first place of each token, by its number.
  private var tokens: [Range<UInt32>] = []

  init(text: UnsafeBufferPointer<UInt8>, tokenCount: Int) {
    self.text = text
    var capacity = 16
    while capacity < 2 * tokenCount { capacity *= 2 }
    slots = [UInt32](repeating: 0, count: capacity)
  }

  /// The number of the token in `range` of the text, which is a new one if it wasn't seen before.
  mutating func insert(_ range: Range<UInt32>) -> UInt32 {
    let bytes = UnsafeBufferPointer(
      rebasing: text[Int(range.lowerBound)..<Int(range.upperBound)])
    let slot = slot(of: bytes)
    if let slot, slots[slot] != 0 { return slots[slot] - 1 }
    tokens.append(range)
    count += 1
    if let slot { slots[slot] = count }
    return count - 1
  }

  /// The number of the token with these bytes; `nil` if the text has none.
  func number(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard let slot = slot(of: bytes), slots[slot] != 0 else { return nil }
    return slots[slot] - 1
  }

  /// The slot that holds these bytes, or the empty one where they belong; `nil` if neither is
  /// near.
  private func slot(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var slot = Self.hash(bytes) & (slots.count - 1)
    for _ in 0..<32 {
      if slots[slot] == 0 || isEqual(tokens[Int(slots[slot] - 1)], bytes) { return slot }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private func isEqual(_ range: Range<UInt32>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard range.count == bytes.count, let mine = text.baseAddress, let theirs = bytes.baseAddress
    else { return false }
    let start = mine + Int(range.lowerBound)
    return start.countEqual(to: theirs, limit: bytes.count) == bytes.count
  }

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
    var hash = UInt64(bytes.count)
    var offset = 0
    while offset < bytes.count {
      var word: UInt64 = 0
      if offset + 8 <= bytes.count {
        word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      } else {
        for rest in offset..<bytes.count { word = word << 8 | UInt64(bytes[rest]) }
      }
      let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      hash = product.high ^ product.low
      offset += 8
    }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
