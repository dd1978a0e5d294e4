/// Decodes a value from a node, by its type's `Decodable`.
struct NodeDecoder: Decoder {
  let node: CodableNode
  private let path: NodePath

  /// The number of arrays, objects and states around the node.
  let depth: Int

  var codingPath: [any CodingKey] { path.keys }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ node: CodableNode, path: NodePath = .start, depth: Int) {
    self.node = node
    self.path = path
    self.depth = depth
  }

  /// Decodes a node within this decoder's node.
  func value<Value: Decodable>(
    _ type: Value.Type = Value.self,
    of part: CodableNode,
    deeper: Int = 1,
    key: (any CodingKey)? = nil
  ) throws -> Value {
    if case .shaped(.array(let states), .states) = part {
      return try value(type, of: states, deeper: deeper, key: key)
    }
    let traits = ReadingTraits.of(type)
    if case .scalar = traits.form, let value = part.commonScalar(type) { return value }
    let decoder = within(part, deeper: deeper, key: key)
    switch traits.form {
    case .scalar: return try decoder.unwrap(part.scalar(type), as: type)
    case .known(let known):
      if let part = known.node(of: part) {
        return try Value(from: within(part, deeper: deeper, key: key))
      }
    case .texts, .collection:
      if let texts = part.texts(type) { return texts }
      if let type = type as? any HashOrderedDecodable.Type {
        return try decoder.unwrap(try type.init(by: decoder) as? Value, as: type)
      }
    case .plain: break
    }
    if traits.isState, let type = type as? any BytesCodable.Type {
      return try decoder.unwrap(try decoder.state(type) as? Value, as: type)
    }
    return try Value(from: decoder)
  }

  /// The decoder of a part.
  func within(
    _ part: CodableNode, deeper: Int = 1, key: (any CodingKey)? = nil
  ) -> NodeDecoder {
    NodeDecoder(part, path: path.appending(key), depth: depth + deeper)
  }

  /// The elements, if the node is an array.
  var elements: [CodableNode] {
    get throws {
      switch node {
      case .array(let elements): return elements
      case .bytes(let bytes): return bytes.map { .uint(UInt64($0)) }
      default: throw mismatch([Any].self)
      }
    }
  }

  /// The fields, if the node is an object.
  var fields: [CodableNode.Field] {
    get throws {
      guard case .object(let fields) = node else { throw mismatch([String: Any].self) }
      return fields
    }
  }

  private func state<State: BytesCodable>(_ type: State.Type) throws -> State {
    guard case .bytes(let bytes) = node else { throw mismatch(type) }
    return try State(formInNode: bytes, depth: depth + 1)
  }
}

extension NodeDecoder {
  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedNodeReader<Key>(decoder: self, fields: try fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    UnkeyedNodeReader(decoder: self, elements: try elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleNodeReader(decoder: self)
  }
}

extension NodeDecoder {
  /// The error for a node that is no value of the type.
  func mismatch(_ type: Any.Type) -> DecodingError {
    DecodingError.typeMismatch(type, context("This is no value of \(type)."))
  }

  /// The error for an invalid node.
  func corruption(_ message: String) -> DecodingError {
    DecodingError.dataCorrupted(context(message))
  }

  func context(_ message: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: message)
  }

  private func unwrap<Value>(_ value: Value?, as type: Any.Type) throws -> Value {
    guard let value else { throw mismatch(type) }
    return value
  }
}

extension NodeDecoder {
  /// Decodes a value from several concurrent writes: their merge if the type has one,
  /// else the first.
  func value<Value: Decodable>(
    _ type: Value.Type, of states: [CodableNode], deeper: Int, key: (any CodingKey)?
  ) throws -> Value {
    let decoder = within(states.first ?? .null, deeper: deeper, key: key)
    do {
      var merged: Value = try value(of: decoder.node, deeper: deeper, key: key)
      guard merged is any Mergeable, type is any BytesCodable.Type else { return merged }
      for state in states.dropFirst() {
        let other: Value = try value(of: state, deeper: deeper, key: key)
        if let mergeable = merged as? any Mergeable,
          let both = mergeable.merging(any: other) as? Value
        {
          merged = both
        }
      }
      return merged
    } catch let failure as DecodingFailure {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "These are not the canonical bytes of \(type): \(failure).",
          underlyingError: failure))
    }
  }
}

extension Mergeable {
  /// The merge with another value, if it has the same type.
  fileprivate func merging(any other: Any) -> Self {
    (other as? Self).map { merging($0) } ?? self
  }
}

extension BytesCodable {
  /// The bytes of the merge of several states, and whether all of them were valid states.
  ///
  /// `nil` if the type has no merge, or none of the bytes are a valid state.
  static func merged(_ states: [[UInt8]]) -> (bytes: [UInt8], isWhole: Bool)? {
    var merged: Self?
    var isWhole = true
    for bytes in states {
      // Bytes that are no valid state add nothing.
      guard let state = try? Self(formInNode: bytes) else {
        isWhole = false
        continue
      }
      guard let known = merged else {
        merged = state
        continue
      }
      guard let mergeable = known as? any Mergeable,
        let both = mergeable.merging(any: state) as? Self
      else { return nil }
      merged = both
    }
    return merged.map { ($0.formInNode(), isWhole) }
  }
}
