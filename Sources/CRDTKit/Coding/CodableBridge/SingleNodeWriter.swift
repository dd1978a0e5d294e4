/// Fills a node with one value.
struct SingleNodeWriter: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() {
    encoder.slot.fill(with: .null)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.slot.fill(with: try encoder.node(of: value, deeper: 0))
  }
}
