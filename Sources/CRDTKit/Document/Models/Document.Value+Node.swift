extension Document.Value {
  /// The value that a `Codable` type was taken apart into.
  init(_ node: CodableNode) {
    switch node {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    // What is beyond an `Int64` is kept as text, as numbers of 128 bits are.
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

  /// What a `Codable` type is put together from.
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

  /// The node of an object, its fields in the order of their names.
  static func node(of fields: [String: Document.Value]) -> CodableNode {
    let sorted = fields.sorted { $0.key.comes(before: $1.key) }
    return .object(sorted.map { CodableNode.Field(key: $0.key, node: $0.value.node) })
  }
}

extension CodableNode {
  var isAbsent: Bool {
    if case .shaped(_, .absent) = self { true } else { false }
  }
}
