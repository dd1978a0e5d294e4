/// A collection that `Codable` writes in the order of its hash table.
///
/// That order differs between processes, so its elements are put in the order of their
/// canonical forms instead.
protocol HashOrdered {
  /// The elements in the order of their encoded forms.
  func node(by encoder: NodeEncoder) throws -> CodableNode
}

/// A collection that can be decoded from the order of ``HashOrdered``.
protocol HashOrderedDecodable {
  /// Creates the collection from the decoder's node.
  init(by decoder: NodeDecoder) throws
}

extension Set: HashOrdered where Element: Encodable {
  func node(by encoder: NodeEncoder) throws -> CodableNode {
    if let node = CodableNode(texts: self, encoder.style) { return node }
    let forms = try map { element in
      let node = try encoder.node(of: element)
      return (form: node.encodedForm, node: node)
    }
    let sorted = forms.sorted { $0.form.lexicographicallyPrecedes($1.form) }.map(\.node)
    return encoder.style == .model ? .shaped(.array(sorted), .set) : .array(sorted)
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

  /// The entries as fields; `nil` if the keys have no names.
  private func fields(by encoder: NodeEncoder) throws -> [CodableNode.Field]? {
    guard Key.self is any CodingKeyRepresentable.Type else { return nil }
    let fields = try map { key, value in
      let name = (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? ""
      if name.isLongName { throw encoder.longName(name) }
      return CodableNode.Field(
        key: name, node: try encoder.node(of: value, key: EntryKey(stringValue: name)))
    }
    return fields.inOrder
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
    // Several names may be the same key; the last one counts.
    for field in fields.inOrder {
      let name = EntryKey(stringValue: field.key)
      guard let key = type.init(codingKey: name) as? Key else {
        throw decoder.corruption("'\(field.key)' is no key of \(Self.self).")
      }
      self[key] = try decoder.value(of: field.node, key: name) as Value
    }
  }
}
