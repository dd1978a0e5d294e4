extension Document.Value: Codable {
  /// Encodes the value as what JSON has: null, a truth value, a number, a text, an
  /// array or an object.
  ///
  /// What JSON has not stands in an object of one member:
  ///
  /// | object | what it stands for |
  /// |---|---|
  /// | `{"$bytes": "aGk="}` | bytes, in base64 |
  /// | `{"$timestamp": 5.5}` | a moment, in seconds since the beginning of 2001 |
  /// | `{"$double": "nan"}` | a number that is none, or infinite: `infinity`, `-infinity` |
  /// | `{"$object": {"$bytes": "aGk="}}` | the inner object as it is |
  ///
  /// A server is told moments as text instead: see `OperationEnvelope` of CRDTStore.
  ///
  /// JSON has one kind of number: a ``double(_:)`` of a whole worth is read again as
  /// an ``int(_:)``.
  ///
  /// - Complexity: O(size of the value).
  public func encode(to encoder: any Encoder) throws {
    try PlainValue(tagged).encode(to: encoder)
  }

  /// Decodes a value in the form in which it is encoded.
  ///
  /// An object of one member that isn't one of those forms is just an object.
  ///
  /// - Complexity: O(size of the value).
  /// - Throws: `DecodingError` where the value could not be written to a document:
  ///   values nested deeper than ``depthMax``, a name longer than
  ///   ``nameLengthMax``, or two names that are the same text.
  public init(from decoder: any Decoder) throws {
    let value = try PlainValue(from: decoder).value.untagged
    guard value.depth <= Self.depthMax else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Values are nested deeper than \(Self.depthMax) levels."))
    }
    self = value
  }
}

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

extension Document.Value {
  /// The value with moments as text of ISO 8601, as servers keep them.
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

  /// What a server says, in the form in which a model has the same where it read this: a
  /// moment that is said as text or as milliseconds since 1970, bytes in base64, a decimal
  /// with other zeros, a UUID in other letters.
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

  /// Whether the value says the number or the UUID of a text.
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

  /// Elements in the form of others, which a set may have in another order.
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
