/// Encodes a value to nodes, by its type's `Encodable`.
struct NodeEncoder: Encoder {
  /// The purpose of the nodes.
  enum Style {
    /// Writing: the nodes are encoded as they are.
    case canonical
    /// Comparison with a record's fields: dictionaries with keys that are texts or
    /// numbers have names, and nodes record the shapes of their types.
    case model
  }

  let slot: NodeSlot
  let style: Style
  private let path: NodePath

  /// The number of arrays, objects and states around the node.
  let depth: Int

  var codingPath: [any CodingKey] { path.keys }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private init(depth: Int, style: Style) {
    slot = NodeSlot()
    self.style = style
    path = .start
    self.depth = depth
  }

  private init(within outer: NodeEncoder, deeper: Int, key: (any CodingKey)?, slot: NodeSlot) {
    self.slot = slot
    style = outer.style
    path = outer.path.appending(key)
    depth = outer.depth + deeper
  }

  /// The node of a top-level value of any type, written at a given depth.
  static func node(
    of value: some Encodable, depth: Int, style: Style = .canonical
  ) throws -> CodableNode {
    let encoder = NodeEncoder(depth: depth, style: style)
    let node = try encoder.outermost(value)
    guard node.height <= CodableNode.heightMax, depth + node.height <= CodableNode.maximumDepth
    else { throw encoder.tooDeep(value) }
    return node
  }

  private func outermost<Value: Encodable>(_ value: Value) throws -> CodableNode {
    if style == .model {
      let traits = TypeTraits.of(value)
      if case .collection = traits.form, let names = value as? any HashOrdered {
        return try names.node(by: self)
      }
      if let shaped = try shaped(value, traits.form) { return shaped }
    }
    try value.encode(to: self)
    return try slot.finished(by: self)
  }

  /// The node of a value within this encoder's value.
  func node<Value: Encodable>(
    of value: Value, deeper: Int = 1, key: (any CodingKey)? = nil
  ) throws -> CodableNode {
    if let node = CodableNode(scalar: value) { return node }
    if let node = CodableNode(texts: value, style) { return node }
    let encoder = within(NodeSlot(), deeper: deeper, key: key)
    guard encoder.depth < CodableNode.maximumDepth else { throw encoder.tooDeep(value) }
    let form = TypeTraits.of(value).form
    switch form {
    case .collection:
      if let collection = value as? any HashOrdered { return try collection.node(by: encoder) }
    case .state:
      if let state = value as? any BytesCodable {
        let bytes = CodableNode.bytes(state.formInNode(depth: encoder.depth + 1))
        let type = type(of: state)
        return style == .model && type is any Mergeable.Type ? .shaped(bytes, .state(type)) : bytes
      }
    case .plain, .whole, .composite, .known:
      if style == .model, let shaped = try encoder.shaped(value, form) { return shaped }
    }
    try value.encode(to: encoder)
    return try encoder.slot.finished(by: encoder)
  }

  /// The encoder of a part, which fills the slot.
  func within(_ slot: NodeSlot, deeper: Int = 1, key: (any CodingKey)? = nil) -> NodeEncoder {
    NodeEncoder(within: self, deeper: deeper, key: key, slot: slot)
  }

  /// The error for a name that is too long for a document.
  func longName(_ name: String) -> EncodingError {
    let max = Document.Value.maximumNameLength
    return EncodingError.invalidValue(
      name,
      EncodingError.Context(
        codingPath: codingPath,
        debugDescription: "A name has \(name.utf8.count) bytes, more than \(max)."))
  }

  private func tooDeep(_ value: Any) -> EncodingError {
    EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: codingPath,
        debugDescription: "Values are nested deeper than \(CodableNode.heightMax) levels."
      )
    )
  }
}

extension NodeEncoder {
  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedNodeWriter(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedNodeWriter(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleNodeWriter(encoder: self)
  }
}

/// A type whose values a document writes as one value, not field by field.
///
/// If a record holds a struct, two people can change different fields of it, and both
/// changes stay. Conform to this protocol if the parts mean nothing by themselves, such
/// as an amount and its currency:
///
///     struct Money: Codable, WholeValue {
///       var amount: Int
///       var currency: String
///     }
///
/// Enums are always written as one value. So are the types of Foundation and of the
/// platform's other modules, such as `Measurement`, `DateInterval` and
/// `PersonNameComponents`.
public protocol WholeValue {}

extension NodeEncoder {
  /// The node of a value with the shape of its type; `nil` for values that need none.
  func shaped<Value: Encodable>(_ value: Value, _ form: TypeTraits.Form) throws -> CodableNode? {
    switch form {
    case .plain, .collection, .state: return nil
    case .whole:
      try value.encode(to: self)
      return .shaped(try slot.finished(by: self), .whole)
    case .composite:
      try value.encode(to: self)
      let node = try slot.finished(by: self)
      if case .object = node { return .shaped(node, .whole) }
      return node
    case .known(let type):
      try value.encode(to: self)
      return type.shaped(try slot.finished(by: self))
    }
  }
}
