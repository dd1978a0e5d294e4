extension CodableNode {
  /// The types that are nodes by themselves; all others are encoded by their own
  /// `Codable`.
  private static let scalars: Set<ObjectIdentifier> = [
    ObjectIdentifier(Bool.self), ObjectIdentifier(String.self), ObjectIdentifier([UInt8].self),
    ObjectIdentifier(Double.self), ObjectIdentifier(Float.self),
    ObjectIdentifier(Int.self), ObjectIdentifier(Int64.self), ObjectIdentifier(Int32.self),
    ObjectIdentifier(Int16.self), ObjectIdentifier(Int8.self), ObjectIdentifier(Int128.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(UInt64.self), ObjectIdentifier(UInt32.self),
    ObjectIdentifier(UInt16.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt128.self),
  ]

  /// Whether values of the type are nodes by themselves.
  ///
  /// This takes the type and not a value, because any empty array could be cast to an
  /// array of bytes.
  static func isScalar(_ type: (some Any).Type) -> Bool {
    scalars.contains(ObjectIdentifier(type))
  }

  /// Creates the node of a number, text, Boolean or array of bytes; `nil` for values of
  /// any other type.
  init?<Value>(scalar value: Value) {
    // Comparing types is much faster than casting; equal values then have the same type.
    if Value.self == String.self {
      self = .text(unsafeBitCast(value, to: String.self))
    } else if Value.self == Int.self {
      self = .int(Int64(unsafeBitCast(value, to: Int.self)))
    } else if Value.self == Bool.self {
      self = .bool(unsafeBitCast(value, to: Bool.self))
    } else if Value.self == Double.self {
      self = .double(unsafeBitCast(value, to: Double.self))
    } else {
      guard CodableNode.isScalar(Value.self) else { return nil }
      switch value {
      case let value as [UInt8]: self = .bytes(value)
      case let value as Float: self = .float(value)
      case let value as Int128: self = .text(value.description)
      case let value as UInt128: self = .text(value.description)
      case let value as any SignedInteger: self = .int(Int64(truncatingIfNeeded: value))
      case let value as any UnsignedInteger: self = .uint(UInt64(truncatingIfNeeded: value))
      default: return nil
      }
    }
  }

  /// The node's text, Boolean or number of the most frequent types; `nil` for all others.
  func commonScalar<Value>(_ type: Value.Type) -> Value? {
    // Comparing types is much faster than casting; equal values then have the same type.
    switch self {
    case .text(let value) where type == String.self: return unsafeBitCast(value, to: type)
    case .bool(let value) where type == Bool.self: return unsafeBitCast(value, to: type)
    case .double(let value) where type == Double.self: return unsafeBitCast(value, to: type)
    case .int(let value) where type == Int.self:
      return Int(exactly: value).map { unsafeBitCast($0, to: type) }
    default: return nil
    }
  }

  /// The node's number, text, Boolean or array of bytes; `nil` if it has another type, or
  /// is out of the type's bounds.
  func scalar<Value>(_ type: Value.Type) -> Value? {
    if let value = commonScalar(type) { return value }
    switch (self, type) {
    // Documents keep numbers beyond `Int64` as text, and floats as doubles.
    case (.text(let value), is UInt64.Type): return UInt64(value) as? Value
    case (.text(let value), is UInt.Type): return UInt(value) as? Value
    case (.double(let value), is Float.Type): return Float(nearest: value) as? Value
    case (.int(let value), is Float.Type): return Float(exactly: value) as? Value
    case (.int(let value), is Double.Type): return Double(exactly: value) as? Value
    case (.text(let value), is Int128.Type): return Int128(value) as? Value
    case (.text(let value), is UInt128.Type): return UInt128(value) as? Value
    case (.bytes(let value), is [UInt8].Type): return value as? Value
    case (.float(let value), is Float.Type): return value as? Value
    case (.int(let value), let type as any FixedWidthInteger.Type):
      return type.init(exactly: value) as? Value
    case (.uint(let value), let type as any FixedWidthInteger.Type):
      return type.init(exactly: value) as? Value
    default: return nil
    }
  }
}

extension Float {
  /// The nearest number to a double, such as a server's 0.1; `nil` if the double exceeds
  /// the type's range.
  fileprivate init?(nearest value: Double) {
    self.init(value)
    if isInfinite, value.isFinite { return nil }
  }
}

/// Arrays and sets of texts, which many models have, encoded without calling `Codable` for
/// each text.
extension CodableNode {
  /// Whether values of the type are arrays or sets of texts.
  static func isOfTexts(_ type: (some Any).Type) -> Bool {
    type == [String].self || type == Set<String>.self
  }

  /// Creates the node of an array or set of texts; `nil` for values of any other type.
  init?<Value>(texts value: Value, _ style: NodeEncoder.Style) {
    // Equal types make the casts safe.
    if Value.self == [String].self {
      self = .array(unsafeBitCast(value, to: [String].self).map { .text($0) })
    } else if Value.self == Set<String>.self {
      let sorted = CodableNode.array(unsafeBitCast(value, to: Set<String>.self).sortedNodes)
      self = style == .model ? .shaped(sorted, .set) : sorted
    } else {
      return nil
    }
  }

  /// The node's array or set of texts; `nil` if another type is requested, or it has other
  /// elements.
  func texts<Value>(_ type: Value.Type) -> Value? {
    guard CodableNode.isOfTexts(type), case .array(let elements) = self else { return nil }
    var texts: [String] = []
    texts.reserveCapacity(elements.count)
    for element in elements {
      guard case .text(let text) = element else { return nil }
      texts.append(text)
    }
    if type == [String].self { return unsafeBitCast(texts, to: type) }
    return unsafeBitCast(Set(texts), to: type)
  }
}

extension Set<String> {
  /// The texts in the order of their encoded forms: a byte for a length of up to 15, else
  /// a number for the length, then the bytes.
  fileprivate var sortedNodes: [CodableNode] {
    sorted { left, right in
      let (length, other) = (left.utf8.count, right.utf8.count)
      if length == other { return left.comes(before: right) }
      if Swift.min(length, other) < 15 { return length < other }
      return (length - 15).comesAsVarint(before: other - 15)
    }.map { .text($0) }
  }
}

extension Int {
  /// Whether the bytes of its LEB128 form precede another's.
  fileprivate func comesAsVarint(before other: Int) -> Bool {
    var (left, right) = (self, other)
    while left >= 0x80, right >= 0x80, left & 0x7F == right & 0x7F {
      left >>= 7
      right >>= 7
    }
    let first = left >= 0x80 ? left & 0x7F | 0x80 : left
    return first < (right >= 0x80 ? right & 0x7F | 0x80 : right)
  }
}
