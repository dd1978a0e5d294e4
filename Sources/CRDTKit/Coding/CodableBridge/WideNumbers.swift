// The standard library's containers have a default for numbers of 128 bits that
// throws, and that would be preferred to the generic methods.

extension KeyedNodeWriter {
  func encode(_ value: Int128, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value), for: key.stringValue)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value), for: key.stringValue)
  }
}

extension UnkeyedNodeWriter {
  func encode(_ value: Int128) throws {
    encoder.slot.append(try encoder.node(of: value))
  }

  func encode(_ value: UInt128) throws {
    encoder.slot.append(try encoder.node(of: value))
  }
}

extension SingleNodeWriter {
  func encode(_ value: Int128) throws {
    encoder.slot.fill(with: try encoder.node(of: value))
  }

  func encode(_ value: UInt128) throws {
    encoder.slot.fill(with: try encoder.node(of: value))
  }
}

extension KeyedNodeReader {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decoder.value(of: part(key), key: key)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder.value(of: part(key), key: key)
  }
}

extension UnkeyedNodeReader {
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try next()
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try next()
  }
}

extension SingleNodeReader {
  func decode(_ type: Int128.Type) throws -> Int128 {
    try decoder.value(of: decoder.node, deeper: 0)
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try decoder.value(of: decoder.node, deeper: 0)
  }
}
