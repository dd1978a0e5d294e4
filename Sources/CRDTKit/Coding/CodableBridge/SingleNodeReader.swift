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
}
