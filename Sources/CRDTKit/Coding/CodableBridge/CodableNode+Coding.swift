extension CodableNode {
  /// Writes a tag, then what the tag says.
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
