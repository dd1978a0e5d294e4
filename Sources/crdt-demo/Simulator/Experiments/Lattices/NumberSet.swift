import CRDTKit

/// A set of small numbers that only grows, a bit each: the experiments' `GSet`.
struct NumberSet: Lattice {
  /// A bit a number.
  private var words: [UInt64] = []

  init() {}

  init(_ numbers: some Sequence<Int>) {
    for number in numbers { insert(number) }
  }

  mutating func insert(_ number: Int) {
    let place = number >> 6
    if place >= words.count {
      words += repeatElement(0, count: place + 1 - words.count)
    }
    words[place] |= 1 << UInt64(number & 63)
  }

  func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] & 1 << UInt64(number & 63) != 0
  }

  func delta(of update: ExperimentUpdate, by node: Int) -> NumberSet {
    guard case .insert(let number) = update, !contains(number) else { return NumberSet() }
    return NumberSet(CollectionOfOne(number))
  }

  mutating func join(_ other: NumberSet) {
    if words.count < other.words.count {
      words += repeatElement(0, count: other.words.count - words.count)
    }
    for place in other.words.indices { words[place] |= other.words[place] }
  }

  func inflation(over other: NumberSet) -> NumberSet {
    var news = self
    for place in 0..<min(words.count, other.words.count) {
      news.words[place] &= ~other.words[place]
    }
    news.dropEmptyEnd()
    return news
  }

  /// Equal sets must have equal words.
  private mutating func dropEmptyEnd() {
    while words.last == 0 { words.removeLast() }
  }

  var elementCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  var isBottom: Bool { words.isEmpty }

  /// The numbers in order.
  var numbers: [Int] {
    var numbers: [Int] = []
    forEach { numbers.append($0) }
    return numbers
  }

  /// Gives the body each number, in order.
  func forEach(_ body: (Int) -> Void) {
    for (place, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(place << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(elementCount))
    var previous = 0
    for (place, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        let number = place << 6 + rest.trailingZeroBitCount
        writer.write(signedVarint: Int64(number - previous))
        previous = number
        rest &= rest - 1
      }
    }
  }

  var reading: [UInt64: UInt64] {
    Dictionary(uniqueKeysWithValues: numbers.map { (UInt64($0), 1) })
  }
}
