/// The place of a node whose value is being encoded: its containers fill it, in
/// any order, until it is finished.
final class NodeSlot {
  private enum Kind {
    case empty, single, array, object, mixed
  }

  private enum Part {
    case node(CodableNode)
    case slot(NodeSlot)

    func finished(by encoder: NodeEncoder) throws -> CodableNode {
      switch self {
      case .node(let node): node
      case .slot(let slot): try slot.finished(by: encoder)
      }
    }
  }

  private var kind = Kind.empty
  private var parts: [Part] = []
  private var keys: [String] = []

  /// How many elements an array has so far.
  var count: Int { parts.count }

  func becomeArray() { become(.array) }

  func becomeObject() { become(.object) }

  /// Makes the node the only one.
  func fill(with node: CodableNode) {
    become(kind == .single ? .mixed : .single)
    parts.append(.node(node))
  }

  func append(_ node: CodableNode) { parts.append(.node(node)) }

  func append(_ node: CodableNode, for key: String) {
    keys.append(key)
    parts.append(.node(node))
  }

  /// Appends an element that is filled later.
  func appendSlot() -> NodeSlot {
    let slot = NodeSlot()
    parts.append(.slot(slot))
    return slot
  }

  /// Appends a field that is filled later.
  func appendSlot(for key: String) -> NodeSlot {
    keys.append(key)
    return appendSlot()
  }

  /// The node of all that was filled in; an empty object if nothing was.
  ///
  /// A key that was encoded twice has the later value.
  func finished(by encoder: NodeEncoder) throws -> CodableNode {
    switch kind {
    case .single, .array:
      let nodes = try parts.map { try $0.finished(by: encoder) }
      return kind == .single ? nodes[0] : .array(nodes)
    case .empty, .object:
      return .object(try fields(by: encoder))
    case .mixed:
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "A value is encoded once: with keys, without, or as a single value."
        )
      )
    }
  }

  private func fields(by encoder: NodeEncoder) throws -> [CodableNode.Field] {
    // Models are written name by name, whatever the order.
    if encoder.style == .model {
      return try zip(keys, parts).map { key, part in
        CodableNode.Field(key: key, node: try part.finished(by: encoder))
      }
    }
    let order = keys.indices.sorted { left, right in
      if keys[left].comes(before: keys[right]) { return true }
      return left < right && !keys[right].comes(before: keys[left])
    }
    var fields: [CodableNode.Field] = []
    for place in order {
      let node = try parts[place].finished(by: encoder)
      if let last = fields.last, !last.key.comes(before: keys[place]) { fields.removeLast() }
      fields.append(CodableNode.Field(key: keys[place], node: node))
    }
    return fields
  }

  private func become(_ next: Kind) {
    kind = kind == .empty || kind == next ? next : .mixed
  }
}
