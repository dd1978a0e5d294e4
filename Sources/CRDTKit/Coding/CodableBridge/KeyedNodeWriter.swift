/// Fills an object, field by field.
struct KeyedNodeWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  init(encoder: NodeEncoder) {
    self.encoder = encoder
    encoder.slot.becomeObject()
  }

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) {
    encoder.slot.append(.null, for: key.stringValue)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value, key: key), for: key.stringValue)
  }

  /// Encodes a value; that there is none, where the nodes are to say so.
  func encodeOptional<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.style == .model {
      encoder.slot.append(.shaped(.null, .absent), for: key.stringValue)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy _: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNodeWriter<NestedKey>(encoder: nested(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedNodeWriter(encoder: nested(key))
  }

  func superEncoder() -> any Encoder { nested(SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: some CodingKey) -> NodeEncoder {
    encoder.within(encoder.slot.appendSlot(for: key.stringValue), key: key)
  }
}
