extension Document.Value: Codable {
  /// Encodes the value in a form for JSON: null, a Boolean, a number, a text, an array or
  /// an object.
  ///
  /// Values that JSON lacks are objects of one member:
  ///
  /// | object | meaning |
  /// |---|---|
  /// | `{"$bytes": "aGk="}` | bytes, in base64 |
  /// | `{"$timestamp": 5.5}` | a timestamp, in seconds since the beginning of 2001 |
  /// | `{"$double": "nan"}` | NaN, or an infinite number: `infinity`, `-infinity` |
  /// | `{"$object": {"$bytes": "aGk="}}` | the inner object itself |
  ///
  /// A server receives timestamps as text instead: see `Outbox.Envelope` of CRDTStore.
  ///
  /// JSON has only one kind of number: a ``double(_:)`` with an integral value is decoded
  /// as an ``int(_:)``.
  ///
  /// - Complexity: O(size of the value).
  public func encode(to encoder: any Encoder) throws {
    try PlainValue(tagged).encode(to: encoder)
  }

  /// Decodes a value from its encoded form.
  ///
  /// An object of one member that is none of the special forms is a plain object.
  ///
  /// - Complexity: O(size of the value).
  /// - Throws: `DecodingError` if a document can't hold the value: it is nested deeper
  ///   than ``maximumDepth``, has a name longer than ``maximumNameLength``, or has two names that
  ///   are the same text.
  public init(from decoder: any Decoder) throws {
    let value = try PlainValue(from: decoder).value.untagged
    guard value.depth <= Self.maximumDepth else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Values are nested deeper than \(Self.maximumDepth) levels."))
    }
    self = value
  }
}

/// Values that JSON lacks, as objects of one member:
///
/// | object | meaning |
/// |---|---|
/// | `{"$bytes": "aGk="}` | bytes, in base64 |
/// | `{"$timestamp": 5.5}` | a timestamp |
/// | `{"$double": "nan"}` | NaN, or an infinite number: `infinity`, `-infinity` |
/// | `{"$object": {"$bytes": "aGk="}}` | the inner object itself |
///
/// An object with such a name that is none of these is a plain object.
extension Document.Value {
  /// The value with tagged objects in place of values that JSON lacks.
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

  /// The value with tagged objects replaced by the values they represent.
  package var untagged: Document.Value {
    if let meaning = taggedMeaning { return meaning }
    return switch self {
    case .array(let values): .array(values.map(\.untagged))
    case .object(let fields): .object(fields.mapValues(\.untagged))
    default: self
    }
  }

  /// The object in a form that can't be mistaken for a tagged one.
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

  /// The value that a tagged object represents; `nil` if the value is no tagged object.
  private var taggedMeaning: Document.Value? {
    guard case .object(let fields) = self, fields.count == 1, let field = fields.first else {
      return nil
    }
    switch (field.key, field.value) {
    case ("$bytes", .string(let text)):
      // Accept one spelling only: encoding the result must give the same text.
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

extension Document.Value {
  /// The value with timestamps as text in ISO 8601, as servers keep them.
  ///
  /// - Complexity: O(size of the value).
  package var sayingMoments: Document.Value {
    switch self {
    case .timestamp(let seconds): MomentText.text(of: seconds).map { .string($0) } ?? self
    case .array(let values): .array(values.map(\.sayingMoments))
    case .object(let fields): .object(fields.mapValues(\.sayingMoments))
    default: self
    }
  }

  /// A server's value in the form of the record's own value, if the two mean the same.
  ///
  /// Examples are a timestamp as text or as milliseconds since 1970, bytes in base64, a
  /// decimal with other zeros, and a UUID in other letters.
  ///
  /// - Complexity: O(size of the value).
  package func takingForm(of own: Document.Value) -> Document.Value {
    switch (self, own) {
    case (.string(let text), .timestamp):
      MomentText.seconds(of: text).map { .timestamp($0) } ?? self
    case (.int(let number), .timestamp): Self.moment(milliseconds: Double(number))
    case (.double(let number), .timestamp): Self.moment(milliseconds: number)
    case (.string(let text), .bytes): Base64.bytes(of: text).map { .bytes($0) } ?? self
    case (.int, .string(let other)), (.double, .string(let other)), (.string, .string(let other)):
      meansSame(as: other) ? own : self
    case (.array(let values), .array(let others)):
      .array(Self.taking(values, formsOf: others))
    case (.object(let fields), .object(let others)):
      .object(
        Dictionary(
          fields.map { name, value in
            (name, others[name].map { value.takingForm(of: $0) } ?? value)
          }, uniquingKeysWith: { $1 }))
    default: self
    }
  }

  private static func moment(milliseconds: Double) -> Document.Value {
    .timestamp(milliseconds / 1000 - Double(MomentText.secondsTo2001))
  }

  /// Whether the value is the same number or UUID as a text.
  private func meansSame(as other: String) -> Bool {
    switch self {
    case .int(let number): return DecimalText("\(number)")?.text == other
    case .double(let number): return DecimalText("\(number)")?.text == other
    case .string(let text):
      if text == other { return false }
      if text.utf8.count == 36, other.utf8.count == 36 {
        let dashes = other.utf8.filter { $0 == UInt8(ascii: "-") }
        return dashes.count == 4 && text.uppercased() == other
      }
      return DecimalText(text)?.text == other
    default: return false
    }
  }

  /// Gives elements the form of others; a set may have them in another order.
  private static func taking(
    _ values: [Document.Value], formsOf others: [Document.Value]
  ) -> [Document.Value] {
    guard let first = others.first else { return values }
    switch first {
    case .timestamp, .bytes: return values.map { $0.takingForm(of: first) }
    default:
      guard values.count == others.count else { return values }
      return zip(values, others).map { $0.takingForm(of: $1) }
    }
  }
}
