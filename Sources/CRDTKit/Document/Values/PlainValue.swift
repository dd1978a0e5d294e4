/// A value in its JSON form, without regard to tagged objects.
struct PlainValue {
  let value: Document.Value

  init(_ value: Document.Value) {
    self.value = value
  }

  /// The greatest depth that is read: each level of a value, and its tag.
  static var maximumDepth: Int { 2 * Document.Value.maximumDepth + 2 }
}

extension PlainValue: Encodable {
  func encode(to encoder: any Encoder) throws {
    switch value {
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(PlainValue(value)) }
    case .object(let fields):
      var container = encoder.container(keyedBy: EntryKey.self)
      for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
        try container.encode(PlainValue(value), forKey: EntryKey(stringValue: name))
      }
    default:
      var container = encoder.singleValueContainer()
      try encodeScalar(in: &container)
    }
  }

  private func encodeScalar(in container: inout any SingleValueEncodingContainer) throws {
    switch value {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value), .timestamp(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .bytes(let value): try container.encode(value)
    case .array, .object: break
    }
  }
}

extension PlainValue: Decodable {
  init(from decoder: any Decoder) throws {
    try self.init(from: decoder, depth: 0)
  }

  private init(from decoder: any Decoder, depth: Int) throws {
    if let scalar = Self.scalar(from: decoder) {
      value = scalar
      return
    }
    guard depth < Self.maximumDepth else {
      throw Self.refusal("Values are nested too deep.", at: decoder)
    }
    if var container = try? decoder.unkeyedContainer() {
      var values: [Document.Value] = []
      while !container.isAtEnd {
        values.append(try PlainValue(from: container.superDecoder(), depth: depth + 1).value)
      }
      value = .array(values)
      return
    }
    let container = try decoder.container(keyedBy: EntryKey.self)
    var fields: [String: Document.Value] = [:]
    for key in container.allKeys {
      let name = key.stringValue
      guard !name.isLongName else {
        throw Self.refusal("A name has \(name.utf8.count) bytes.", at: decoder)
      }
      let field = try PlainValue(from: container.superDecoder(forKey: key), depth: depth + 1)
      guard fields.updateValue(field.value, forKey: name) == nil else {
        throw Self.refusal("One name is there in two spellings: '\(name)'.", at: decoder)
      }
    }
    value = .object(fields)
  }

  private static func scalar(from decoder: any Decoder) -> Document.Value? {
    guard let container = try? decoder.singleValueContainer() else { return nil }
    if container.decodeNil() { return .null }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .int(value) }
    if let value = try? container.decode(Double.self) { return .double(value) }
    return nil
  }

  private static func refusal(_ reason: String, at decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
  }
}
