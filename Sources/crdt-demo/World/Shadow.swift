/// Which edits of a ``World`` something has seen, by the numbers that the world gives them.
///
/// It is test equipment: it goes with values and messages, and no node looks at it.
struct Shadow: Equatable, Sendable {
  private var words: ContiguousArray<UInt64> = []

  func contains(_ serial: Int) -> Bool {
    let word = serial / 64
    return word < words.count && words[word] >> (serial % 64) & 1 == 1
  }

  mutating func insert(_ serial: Int) {
    grow(to: serial / 64 + 1)
    words[serial / 64] |= 1 << (serial % 64)
  }

  mutating func formUnion(_ other: Shadow) {
    grow(to: other.words.count)
    for place in other.words.indices { words[place] |= other.words[place] }
  }

  private mutating func grow(to count: Int) {
    while words.count < count { words.append(0) }
  }
}
