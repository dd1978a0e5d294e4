internal import Synchronization

/// Reads an object's fields by their keys.
///
/// A class, because the standard library's container copies a struct in each call.
final class KeyedNodeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: NodeDecoder
  private let fields: [CodableNode.Field]
  /// The index of the field that is expected next: types mostly read their fields in the
  /// order in which they were written.
  private let next = Atomic(0)

  init(decoder: NodeDecoder, fields: [CodableNode.Field]) {
    self.decoder = decoder
    self.fields = fields
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { fields.inOrder.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { field(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    if case .null = try part(key) { return true }
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.value(type, of: part(key), key: key)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    if case .text(let text)? = field(key) { return text }
    return try decoder.value(type, of: part(key), key: key)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    if case .bool(let value)? = field(key) { return value }
    return try decoder.value(type, of: part(key), key: key)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    if case .int(let number)? = field(key), let number = Int(exactly: number) { return number }
    return try decoder.value(type, of: part(key), key: key)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    if case .double(let number)? = field(key) { return number }
    return try decoder.value(type, of: part(key), key: key)
  }

  func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    switch field(key) {
    case nil, .null?: nil
    case let part?: try decoder.value(of: part, key: key)
    }
  }

  // The standard library has default methods for these types, which search three times; and
  // a generic method looks up its types at run time.

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    switch field(key) {
    case nil, .null?: nil
    case .text(let text)?: text
    case let part?: try decoder.value(of: part, key: key)
    }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    switch field(key) {
    case nil, .null?: nil
    case .bool(let value)?: value
    case let part?: try decoder.value(of: part, key: key)
    }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    switch field(key) {
    case nil, .null?: nil
    case let part?: try decoder.value(of: part, key: key)
    }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    switch field(key) {
    case nil, .null?: nil
    case .double(let number)?: number
    case let part?: try decoder.value(of: part, key: key)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nested(SuperKey()) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

  private func field(_ key: some CodingKey) -> CodableNode? {
    let name = key.stringValue
    let place = next.load(ordering: .relaxed)
    if place < fields.count, fields[place].key.isSpelled(as: name) {
      next.store(place + 1, ordering: .relaxed)
      return fields[place].node
    }
    return CodableNode.place(of: name, in: fields).map { fields[$0].node }
  }

  func part(_ key: some CodingKey) throws -> CodableNode {
    guard let node = field(key) else {
      throw DecodingError.keyNotFound(key, decoder.context("There is no \(key.stringValue)."))
    }
    return node
  }

  private func nested(_ key: some CodingKey) throws -> NodeDecoder {
    decoder.within(try part(key), key: key)
  }
}

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

  /// Decodes the next element as the requested type.
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

/// Reads a node as one value.
struct SingleNodeReader: SingleValueDecodingContainer {
  let decoder: NodeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    if case .null = decoder.node { return true }
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.value(type, of: decoder.node, deeper: 0)
  }

  func decode(_ type: String.Type) throws -> String {
    if case .text(let text) = decoder.node { return text }
    return try decoder.value(type, of: decoder.node, deeper: 0)
  }

  func decode(_ type: Int.Type) throws -> Int {
    if case .int(let number) = decoder.node, let number = Int(exactly: number) { return number }
    return try decoder.value(type, of: decoder.node, deeper: 0)
  }
}

/// The index of an array's element, in a coding path.
struct ElementKey: CodingKey {
  let place: Int

  init(_ place: Int) { self.place = place }

  var intValue: Int? { place }
  init?(intValue: Int) { self.init(intValue) }

  var stringValue: String { String(place) }
  init?(stringValue: String) {
    guard let place = Int(stringValue) else { return nil }
    self.init(place)
  }
}

/// The name of a dictionary's entry, in a coding path.
struct EntryKey: CodingKey {
  let stringValue: String

  init(stringValue: String) { self.stringValue = stringValue }

  var intValue: Int? { Int(stringValue) }
  init?(intValue: Int) { self.init(stringValue: String(intValue)) }
}

/// The key of a superclass's encoding.
struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }

  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}
