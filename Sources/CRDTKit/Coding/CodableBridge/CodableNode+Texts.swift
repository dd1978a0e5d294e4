/// Sets of texts, as many models have them: without asking their `Codable` for each.
extension CodableNode {
  /// The node of a set of texts; `nil` for values of any other type.
  init?<Value>(texts value: Value, _ style: NodeEncoder.Style) {
    guard Value.self == Set<String>.self else { return nil }
    // What is equal is the same type.
    let sorted = CodableNode.array(unsafeBitCast(value, to: Set<String>.self).sortedNodes)
    self = style == .model ? .shaped(sorted, .set) : sorted
  }

  /// The set of texts that the node is; `nil` if another type is asked for, or it has
  /// other elements.
  func texts<Value>(_ type: Value.Type) -> Value? {
    guard type == Set<String>.self, case .array(let elements) = self else { return nil }
    var texts = Set<String>(minimumCapacity: elements.count)
    for element in elements {
      guard case .text(let text) = element else { return nil }
      texts.insert(text)
    }
    return unsafeBitCast(texts, to: type)
  }
}

extension Set<String> {
  /// The texts in the order of their forms: a byte of the length up to 15, a number of
  /// what it is beyond, and the bytes.
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
  /// Whether the bytes of its LEB128 form come before another's.
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
