import Toolkit

/// Decodes the elements of one column by the article on the format, into a plain list.
///
/// It takes valid bytes as they are, and doesn't look whether they could be shorter.
package struct PlainElementReader {
  /// Bytes that aren't elements, at an offset.
  package struct Failure: Error { package var offset: Int }

  private let bytes: [UInt8]
  private let replica: UInt64
  private let replicas: [UInt64]
  private var offset: Int
  private var (lastOwn, lastOther): (UInt64, UInt64) = (0, 0)
  private var starts: [[UInt8]] = []
  private var elements: [PlainElement] = []
  private var rightOrigin: ElementID?

  /// Returns the elements of a replica's events after a base, and where their bytes end.
  package static func decode(
    _ bytes: [UInt8], at offset: Int, of replica: UInt64, after base: UInt64 = 0,
    replicas: [UInt64]
  ) throws(Failure) -> (elements: [PlainElement], end: Int) {
    var reader = PlainElementReader(
      bytes: bytes, replica: replica, replicas: replicas, offset: offset)
    try reader.read(after: base)
    return (reader.elements, reader.offset)
  }

  private init(bytes: [UInt8], replica: UInt64, replicas: [UInt64], offset: Int) {
    (self.bytes, self.replica, self.replicas) = (bytes, replica, replicas)
    self.offset = offset
  }

  private mutating func read(after base: UInt64) throws(Failure) {
    var block = PlainElement.block(of: base + 1)
    for _ in 0..<(try number()) {
      block += try number()
      var next = max(base + 1, block * 1_024 + 1)
      var deadAtEnd: UInt64 = 0
      block += 1
      let word = try number()
      for run in 0..<word / 2 {
        try readRun(
          from: &next, &deadAtEnd, end: block * 1_024, goesOn: run == 0 && word % 2 == 1)
      }
    }
    let count = try number()
    let text = try take(Int(count))
    var scalars = String(decoding: text, as: UTF8.self).unicodeScalars.makeIterator()
    for place in elements.indices where elements[place].scalar != nil {
      guard let scalar = scalars.next() else { throw Failure(offset: offset) }
      elements[place].scalar = scalar
    }
    guard scalars.next() == nil else { throw Failure(offset: offset) }
  }

  /// Reads a run up to a last counter of its page; its text follows later.
  private mutating func readRun(
    from next: inout UInt64, _ deadAtEnd: inout UInt64, end: UInt64, goesOn: Bool
  ) throws(Failure) {
    let head = try take(1)[0]
    switch head & 3 {
    case 0: break
    case 1: next += 1
    case 2: next += deadAtEnd
    default: next += try number() + 2
    }
    var count = UInt64(head >> 4)
    if count == 15 { count += try number() }
    if count == 0 { count = end + 1 - next }
    guard next + count <= end + 1 else { throw Failure(offset: offset) }
    var isDead = [Bool](repeating: head >> 2 & 3 == 1, count: Int(count))
    if head >> 2 & 3 == 2 {
      let last = try number()
      for place in (count - last)..<count { isDead[Int(place)] = true }
    } else if head >> 2 & 3 == 3 {
      var place = 0
      for _ in 0...(try number()) {
        place += Int(try number())
        for _ in 0...(try number()) {
          isDead[place] = true
          place += 1
        }
      }
    }
    for place in isDead.indices {
      let id = ElementID(replica: replica, counter: next)
      next += 1
      var element = PlainElement(id, .start, before: rightOrigin, isDead[place] ? nil : " ")
      if place > 0 || goesOn, let last = elements.last {
        element.parent = .element(last.id)
      } else {
        element = try readAnchor(of: element)
        rightOrigin = element.rightOriginOfRun
      }
      elements.append(element)
    }
    deadAtEnd = UInt64(isDead.reversed().prefix { $0 }.count)
  }

  private mutating func readAnchor(of plain: PlainElement) throws(Failure) -> PlainElement {
    var (element, parent) = (plain, plain.id)
    var word = try number()
    if word >> 1 & 3 == 3 {
      element.standInCount = Int(word >> 3)
      word = try number()
    }
    let isMarked = word % 2 == 1
    switch word >> 1 & 3 {
    case 0 where word >> 3 == 0: element.parent = isMarked ? .named(try readStart()) : .start
    case 0, 1:
      parent.counter = Self.counter(
        word >> 3, from: word >> 1 & 3 == 0 ? plain.id.counter : lastOwn)
      lastOwn = parent.counter
    default:
      lastOther = Self.counter(word >> 3, from: lastOther)
      parent = ElementID(replica: try readReplica(), counter: lastOther)
    }
    if parent != plain.id {
      element.parent = .element(parent)
      element.isLeft = isMarked
    }
    element.rightOrigin = nil
    guard !element.isLeft else { return element }
    let step = try number()
    guard step > 0 else { return element }
    var origin = ElementID(
      replica: parent.replica, counter: Self.counter(step / 2, from: parent.counter))
    if step % 2 == 1 { origin.replica = try readReplica() }
    element.rightOrigin = origin
    return element
  }

  private mutating func readStart() throws(Failure) -> [UInt8] {
    let place = Int(try number())
    guard place <= starts.count else { throw Failure(offset: offset) }
    if place == 0 { starts.append(Array(try take(16))) }
    return starts[place == 0 ? starts.count - 1 : place - 1]
  }

  private mutating func readReplica() throws(Failure) -> UInt64 {
    let place = Int(try number())
    guard place <= replicas.count else { throw Failure(offset: offset) }
    return place > 0 ? replicas[place - 1] : try take(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func take(_ count: Int) throws(Failure) -> [UInt8] {
    guard count <= bytes.count - offset else { throw Failure(offset: offset) }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  private mutating func number() throws(Failure) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try take(1)[0]
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return number }
      shift += 7
    }
  }

  private static func counter(_ zigzag: UInt64, from other: UInt64) -> UInt64 {
    zigzag % 2 == 0 ? other + zigzag / 2 : other - zigzag / 2 - 1
  }
}
