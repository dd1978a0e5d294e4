/// A type of your own whose values are written to a document as one, not field by
/// field.
///
/// Of a struct that a record holds, two people can change different fields, and
/// both changes stay. Where the parts mean nothing by themselves, as of an amount
/// and its currency, say so:
///
///     struct Money: Codable, WholeValue {
///       var amount: Int
///       var currency: String
///     }
///
/// Enums are always written as one.
public protocol WholeValue {}

extension NodeEncoder {
  /// The node of a value of which more is to be known than it shows; `nil` for
  /// other values.
  func shaped<Value: Encodable>(_ value: Value) throws -> CodableNode? {
    if Value.self is any HashOrdered.Type || Value.self is any BytesCodable.Type { return nil }
    let known = WellKnownType(Value.self)
    guard known != nil || value is any WholeValue || isEnum(value) else { return nil }
    try value.encode(to: self)
    let node = try slot.finished(at: codingPath)
    return known?.shaped(node) ?? .shaped(node, .whole)
  }

  /// Whether the value is of an enum other than `Optional`.
  private func isEnum(_ value: Any) -> Bool {
    Mirror(reflecting: value).displayStyle == .enum
  }
}
