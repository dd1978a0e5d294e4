/// What JSON has not, as objects of one member:
///
/// | object | what it stands for |
/// |---|---|
/// | `{"$bytes": "aGk="}` | bytes, in base64 |
/// | `{"$timestamp": 5.5}` | a moment |
/// | `{"$double": "nan"}` | a number that is none, or infinite: `infinity`, `-infinity` |
/// | `{"$object": {"$bytes": "aGk="}}` | the inner object as it is |
///
/// An object of such a name that is none of these is just an object.
extension Document.Value {
  /// The value with tagged objects for what JSON has not.
  package var tagged: Document.Value {
    switch self {
    case .bytes(let bytes): .object(["$bytes": .string(Base64.text(of: bytes))])
    case .timestamp(let seconds):
      .object(["$timestamp": Document.Value.double(seconds).tagged])
    case .double(let value) where !value.isFinite:
      .object(["$double": .string(Self.name(of: value))])
    case .array(let values): .array(values.map(\.tagged))
    case .object(let fields):
      Self.escaped(fields.mapValues(\.tagged))
    default: self
    }
  }

  /// The value that tagged objects stand for.
  package var untagged: Document.Value {
    if let meaning = taggedMeaning { return meaning }
    return switch self {
    case .array(let values): .array(values.map(\.untagged))
    case .object(let fields): .object(fields.mapValues(\.untagged))
    default: self
    }
  }

  /// An object that isn't mistaken for a tagged one.
  private static func escaped(_ fields: [String: Document.Value]) -> Document.Value {
    let object = Document.Value.object(fields)
    return object.isTagged ? .object(["$object": object]) : object
  }

  private var isTagged: Bool {
    guard case .object(let fields) = self, fields.count == 1, let field = fields.first else {
      return false
    }
    return field.key == "$object" ? field.value.isTagged : taggedMeaning != nil
  }

  /// What the value stands for, if it is a tagged object.
  private var taggedMeaning: Document.Value? {
    guard case .object(let fields) = self, fields.count == 1, let field = fields.first else {
      return nil
    }
    switch (field.key, field.value) {
    case ("$bytes", .string(let text)):
      // One spelling only: what is read must be what is written again.
      return Base64.bytes(of: text).map { .bytes($0) }
    case ("$double", .string(let name)): return Self.special(named: name).map { .double($0) }
    case ("$timestamp", .int(let seconds)): return .timestamp(Double(seconds))
    case ("$timestamp", .double(let seconds)): return .timestamp(seconds)
    case ("$timestamp", let value):
      guard case .double(let seconds) = value.taggedMeaning else { return nil }
      return .timestamp(seconds)
    case ("$object", .object(let inner)) where field.value.isTagged:
      return .object(inner.mapValues(\.untagged))
    default: return nil
    }
  }

  private static func name(of value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-infinity" : "infinity" }
    if value.bitPattern == Double.nan.bitPattern { return "nan" }
    return "nan:" + String(value.bitPattern, radix: 16)
  }

  private static func special(named name: String) -> Double? {
    var value: Double?
    switch name {
    case "nan": value = .nan
    case "infinity": value = .infinity
    case "-infinity": value = -.infinity
    default:
      guard name.hasPrefix("nan:") else { return nil }
      value = UInt64(name.dropFirst(4), radix: 16).map(Double.init(bitPattern:))
    }
    return value.flatMap { !$0.isFinite && Self.name(of: $0) == name ? $0 : nil }
  }
}
