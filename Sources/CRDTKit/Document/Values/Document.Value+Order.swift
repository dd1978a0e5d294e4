extension Document.Value: Comparable {
  /// The place of the value's kind among the kinds.
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
  /// By kind first: null, truth values, numbers, moments, texts, bytes, arrays,
  /// objects. Numbers stand in the order of what they are worth, whole or not;
  /// of equal ones the whole number is less, and NaN is the greatest. Texts stand
  /// in Swift's order, those of more than 1,024 bytes after all others and in the
  /// order of their bytes; bytes in theirs, arrays element by element, objects by
  /// their names and values in the order of the names.
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

  /// Whether a whole number is less than, or equal to and before, a binary one.
  private static func isLess(_ left: Int64, than right: Double) -> Bool {
    if right.isNaN { return true }
    // 2⁶³ is the least that no `Int64` reaches; below it the conversion is exact.
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
