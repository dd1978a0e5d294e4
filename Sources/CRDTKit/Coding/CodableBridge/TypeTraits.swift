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
    /// As one, where it has parts: it is a type of the platform's, whose parts nobody but the
    /// type knows how to change, as the number and the unit of a measurement.
    case composite
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
    if isEnum || Value.self is any WholeValue.Type { return .whole }
    return isOfPlatform(Value.self) ? .composite : .plain
  }

  /// The modules of the platform that have `Codable` types; those of the standard library are
  /// scalars or collections.
  private static let platform: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "__C",
    "CoreFoundation", "CoreGraphics", "CoreLocation", "CoreMedia", "Dispatch", "HealthKit",
    "MapKit", "Spatial", "SwiftUI", "SwiftUICore", "UniformTypeIdentifiers", "WeatherKit",
  ]

  private static func isOfPlatform(_ type: Any.Type) -> Bool {
    platform.contains(String(String(reflecting: type).prefix { $0 != "." }))
  }
}
