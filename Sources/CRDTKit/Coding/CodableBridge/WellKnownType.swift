/// Types of Foundation whose own `Codable` form says less than their name.
///
/// They are known by name, since this module does without Foundation.
enum WellKnownType {
  case date, data, url, decimal

  init?<Value>(_ type: Value.Type) {
    // Only structs of these sizes are worth asking for their name.
    guard MemoryLayout<Value>.size >= 8, MemoryLayout<Value>.size <= 24 else { return nil }
    guard let found = Self.names[String(reflecting: type)] else { return nil }
    self = found
  }

  private static let names: [String: WellKnownType] = {
    var names: [String: WellKnownType] = ["__C.NSDecimal": .decimal]
    for module in ["Foundation", "FoundationEssentials"] {
      names["\(module).Date"] = .date
      names["\(module).Data"] = .data
      names["\(module).URL"] = .url
      names["\(module).Decimal"] = .decimal
    }
    return names
  }()

  /// The node of a value, given the one its type made.
  func shaped(_ node: CodableNode) -> CodableNode {
    switch (self, node) {
    case (.date, .double): .shaped(node, .moment)
    case (.data, .array(let elements)):
      Self.bytes(elements).map { .bytes($0) } ?? .shaped(node, .whole)
    case (.url, .object(let fields)) where fields.count == 1: fields[0].node
    case (.decimal, .object(let fields)):
      DecimalText(fields).map { .text($0.text) } ?? .shaped(node, .whole)
    default: .shaped(node, .whole)
    }
  }

  /// The bytes that an array's elements are; `nil` if some are not.
  private static func bytes(_ elements: [CodableNode]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for element in elements {
      guard case .uint(let byte) = element, byte <= UInt64(UInt8.max) else { return nil }
      bytes.append(UInt8(byte))
    }
    return bytes
  }

  /// The node that the type understands, of one that a document has; `nil` where
  /// it is the same.
  func node(of node: CodableNode) -> CodableNode? {
    switch (self, node) {
    case (.url, .text): return .object([CodableNode.Field(key: "relative", node: node)])
    case (.decimal, .text(let text)): return DecimalText(text)?.node
    case (.decimal, .int(let number)): return DecimalText("\(number)")?.node
    // The shortest text of the number is what was meant.
    case (.decimal, .double(let number)): return DecimalText("\(number)")?.node
    case (.date, .text(let text)): return MomentText.seconds(of: text).map { .double($0) }
    case (.data, .text(let text)): return Base64.bytes(of: text).map { .bytes($0) }
    default: return nil
    }
  }
}
