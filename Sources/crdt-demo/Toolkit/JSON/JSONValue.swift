package import CRDTKit

/// A value to print as JSON, its members in the order given.
package indirect enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int)
  case unsigned(UInt64)
  case number(Double)
  /// A number in a spelling of its own.
  case literal(String)
  case string(String)
  case array([JSONValue])
  case object([(name: String, value: JSONValue)])
}

extension JSONValue: CustomStringConvertible {
  /// The value on one line, without spaces.
  package var description: String { text(colon: ":", margin: nil) }

  /// The value with a line for each element and member, indented by two spaces.
  package var indented: String { text(colon: ": ", margin: "") }

  /// The same, where each line but the first begins with a margin.
  package func indented(after margin: String) -> String { text(colon: ": ", margin: margin) }

  /// The value as text; `margin` is what its lines begin with, if it has several.
  private func text(colon: String, margin: String?) -> String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .unsigned(let value): return String(value)
    case .number(let value): return value.isFinite ? String(value) : "null"
    case .literal(let value): return value
    case .string(let value): return value.jsonQuoted
    case .array(let values):
      let inner = margin.map { $0 + "  " }
      let items = values.map { $0.text(colon: colon, margin: inner) }
      return Self.enclosed(items, in: ("[", "]"), margin: margin)
    case .object(let members):
      let inner = margin.map { $0 + "  " }
      let items = members.map {
        $0.name.jsonQuoted + colon + $0.value.text(colon: colon, margin: inner)
      }
      return Self.enclosed(items, in: ("{", "}"), margin: margin)
    }
  }

  private static func enclosed(
    _ items: [String], in brackets: (String, String), margin: String?
  ) -> String {
    guard let margin, !items.isEmpty else {
      return brackets.0 + items.joined(separator: ",") + brackets.1
    }
    return brackets.0 + "\n  " + margin + items.joined(separator: ",\n  " + margin) + "\n"
      + margin + brackets.1
  }
}

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
