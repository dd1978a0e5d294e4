/// The slot of a node whose value is being encoded; its containers fill it in any order
/// until it is finished.
final class NodeSlot {
  private enum Kind {
    case empty, single, array, object, mixed
  }

  private var kind = Kind.empty
  /// The elements of an array, or a single value.
  private var elements: [CodableNode] = []
  /// The fields of an object.
  private var fields: [CodableNode.Field] = []
  /// The slots of parts that are filled later, with their indices.
  private var open: [(place: Int, slot: NodeSlot)] = []

  /// The number of elements so far.
  var count: Int { elements.count }

  func becomeArray() { become(.array) }

  func becomeObject() {
    become(.object)
    fields.reserveCapacity(8)
  }

  /// Makes the node the only content.
  func fill(with node: CodableNode) {
    become(kind == .single ? .mixed : .single)
    append(node)
  }

  func append(_ node: CodableNode) { elements.append(node) }

  func append(_ node: CodableNode, for key: String) {
    fields.append(CodableNode.Field(key: key, node: node))
  }

  /// Appends an element that is filled later.
  func appendSlot() -> NodeSlot {
    let slot = NodeSlot()
    open.append((elements.count, slot))
    append(.null)
    return slot
  }

  /// Appends a field that is filled later.
  func appendSlot(for key: String) -> NodeSlot {
    let slot = NodeSlot()
    open.append((fields.count, slot))
    append(.null, for: key)
    return slot
  }

  /// The node of the slot's content; an empty object if there is none.
  ///
  /// For a key that was encoded twice, the later value counts.
  func finished(by encoder: NodeEncoder) throws -> CodableNode {
    switch kind {
    case .single: return elements[0]
    case .array:
      for (place, slot) in open { elements[place] = try slot.finished(by: encoder) }
      return .array(elements)
    case .empty, .object:
      for (place, slot) in open { fields[place].node = try slot.finished(by: encoder) }
      guard encoder.style == .model else { return .object(sortedFields) }
      // Models are written name by name, whatever the order.
      for place in fields.indices where fields[place].key.isLongName {
        throw encoder.longName(fields[place].key)
      }
      return .object(fields)
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

  /// The fields in the order of their names, each once.
  private var sortedFields: [CodableNode.Field] {
    let order = fields.indices.sorted { left, right in
      if fields[left].key.comes(before: fields[right].key) { return true }
      return left < right && !fields[right].key.comes(before: fields[left].key)
    }
    var sorted: [CodableNode.Field] = []
    for place in order {
      if let last = sorted.last, !last.key.comes(before: fields[place].key) { sorted.removeLast() }
      sorted.append(fields[place])
    }
    return sorted
  }

  private func become(_ next: Kind) {
    kind = kind == .empty || kind == next ? next : .mixed
  }
}

/// Fills an object, field by field.
///
/// A class, because the standard library's container copies a struct in each call.
final class KeyedNodeWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  init(encoder: NodeEncoder) {
    self.encoder = encoder
    encoder.slot.becomeObject()
  }

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) {
    encoder.slot.append(.null, for: key.stringValue)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    encoder.slot.append(try encoder.node(of: value, key: key), for: key.stringValue)
  }

  // A generic method looks up its types at run time.

  func encode(_ value: String, forKey key: Key) {
    encoder.slot.append(.text(value), for: key.stringValue)
  }

  func encode(_ value: Bool, forKey key: Key) {
    encoder.slot.append(.bool(value), for: key.stringValue)
  }

  func encode(_ value: Int, forKey key: Key) {
    encoder.slot.append(.int(Int64(value)), for: key.stringValue)
  }

  func encode(_ value: Double, forKey key: Key) {
    encoder.slot.append(.double(value), for: key.stringValue)
  }

  /// Encodes an optional value; `nil` is encoded only if the nodes' style records it.
  func encodeOptional<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeAbsence(forKey: key) }
  }

  func encodeAbsence(forKey key: Key) {
    if encoder.style == .model {
      encoder.slot.append(.shaped(.null, .absent), for: key.stringValue)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy _: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNodeWriter<NestedKey>(encoder: nested(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedNodeWriter(encoder: nested(key))
  }

  func superEncoder() -> any Encoder { nested(SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: some CodingKey) -> NodeEncoder {
    encoder.within(encoder.slot.appendSlot(for: key.stringValue), key: key)
  }
}

/// Fills an array, element by element.
struct UnkeyedNodeWriter: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  init(encoder: NodeEncoder) {
    self.encoder = encoder
    encoder.slot.becomeArray()
  }

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { encoder.slot.count }

  func encodeNil() {
    encoder.slot.append(.null)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.slot.append(try encoder.node(of: value, key: ElementKey(count)))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy _: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedNodeWriter(encoder: nested()))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedNodeWriter(encoder: nested())
  }

  func superEncoder() -> any Encoder { nested() }

  private func nested() -> NodeEncoder {
    let key = ElementKey(count)
    return encoder.within(encoder.slot.appendSlot(), key: key)
  }
}

/// Fills a node with one value.
struct SingleNodeWriter: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() {
    encoder.slot.fill(with: .null)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.slot.fill(with: try encoder.node(of: value, deeper: 0))
  }
}
