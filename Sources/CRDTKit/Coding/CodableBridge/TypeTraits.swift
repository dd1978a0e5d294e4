/// What is to be known of a type before one of its values is taken apart: asked
/// once for each type, since asking takes longer than the work itself.
struct TypeTraits: Sendable {
  /// How values of a type are written.
  enum Form: Sendable {
    /// As their `Codable` says.
    case plain
    /// In order; see ``HashOrdered``.
    case collection
    /// In their own form; see ``BytesCodable``.
    case state
    /// As one; see ``WholeValue``.
    case whole
    /// Values say less than the type's name.
    case known(WellKnownType)
  }

  let form: Form
  /// Whether the type lists its fields by hand; see ``FieldRepresentable``.
  let listsFields: Bool

  private static let known = TypeTable<TypeTraits>()

  /// The traits of a value's type.
  static func of<Value>(_ value: Value) -> TypeTraits {
    known.value(of: ObjectIdentifier(Value.self)) {
      TypeTraits(form: form(of: value), listsFields: Value.self is any FieldRepresentable.Type)
    }
  }

  private static func form<Value>(of value: Value) -> Form {
    if Value.self is any HashOrdered.Type { return .collection }
    if Value.self is any BytesCodable.Type { return .state }
    if let known = WellKnownType(Value.self) { return .known(known) }
    let isEnum = Mirror(reflecting: value).displayStyle == .enum
    return isEnum || Value.self is any WholeValue.Type ? .whole : .plain
  }
}
