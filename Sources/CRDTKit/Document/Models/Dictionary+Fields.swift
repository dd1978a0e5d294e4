extension [String: Document.Value] {
  /// The value of a field that must be there.
  ///
  /// - Throws: `DecodingError`, with the field's name, where it is not or is no value of
  ///   the type.
  public func read<Field: Decodable>(
    _ name: String, as type: Field.Type = Field.self
  ) throws -> Field {
    guard let value = self[name] else {
      throw DecodingError.keyNotFound(
        EntryKey(stringValue: name),
        DecodingError.Context(codingPath: [], debugDescription: "There is no \(name)."))
    }
    return try value.decoded(as: type, name: name)
  }

  /// The value of a field; `nil` where it is absent or null.
  ///
  /// - Throws: `DecodingError`, with the field's name, where it is no value of the type.
  public func readIfPresent<Field: Decodable>(
    _ name: String, as type: Field.Type = Field.self
  ) throws -> Field? {
    guard let value = self[name], value != .null else { return nil }
    return try value.decoded(as: type, name: name)
  }
}

extension Document.Value {
  fileprivate func decoded<Model: Decodable>(as type: Model.Type, name: String) throws -> Model {
    // Comparing types is much faster than casting; what is equal is then the same.
    switch self {
    case .string(let value) where type == String.self:
      return unsafeBitCast(value, to: Model.self)
    case .int(let value) where type == Int64.self:
      return unsafeBitCast(value, to: Model.self)
    case .int(let value) where type == Int.self:
      if let value = Int(exactly: value) { return unsafeBitCast(value, to: Model.self) }
    case .double(let value) where type == Double.self:
      return unsafeBitCast(value, to: Model.self)
    case .bool(let value) where type == Bool.self:
      return unsafeBitCast(value, to: Model.self)
    default: break
    }
    let decoder = NodeDecoder(.null, depth: 0)
    return try decoder.value(type, of: node, key: EntryKey(stringValue: name))
  }
}
