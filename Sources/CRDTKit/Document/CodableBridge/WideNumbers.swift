// The standard library's containers have default methods for 128-bit numbers, which throw
// and would be preferred to the generic methods.

extension KeyedNodeWriter {
  func encode(_ value: Int128, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value), for: key.stringValue)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value), for: key.stringValue)
  }
}

extension UnkeyedNodeWriter {
  func encode(_ value: Int128) throws {
    encoder.slot.append(try encoder.node(of: value))
  }

  func encode(_ value: UInt128) throws {
    encoder.slot.append(try encoder.node(of: value))
  }
}

extension SingleNodeWriter {
  func encode(_ value: Int128) throws {
    encoder.slot.fill(with: try encoder.node(of: value))
  }

  func encode(_ value: UInt128) throws {
    encoder.slot.fill(with: try encoder.node(of: value))
  }
}

extension KeyedNodeReader {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decoder.value(of: part(key), key: key)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder.value(of: part(key), key: key)
  }
}

extension UnkeyedNodeReader {
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try next()
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try next()
  }
}

extension SingleNodeReader {
  func decode(_ type: Int128.Type) throws -> Int128 {
    try decoder.value(of: decoder.node, deeper: 0)
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try decoder.value(of: decoder.node, deeper: 0)
  }
}

/// The number in Foundation's `Decimal`, as text and in its `Codable` form.
///
/// The text is the plain number, such as `-0.05`, without an exponent and without
/// redundant zeros.
struct DecimalText {
  private var isNegative: Bool
  private var mantissa: UInt128
  private var exponent: Int

  private static var exponents: ClosedRange<Int> { -128...127 }

  /// Creates the number from a decimal's `Codable` form; `nil` if it is none.
  init?(_ fields: [CodableNode.Field]) {
    guard let exponent = Self.integer("exponent", fields),
      Self.exponents.contains(exponent), let length = Self.integer("length", fields),
      (0...8).contains(length),
      case .bool(let isNegative)? = Self.node("isNegative", fields),
      case .array(let words)? = Self.node("mantissa", fields), words.count == 8,
      // A sign without digits is NaN.
      length > 0 || !isNegative
    else { return nil }
    mantissa = 0
    for word in words.prefix(length).reversed() {
      guard case .uint(let word) = word else { return nil }
      mantissa = mantissa << 16 | UInt128(word)
    }
    self.isNegative = isNegative
    self.exponent = exponent
    dropZeros()
  }

  /// Creates the number from a text, which may have an exponent; `nil` if it is no number
  /// that a decimal holds exactly.
  init?(_ text: String) {
    var digits = text[...]
    isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    exponent = 0
    if let mark = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let number = Int(digits[digits.index(after: mark)...]), abs(number) <= 1000 else {
        return nil
      }
      exponent = number
      digits = digits[..<mark]
    }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts[0].utf8.count + (parts.last?.utf8.count ?? 0) <= 400,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
    else { return nil }
    if parts.count == 2 { exponent -= parts[1].utf8.count }
    var all = parts.joined()[...]
    while all.last == "0", all.utf8.count > 1 {
      all.removeLast()
      exponent += 1
    }
    guard let mantissa = UInt128(all) else { return nil }
    self.mantissa = mantissa
    while exponent > Self.exponents.upperBound {
      let (shifted, overflows) = self.mantissa.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      self.mantissa = shifted
      exponent -= 1
    }
    dropZeros()
    guard Self.exponents.contains(exponent) else { return nil }
  }

  /// Whether a decimal's `Codable` form is NaN: a sign without digits.
  static func isNoNumber(_ fields: [CodableNode.Field]) -> Bool {
    guard fields.count == 5, node("mantissa", fields) != nil, integer("exponent", fields) != nil,
      node("isCompact", fields) != nil, integer("length", fields) == 0,
      case .bool(true)? = node("isNegative", fields)
    else { return false }
    return true
  }

  private mutating func dropZeros() {
    if mantissa == 0 { (isNegative, exponent) = (false, 0) }
    while mantissa != 0, mantissa.isMultiple(of: 10), exponent < Self.exponents.upperBound {
      mantissa /= 10
      exponent += 1
    }
  }

  var text: String {
    let sign = isNegative ? "-" : ""
    let digits = "\(mantissa)"
    if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
    let zeros = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count))
    let padded = zeros + digits
    let point = padded.index(padded.endIndex, offsetBy: exponent)
    return "\(sign)\(padded[..<point]).\(padded[point...])"
  }

  /// The node from which a decimal is decoded.
  var node: CodableNode {
    var words: [UInt64] = []
    for place in 0..<8 { words.append(UInt64(mantissa >> (16 * place) & 0xFFFF)) }
    let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
    // Fields are in the order of their names.
    return .object([
      CodableNode.Field(key: "exponent", node: .int(Int64(exponent))),
      CodableNode.Field(key: "isCompact", node: .bool(true)),
      CodableNode.Field(key: "isNegative", node: .bool(isNegative)),
      CodableNode.Field(key: "length", node: .int(Int64(length))),
      CodableNode.Field(key: "mantissa", node: .array(words.map { .uint($0) })),
    ])
  }

  private static func node(_ name: String, _ fields: [CodableNode.Field]) -> CodableNode? {
    fields.first { $0.key == name }?.node
  }

  private static func integer(_ name: String, _ fields: [CodableNode.Field]) -> Int? {
    switch node(name, fields) {
    case .int(let number)?: Int(exactly: number)
    case .uint(let number)?: Int(exactly: number)
    default: nil
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
