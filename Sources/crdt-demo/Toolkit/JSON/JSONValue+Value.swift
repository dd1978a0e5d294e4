package import CRDTKit

extension JSONValue {
  /// A value as JSON, what JSON has not as tagged objects, names in the order of
  /// their bytes.
  package init(_ value: Document.Value) {
    self.init(plain: value.tagged)
  }

  /// A value as read by ``JSONText/value(numbers:)``, where bytes are a number.
  package init(plain value: Document.Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .literal(String(value))
    case .double(let value), .timestamp(let value): self = .number(value)
    case .string(let value): self = .string(value)
    case .bytes(let digits): self = .literal(String(decoding: digits, as: UTF8.self))
    case .array(let values): self = .array(values.map { JSONValue(plain: $0) })
    case .object(let fields):
      let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      self = .object(sorted.map { (name: $0.key, value: JSONValue(plain: $0.value)) })
    }
  }
}
