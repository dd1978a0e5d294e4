/// Reads an object's fields by their keys.
struct KeyedNodeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: NodeDecoder
  let fields: [CodableNode.Field]

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { fields.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { field(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    if case .null = try part(key) { return true }
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.value(type, of: part(key), key: key)
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
    CodableNode.node(of: key.stringValue, in: fields)
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
