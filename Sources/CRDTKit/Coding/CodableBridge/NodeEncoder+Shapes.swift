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
/// Enums are always written as one, and so are the types of Foundation and of the
/// platform's other modules, such as `Measurement`, `DateInterval` and
/// `PersonNameComponents`.
public protocol WholeValue {}

extension NodeEncoder {
  /// The node of a value of which more is to be known than it shows; `nil` for
  /// other values.
  func shaped<Value: Encodable>(_ value: Value, _ form: TypeTraits.Form) throws -> CodableNode? {
    switch form {
    case .plain, .collection, .state: return nil
    case .whole:
      try value.encode(to: self)
      return .shaped(try slot.finished(by: self), .whole)
    case .composite:
      try value.encode(to: self)
      let node = try slot.finished(by: self)
      if case .object = node { return .shaped(node, .whole) }
      return node
    case .known(let type):
      try value.encode(to: self)
      return type.shaped(try slot.finished(by: self))
    }
  }
}
