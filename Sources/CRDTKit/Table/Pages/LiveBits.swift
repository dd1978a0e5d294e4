/// A bitmap of the slots of a page that hold a live row: sixteen words of 64 bits.
@frozen
@usableFromInline
package struct LiveBits: Hashable, Sendable {
  @usableFromInline package var words: SIMD16<UInt64>

  /// The number of slots of a page.
  @inlinable
  package static var slotCount: Int { 1_024 }

  @inlinable
  package init() {
    words = .zero
  }

  @inlinable
  init(words: SIMD16<UInt64>) {
    self.words = words
  }

  /// Creates a bitmap of the first `count` slots; empty if `count` is negative, full from
  /// 1,024.
  @inlinable
  package init(first count: Int) {
    words = .zero
    if count >= LiveBits.slotCount {
      words = SIMD16(repeating: .max)
    } else if count > 0 {
      for word in 0..<count &>> 6 { words[word] = .max }
      if count & 63 != 0 { words[count &>> 6] = (1 &<< UInt64(count & 63)) &- 1 }
    }
  }

  /// Creates a bitmap of consecutive slots.
  init(_ slots: Range<Int>) {
    self.init()
    insert(slots)
  }

  /// Whether the slot holds a live row.
  @inlinable
  package subscript(slot: Int) -> Bool {
    // The masks show the compiler that the word exists, so that it loads only that one.
    get { words[slot &>> 6 & 15] &>> UInt64(slot & 63) & 1 == 1 }
    set {
      let bit: UInt64 = 1 &<< UInt64(slot & 63)
      if newValue { words[slot &>> 6 & 15] |= bit } else { words[slot &>> 6 & 15] &= ~bit }
    }
  }

  /// Whether no row is live.
  @inlinable
  package var isEmpty: Bool { words == .zero }

  /// The number of live rows.
  @inlinable
  package var count: Int {
    var sum = 0
    for word in 0..<16 { sum &+= words[word].nonzeroBitCount }
    return sum
  }

  /// Returns how many live rows come before the slot.
  @inlinable
  package func rank(of slot: Int) -> Int {
    var sum = 0
    for word in 0..<slot &>> 6 { sum &+= words[word].nonzeroBitCount }
    let below: UInt64 = (1 &<< UInt64(slot & 63)) &- 1
    return sum &+ (words[slot &>> 6] & below).nonzeroBitCount
  }

  /// Returns the first live slot at or after the given one, or 1,024.
  @inlinable
  package func next(from slot: Int) -> Int {
    guard slot < LiveBits.slotCount else { return LiveBits.slotCount }
    var word = slot &>> 6
    var rest = words[word & 15] & (.max &<< UInt64(slot & 63))
    while rest == 0 {
      word &+= 1
      if word == 16 { return LiveBits.slotCount }
      rest = words[word & 15]
    }
    return word &<< 6 &+ rest.trailingZeroBitCount
  }

  /// Returns the first slot at or after the given one that isn't live, or 1,024.
  @inlinable
  package func nextGap(from slot: Int) -> Int {
    guard slot < LiveBits.slotCount else { return LiveBits.slotCount }
    var word = slot &>> 6
    var rest = ~words[word & 15] & (.max &<< UInt64(slot & 63))
    while rest == 0 {
      word &+= 1
      if word == 16 { return LiveBits.slotCount }
      rest = ~words[word & 15]
    }
    return word &<< 6 &+ rest.trailingZeroBitCount
  }

  /// Returns how many of some consecutive slots are live.
  func count(in slots: Range<Int>) -> Int {
    guard !slots.isEmpty else { return 0 }
    let last = (slots.upperBound &- 1) &>> 6
    var word = slots.lowerBound &>> 6
    var rest = words[word & 15] & (.max &<< UInt64(slots.lowerBound & 63))
    var sum = 0
    while word < last {
      sum &+= rest.nonzeroBitCount
      word &+= 1
      rest = words[word & 15]
    }
    return sum &+ (rest & (.max &>> UInt64(63 &- (slots.upperBound &- 1) & 63))).nonzeroBitCount
  }

  /// Adds consecutive slots.
  mutating func insert(_ slots: Range<Int>) {
    guard !slots.isEmpty else { return }
    let last = (slots.upperBound &- 1) &>> 6
    var word = slots.lowerBound &>> 6
    var mask: UInt64 = .max &<< UInt64(slots.lowerBound & 63)
    while word < last {
      words[word & 15] |= mask
      mask = .max
      word &+= 1
    }
    words[word & 15] |= mask & (.max &>> UInt64(63 &- (slots.upperBound &- 1) & 63))
  }

  /// The last live slot, or -1.
  @inlinable
  package var last: Int {
    var word = 15
    while word >= 0, words[word] == 0 { word &-= 1 }
    return word < 0 ? -1 : word &<< 6 &+ 63 &- words[word].leadingZeroBitCount
  }

  @inlinable
  package static func & (left: LiveBits, right: LiveBits) -> LiveBits {
    LiveBits(words: left.words & right.words)
  }

  @inlinable
  package static func | (left: LiveBits, right: LiveBits) -> LiveBits {
    LiveBits(words: left.words | right.words)
  }

  @inlinable
  package static prefix func ~ (bits: LiveBits) -> LiveBits {
    LiveBits(words: ~bits.words)
  }
}
