/// Fills an array, element by element.
struct UnkeyedNodeWriter: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  init(encoder: NodeEncoder) {
    self.encoder = encoder
    encoder.slot.becomeArray()
  }

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { encoder.slot.count }

  func encodeNil() {
    encoder.slot.append(.null)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.slot.append(try encoder.node(of: value, key: ElementKey(count)))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy _: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNodeWriter(encoder: nested()))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedNodeWriter(encoder: nested())
  }

  func superEncoder() -> any Encoder { nested() }

  private func nested() -> NodeEncoder {
    let key = ElementKey(count)
    return encoder.within(encoder.slot.appendSlot(), key: key)
  }
}
