internal import Synchronization

/// What is to be known of a type before one of its values is taken apart: asked
/// once for each type, since asking takes longer than the work itself.
enum TypeTraits: Sendable {
  /// Nothing.
  case plain
  /// Its values are put in order; see ``HashOrdered``.
  case collection
  /// Its values are written in their own form; see ``BytesCodable``.
  case state
  /// Its values are one; see ``WholeValue``.
  case whole
  /// Its values say less than its name.
  case known(WellKnownType)

  private static let cache = Mutex<[ObjectIdentifier: TypeTraits]>([:])

  /// The traits of a value's type.
  static func of<Value>(_ value: Value) -> TypeTraits {
    let type = ObjectIdentifier(Value.self)
    if let known = cache.withLock({ $0[type] }) { return known }
    let traits = found(for: value)
    cache.withLock { $0[type] = traits }
    return traits
  }

  private static func found<Value>(for value: Value) -> TypeTraits {
    if Value.self is any HashOrdered.Type { return .collection }
    if Value.self is any BytesCodable.Type { return .state }
    if let known = WellKnownType(Value.self) { return .known(known) }
    let isEnum = Mirror(reflecting: value).displayStyle == .enum
    return isEnum || Value.self is any WholeValue.Type ? .whole : .plain
  }
}
