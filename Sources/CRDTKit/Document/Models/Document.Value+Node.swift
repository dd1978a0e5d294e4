extension Document.Value {
  /// Creates the value of an encoded `Codable` type.
  init(_ node: CodableNode) {
    switch node {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    // A number beyond `Int64` is kept as text, as are numbers of 128 bits.
    case .uint(let value): self = Int64(exactly: value).map { .int($0) } ?? .string("\(value)")
    case .double(let value): self = .double(value)
    case .float(let value): self = .double(Double(value))
    case .text(let value): self = .string(value)
    case .bytes(let value): self = .bytes(value)
    case .array(let elements): self = .array(elements.map { Document.Value($0) })
    case .object(let fields):
      let known = fields.filter { !$0.node.isAbsent }
      self = .object(
        Dictionary(
          known.map { ($0.key, Document.Value($0.node)) }, uniquingKeysWith: { $1 }))
    case .shaped(.double(let value), .moment): self = .timestamp(value)
    case .shaped(let node, _): self = Document.Value(node)
    }
  }

  /// The node from which a `Codable` type is decoded.
  var node: CodableNode {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value), .timestamp(let value): .double(value)
    case .string(let value): .text(value)
    case .bytes(let value): .bytes(value)
    case .array(let values): .array(values.map(\.node))
    case .object(let fields): Self.node(of: fields)
    }
  }

  /// The node of an object.
  static func node(of fields: [String: Document.Value]) -> CodableNode {
    .object(ofUnsorted: fields.map { CodableNode.Field(key: $0.key, node: $0.value.node) })
  }
}

extension CodableNode {
  var isAbsent: Bool {
    if case .shaped(_, .absent) = self { true } else { false }
  }
}

extension Document {
  /// Throws if a change writes a number that is NaN or infinite.
  ///
  /// JSON has no such number, so neither a server nor an export could hold it.
  ///
  /// - Throws: `EncodingError`, with the path of the field.
  static func requireFinite(_ changes: [FieldChange]) throws {
    for change in changes {
      switch change.change {
      case .assign(let value, _): try requireFinite(value, at: change.path.names)
      case .insert(let elements):
        for element in elements { try requireFinite(element, at: change.path.names) }
      case .remove, .increment, .take: break
      }
    }
  }

  static func requireFinite(_ value: Value, at names: [String]) throws {
    switch value {
    case .double(let number), .timestamp(let number):
      if !number.isFinite { throw refusal(of: number, at: names) }
    case .array(let values): for value in values { try requireFinite(value, at: names) }
    case .object(let fields):
      if isNoNumber(fields) { throw refusal(of: Double.nan, at: names) }
      for (name, value) in fields { try requireFinite(value, at: names + [name]) }
    case .null, .bool, .int, .string, .bytes: break
    }
  }

  /// Whether an object is the form of a decimal that is NaN.
  private static func isNoNumber(_ fields: [String: Value]) -> Bool {
    fields.count == 5 && fields["mantissa"] != nil && fields["exponent"] != nil
      && fields["isCompact"] != nil && fields["length"] == 0 && fields["isNegative"] == true
  }

  /// Throws if an encoded model has a number that is NaN or infinite.
  static func requireFinite(_ node: CodableNode, at names: [String] = []) throws {
    guard node.mayHaveNoNumber else { return }
    switch node {
    case .double(let number): if !number.isFinite { throw refusal(of: number, at: names) }
    case .float(let number): if !number.isFinite { throw refusal(of: number, at: names) }
    case .array(let elements): for element in elements { try requireFinite(element, at: names) }
    case .object(let fields):
      for field in fields { try requireFinite(field.node, at: names + [field.key]) }
    case .shaped(.object(let fields), .whole) where DecimalText.isNoNumber(fields):
      throw refusal(of: Double.nan, at: names)
    case .shaped(let node, _): try requireFinite(node, at: names)
    case .null, .bool, .int, .uint, .text, .bytes: break
    }
  }

  private static func refusal(of number: some BinaryFloatingPoint, at names: [String])
    -> EncodingError
  {
    let path = FieldPath(names).description.visible
    return EncodingError.invalidValue(
      number,
      EncodingError.Context(
        codingPath: names.map { EntryKey(stringValue: $0) },
        debugDescription:
          "The field \(path) is \(number), which JSON can't say: write a number, or nil."))
  }
}

extension Document.FieldChange {
  /// The path of the change, if it writes a number that is NaN or infinite.
  package var pathOfNoNumber: FieldPath? {
    do { try Document.requireFinite([self]) } catch { return path }
    return nil
  }
}

extension CodableNode {
  /// Whether there may be a number that is NaN or infinite.
  fileprivate var mayHaveNoNumber: Bool {
    switch self {
    case .null, .bool, .int, .uint, .text, .bytes: false
    case .double(let number): !number.isFinite
    case .float(let number): !number.isFinite
    case .array(let elements): elements.contains { $0.mayHaveNoNumber }
    case .object(let fields): fields.contains { $0.node.mayHaveNoNumber }
    case .shaped(.object, .whole): true
    case .shaped(let node, _): node.mayHaveNoNumber
    }
  }
}
