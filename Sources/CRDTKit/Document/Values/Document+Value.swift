extension Document {
  /// The value of a field.
  ///
  /// You can write values as literals:
  ///
  ///     let address: Document.Value = ["city": "Oslo", "lines": ["Storgata 1"], "flat": nil]
  ///
  /// Values are equal if they read alike. Texts are compared as Swift strings (`é`
  /// composed or not). Numbers are equal if they have the same kind and the same bits, so
  /// NaN equals itself and 1 does not equal 1.0.
  @nonexhaustive
  public enum Value: Sendable {
    /// Known to be empty; an absent field is not known at all.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A whole number.
    ///
    /// Use whole numbers of the smallest unit for amounts that must add up exactly, such
    /// as money: 12.50 is 1,250 cents. Such amounts can be counted
    /// (``Schema/FieldRule/counter``) and compared, and read the same everywhere.
    case int(Int64)
    /// A binary floating-point number.
    ///
    /// Don't use it for decimal amounts, which it only approximates; see ``int(_:)``.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case bytes([UInt8])
    /// A date and time, in seconds since 2001-01-01 00:00 UTC, as in Foundation's `Date`.
    case timestamp(Double)
    /// An array of values, merged as one value unless the field is a set or a list: see
    /// ``Schema/FieldRule/set`` and ``Schema/FieldRule/list``.
    case array([Value])
    /// Values by name: a nested struct or a dictionary.
    ///
    /// A field's object is merged name by name, and so is an element of a list that has an
    /// `id`. In any other array, an object is part of one value.
    case object([String: Value])
  }
}

extension Document.Value: Hashable {
  /// Whether two values read alike.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.timestamp(let left), .timestamp(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): KeyIdentity.areSame(left, right)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the kind and the content.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value), .timestamp(let value): hasher.combine(value.bitPattern)
    case .string(let value): KeyIdentity.hash(value, into: &hasher)
    case .bytes(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension Document.Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: Document.Value...) { self = .array(elements) }

  /// Creates an object; the last of equal names wins.
  public init(dictionaryLiteral elements: (String, Document.Value)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension Document.Value: CustomStringConvertible {
  /// The value as a literal, with an object's names in the order of their bytes.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value.description
    case .int(let value): value.description
    case .double(let value): value.description
    case .string(let value): String(reflecting: value).visible
    case .bytes(let value): "bytes\(value)"
    case .timestamp(let value): "timestamp(\(value))"
    case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .object(let fields):
      fields.isEmpty ? "[:]" : "[" + Self.list(fields).joined(separator: ", ") + "]"
    }
  }

  private static func list(_ fields: [String: Document.Value]) -> [String] {
    fields.sorted { $0.key.comes(before: $1.key) }
      .map { "\(String(reflecting: $0.key).visible): \($0.value)" }
  }
}

extension Document.Value: Comparable {
  /// The kind's position in the order of kinds.
  var kind: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .double: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .array: 6
    case .object: 7
    }
  }

  /// Orders all values, the same way on every machine.
  ///
  /// The kinds come in this order: null, Booleans, numbers, timestamps, texts, bytes,
  /// arrays, objects. Numbers, whole or not, are ordered by their values. Of equal ones
  /// the whole number is less, and NaN is the greatest. Texts are in Swift's order; texts
  /// of more than 1,024 bytes come after all others, in the order of their bytes. Bytes
  /// are in byte order. Arrays are compared element by element, and objects by their
  /// names and values in the order of the names.
  public static func < (left: Self, right: Self) -> Bool {
    left.isLess(than: right) ?? false
  }

  /// Whether the value is less than another; `nil` where neither is less.
  private func isLess(than other: Self) -> Bool? {
    switch (self, other) {
    case (.null, .null): nil
    case (.bool(let left), .bool(let right)): left == right ? nil : right
    case (.int(let left), .int(let right)): left == right ? nil : left < right
    case (.int(let left), .double(let right)): Self.isLess(left, than: right)
    case (.double(let left), .int(let right)): !Self.isLess(right, than: left)
    case (.double(let left), .double(let right)): Self.isLess(left, right)
    case (.timestamp(let left), .timestamp(let right)): Self.isLess(left, right)
    case (.string(let left), .string(let right)): Self.isLess(left, right)
    case (.bytes(let left), .bytes(let right)):
      left == right ? nil : left.lexicographicallyPrecedes(right)
    case (.array(let left), .array(let right)): Self.isLess(left, right)
    case (.object(let left), .object(let right)): Self.isLess(left, right)
    default: kind < other.kind
    }
  }

  /// Whether a whole number comes before a floating-point number: it is less or equal.
  private static func isLess(_ left: Int64, than right: Double) -> Bool {
    if right.isNaN { return true }
    // 2⁶³ is greater than every `Int64`; below it the conversion is exact.
    if right >= 0x1p63 { return true }
    if right < -0x1p63 { return false }
    let whole = right.rounded(.down)
    return left <= Int64(whole)
  }

  private static func isLess(_ left: Double, _ right: Double) -> Bool? {
    if left.bitPattern == right.bitPattern { return nil }
    if left.isNaN != right.isNaN { return right.isNaN }
    if left.isNaN { return left.bitPattern < right.bitPattern }
    if left == right { return left.sign == .minus }
    return left < right
  }

  private static func isLess(_ left: String, _ right: String) -> Bool? {
    if KeyIdentity.areSame(left, right) { return nil }
    let isLong = left.utf8.count > KeyIdentity.normalizedLengthMax
    guard isLong == (right.utf8.count > KeyIdentity.normalizedLengthMax) else { return !isLong }
    return isLong ? left.comes(before: right) : left < right
  }

  private static func isLess(_ left: [Self], _ right: [Self]) -> Bool? {
    for (left, right) in zip(left, right) {
      if let isLess = left.isLess(than: right) { return isLess }
    }
    return left.count == right.count ? nil : left.count < right.count
  }

  private static func isLess(_ left: [String: Self], _ right: [String: Self]) -> Bool? {
    let left = left.sorted { isLess($0.key, $1.key) ?? false }
    let right = right.sorted { isLess($0.key, $1.key) ?? false }
    for (left, right) in zip(left, right) {
      if let isLess = isLess(left.key, right.key) ?? left.value.isLess(than: right.value) {
        return isLess
      }
    }
    return left.count == right.count ? nil : left.count < right.count
  }
}
