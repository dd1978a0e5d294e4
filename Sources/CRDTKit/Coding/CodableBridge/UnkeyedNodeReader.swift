/// Reads an array's elements, one after another.
struct UnkeyedNodeReader: UnkeyedDecodingContainer {
  let decoder: NodeDecoder
  let elements: [CodableNode]
  private(set) var currentIndex = 0

  init(decoder: NodeDecoder, elements: [CodableNode]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard case .null = try part() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next()
  }

  /// The next element as a value of the type that is asked for.
  mutating func next<Value: Decodable>() throws -> Value {
    let value: Value = try decoder.value(of: part(), key: ElementKey(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  func part() throws -> CodableNode {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self, decoder.context("There are no more than \(elements.count) elements."))
    }
    return elements[currentIndex]
  }

  private mutating func nested() throws -> NodeDecoder {
    let decoder = decoder.within(try part(), key: ElementKey(currentIndex))
    currentIndex += 1
    return decoder
  }
}
