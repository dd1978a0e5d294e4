/// A collection whose own `Codable` form is in the order of its hash table, which
/// differs from process to process: its elements are put in the order of their
/// canonical forms instead.
protocol HashOrdered {
  /// The elements in the order of their forms.
  func node(by encoder: NodeEncoder) throws -> CodableNode
}

/// A collection that reads what ``HashOrdered`` has put in order.
protocol HashOrderedDecodable {
  /// Creates the collection of the elements.
  init(from nodes: [CodableNode], by decoder: NodeDecoder) throws
}

extension Set: HashOrdered where Element: Encodable {
  func node(by encoder: NodeEncoder) throws -> CodableNode {
    let forms = try map { element in
      let node = try encoder.node(of: element)
      return (form: node.encodedForm, node: node)
    }
    return .array(forms.sorted { $0.form.lexicographicallyPrecedes($1.form) }.map(\.node))
  }
}

extension Set: HashOrderedDecodable where Element: Decodable {
  init(from nodes: [CodableNode], by decoder: NodeDecoder) throws {
    self.init()
    for node in nodes { insert(try decoder.value(of: node)) }
  }
}

extension Dictionary: HashOrdered where Key: Encodable, Value: Encodable {
  func node(by encoder: NodeEncoder) throws -> CodableNode {
    let entries = try map { key, value in
      let node = try encoder.node(of: key)
      return (form: node.encodedForm, nodes: [node, try encoder.node(of: value)])
    }
    return .array(entries.sorted { $0.form.lexicographicallyPrecedes($1.form) }.flatMap(\.nodes))
  }
}

extension Dictionary: HashOrderedDecodable where Key: Decodable, Value: Decodable {
  init(from nodes: [CodableNode], by decoder: NodeDecoder) throws {
    self.init()
    guard nodes.count.isMultiple(of: 2) else {
      throw decoder.corruption("A key has no value.")
    }
    for place in stride(from: 0, to: nodes.count, by: 2) {
      let key: Key = try decoder.value(of: nodes[place])
      self[key] = try decoder.value(of: nodes[place + 1]) as Value
    }
  }
}
