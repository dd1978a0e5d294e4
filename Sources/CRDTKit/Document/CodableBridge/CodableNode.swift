/// A value encoded by `Codable`: the intermediate form between a type and its canonical
/// bytes.
enum CodableNode: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case float(Float)
  case text(String)
  case bytes([UInt8])
  case array([CodableNode])
  case object([Field])
  /// A node of a ``NodeEncoder/Style/model``, with the shape of its type.
  indirect case shaped(CodableNode, Shape)

  /// A property of a value that its node does not show.
  enum Shape: Sendable {
    /// An object whose names are not fixed.
    case dictionary
    /// An array without a meaningful order.
    case set
    /// Parts that mean nothing by themselves.
    case whole
    /// A known field without a value.
    case absent
    /// A number that is a timestamp.
    case moment
    /// The bytes of a value with a merge of its own.
    case state(any BytesCodable.Type)
    /// An array of the bytes of one such value, from several concurrent writes.
    case states
  }

  /// A named part of an object.
  struct Field: Sendable {
    var key: String
    var node: CodableNode
  }
}

extension CodableNode {
  /// The greatest number of nested arrays, objects and states: fewer than a reader
  /// allows, because of the values around them.
  static var maximumDepth: Int { ByteReader.maximumDepth - 16 }

  /// The greatest number of nested arrays and objects of a value by itself: a value that
  /// was read alone can then be written within others.
  static var heightMax: Int { maximumDepth - 16 }

  /// The number of nested arrays and objects.
  var height: Int {
    switch self {
    case .array(let elements):
      var height = 0
      for place in elements.indices { height = max(height, elements[place].height) }
      return 1 + height
    case .object(let fields):
      var height = 0
      for place in fields.indices { height = max(height, fields[place].node.height) }
      return 1 + height
    case .shaped(let node, _): return node.height
    default: return 0
    }
  }

  /// The tags that begin a node's bytes.
  enum Tag: UInt8 {
    case null, no, yes, int, uint, double, float, text, bytes, array, object
  }

  /// The number of fields up to which a linear search is used.
  private static var searchedCount: Int { 32 }

  /// The node of an object with fields in any order.
  static func object(ofUnsorted fields: [Field]) -> CodableNode {
    if fields.count <= searchedCount { return .object(fields) }
    return .object(fields.inOrder)
  }

  /// The index of a key among the fields of an object; many fields must be in the order of
  /// their keys' bytes.
  static func place(of key: String, in fields: [Field]) -> Int? {
    // Swift's `==` treats different spellings of a text as equal.
    if fields.count <= searchedCount {
      return fields.indices.first { fields[$0].key == key && fields[$0].key.isSpelled(as: key) }
    }
    let place = fields.indices.partitioningIndex { !fields[$0].key.comes(before: key) }
    guard place < fields.count, !key.comes(before: fields[place].key) else { return nil }
    return place
  }
}

extension [CodableNode.Field] {
  /// The fields in the order of their keys' bytes.
  var inOrder: [CodableNode.Field] { sorted { $0.key.comes(before: $1.key) } }
}

extension String {
  /// Whether its UTF-8 bytes precede another text's.
  package func comes(before other: String) -> Bool {
    withUTF8Bytes { left in
      other.withUTF8Bytes { right in
        let both = min(left.count, right.count)
        var place = 0
        while place + 8 <= both {
          let own = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          let others = right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          if own != others { return own.bigEndian < others.bigEndian }
          place += 8
        }
        while place < both {
          if left[place] != right[place] { return left[place] < right[place] }
          place += 1
        }
        return left.count < right.count
      }
    }
  }
}

extension CodableNode {
  /// Writes a tag, then its content.
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.write(Tag.null.rawValue)
    case .bool(let value): writer.write((value ? Tag.yes : Tag.no).rawValue)
    case .int(let value): write(value, as: .int, to: &writer)
    case .uint(let value): write(value, as: .uint, to: &writer)
    case .double(let value): write(value, as: .double, to: &writer)
    case .float(let value): write(value, as: .float, to: &writer)
    case .text(let value): write(value, as: .text, to: &writer)
    case .bytes(let bytes):
      writer.write(Tag.bytes.rawValue)
      writer.write(varint: UInt64(bytes.count))
      writer.write(bytes)
    case .array(let elements):
      writer.write(Tag.array.rawValue)
      writer.write(varint: UInt64(elements.count))
      for element in elements { element.encode(to: &writer) }
    case .object(let fields):
      writer.write(Tag.object.rawValue)
      writer.write(varint: UInt64(fields.count))
      for field in fields {
        field.key.encode(to: &writer)
        field.node.encode(to: &writer)
      }
    case .shaped(let node, _): node.encode(to: &writer)
    }
  }

  private func write(_ value: some CanonicalCodable, as tag: Tag, to writer: inout ByteWriter) {
    writer.write(tag.rawValue)
    value.encode(to: &writer)
  }

  /// The node's bytes.
  var encodedForm: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }

  /// Reads a node, refusing unknown tags and fields out of order.
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let tag = Tag(rawValue: try reader.readByte()) else {
      throw DecodingFailure(.notCanonical("the kind of a value"), at: start)
    }
    switch tag {
    case .null: self = .null
    case .no: self = .bool(false)
    case .yes: self = .bool(true)
    case .int: self = .int(try Int64(from: &reader))
    case .uint: self = .uint(try UInt64(from: &reader))
    case .double: self = .double(try Double(from: &reader))
    case .float: self = .float(try Float(from: &reader))
    case .text: self = .text(try String(from: &reader))
    case .bytes:
      let count = try reader.readCount(of: "bytes")
      try reader.count(objectOf: count)
      self = .bytes(Array(try reader.readBytes(count)))
    case .array: self = .array(try reader.readNested(CodableNode.readElements))
    case .object: self = .object(try reader.readNested(CodableNode.readFields))
    }
  }

  private static func readElements(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> [CodableNode] {
    let count = try reader.readCount(of: "elements")
    var elements: [CodableNode] = []
    try reader.makeRoom(for: count, in: &elements)
    for _ in 0..<count { elements.append(try CodableNode(from: &reader)) }
    return elements
  }

  private static func readFields(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> [Field] {
    let count = try reader.readCount(of: "fields")
    var fields: [Field] = []
    try reader.makeRoom(for: count, in: &fields)
    for _ in 0..<count {
      let start = reader.offset
      let key = try String(from: &reader)
      if let previous = fields.last?.key, !previous.comes(before: key) {
        throw DecodingFailure(.notCanonical("the order of fields"), at: start)
      }
      fields.append(Field(key: key, node: try CodableNode(from: &reader)))
    }
    return fields
  }
}
