/// A collection whose own `Codable` form is in the order of its hash table, which
/// differs from process to process: its elements are put in the order of their
/// canonical forms instead.
protocol HashOrdered {
  /// The elements in the order of their forms.
  func node(by encoder: NodeEncoder) throws -> CodableNode
}

/// A collection that reads what ``HashOrdered`` has put in order.
protocol HashOrderedDecodable {
  /// Creates the collection of the decoder's node.
  init(by decoder: NodeDecoder) throws
}

extension Set: HashOrdered where Element: Encodable {
  func node(by encoder: NodeEncoder) throws -> CodableNode {
    let sorted = try nodes(by: encoder)
    return encoder.style == .model ? .shaped(.array(sorted), .set) : .array(sorted)
  }

  private func nodes(by encoder: NodeEncoder) throws -> [CodableNode] {
    if Element.self == String.self {
      // The form of a text is its length, then its bytes.
      return unsafeBitCast(self, to: Set<String>.self).sorted { left, right in
        let (length, other) = (left.utf8.count, right.utf8.count)
        if length == other { return left.comes(before: right) }
        return length.comesAsVarint(before: other)
      }.map { .text($0) }
    }
    let forms = try map { element in
      let node = try encoder.node(of: element)
      return (form: node.encodedForm, node: node)
    }
    return forms.sorted { $0.form.lexicographicallyPrecedes($1.form) }.map(\.node)
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

extension Set: HashOrderedDecodable where Element: Decodable {
  init(by decoder: NodeDecoder) throws {
    let elements = try decoder.elements
    self.init(minimumCapacity: elements.count)
    for node in elements { insert(try decoder.value(of: node)) }
  }
}

extension Dictionary: HashOrdered where Key: Encodable, Value: Encodable {
  func node(by encoder: NodeEncoder) throws -> CodableNode {
    if encoder.style == .model, let fields = try fields(by: encoder) {
      return .shaped(.object(fields), .dictionary)
    }
    let entries = try map { key, value in
      let node = try encoder.node(of: key)
      return (form: node.encodedForm, nodes: [node, try encoder.node(of: value)])
    }
    return .array(entries.sorted { $0.form.lexicographicallyPrecedes($1.form) }.flatMap(\.nodes))
  }

  /// The entries as fields; `nil` where the keys have no names.
  private func fields(by encoder: NodeEncoder) throws -> [CodableNode.Field]? {
    guard Key.self is any CodingKeyRepresentable.Type else { return nil }
    let fields = try map { key, value in
      let name = (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? ""
      if name.isLongName { throw encoder.longName(name) }
      return CodableNode.Field(
        key: name, node: try encoder.node(of: value, key: EntryKey(stringValue: name)))
    }
    return fields.sorted { $0.key.comes(before: $1.key) }
  }
}

extension Dictionary: HashOrderedDecodable where Key: Decodable, Value: Decodable {
  init(by decoder: NodeDecoder) throws {
    self.init()
    if case .object(let fields) = decoder.node {
      try add(fields, by: decoder)
      return
    }
    let nodes = try decoder.elements
    guard nodes.count.isMultiple(of: 2) else {
      throw decoder.corruption("A key has no value.")
    }
    for place in stride(from: 0, to: nodes.count, by: 2) {
      let key: Key = try decoder.value(of: nodes[place])
      self[key] = try decoder.value(of: nodes[place + 1]) as Value
    }
  }

  private mutating func add(_ fields: [CodableNode.Field], by decoder: NodeDecoder) throws {
    guard let type = Key.self as? any CodingKeyRepresentable.Type else {
      throw decoder.mismatch(Self.self)
    }
    for field in fields {
      let name = EntryKey(stringValue: field.key)
      guard let key = type.init(codingKey: name) as? Key else {
        throw decoder.corruption("'\(field.key)' is no key of \(Self.self).")
      }
      self[key] = try decoder.value(of: field.node, key: name) as Value
    }
  }
}
