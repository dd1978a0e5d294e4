import CRDTKit

/// Reads bytes as the articles on the formats say, without the package's own readers.
struct ArticleReader {
  struct Damage: Error {
    let reason: String
  }

  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func byte() throws -> UInt8 {
    guard let byte = bytes.popFirst() else { throw Damage(reason: "the bytes end") }
    return byte
  }

  mutating func take(_ count: Int) throws -> [UInt8] {
    guard bytes.count >= count else { throw Damage(reason: "the bytes end") }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  /// Seven bits a byte, the lowest first.
  mutating func varint() throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let byte = try byte()
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Damage(reason: "a varint without an end")
  }

  mutating func signed() throws -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Eight bytes, the highest first, as replicas are.
  mutating func word() throws -> UInt64 {
    try take(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Eight bytes, the lowest first.
  mutating func fixed() throws -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func text() throws -> String {
    String(decoding: try take(Int(try varint())), as: UTF8.self)
  }

  mutating func list<Element>(
    of element: (inout ArticleReader) throws -> Element
  ) throws -> [Element] {
    try (0..<(try varint())).map { _ in try element(&self) }
  }

  mutating func optional<Content>(
    _ content: (inout ArticleReader) throws -> Content
  ) throws -> Content? {
    switch try byte() {
    case 0: nil
    case 1: try content(&self)
    default: throw Damage(reason: "neither nothing nor something")
    }
  }

  /// A value of a document, alone.
  mutating func value() throws -> Document.Value {
    switch try byte() {
    case 0: .null
    case 1: .bool(false)
    case 2: .bool(true)
    case 3: .int(try signed())
    case 4: .double(Double(bitPattern: try fixed()))
    case 5: .bytes(try take(Int(try varint())))
    case 6: .timestamp(Double(bitPattern: try fixed()))
    case 7: .array(try list { try $0.value() })
    case 9: .string(String(decoding: try take(64 + Int(try varint())), as: UTF8.self))
    case let byte where (16...63).contains(byte): .int(Int64(byte) - 24)
    case let byte where (64...127).contains(byte):
      .string(String(decoding: try take(Int(byte) - 64), as: UTF8.self))
    case let byte: throw Damage(reason: "a value does not begin with \(byte)")
    }
  }

  /// A change of a field.
  mutating func change() throws -> Document.FieldChange {
    let path = FieldPath(try list { try $0.text() })
    switch try byte() {
    case 0:
      let value = try value()
      return Document.FieldChange(path, .assign(value, before: try optional { try $0.value() }))
    case 1: return Document.FieldChange(path, .remove(before: try optional { try $0.value() }))
    case 2: return Document.FieldChange(path, .increment(try signed()))
    case 3: return Document.FieldChange(path, .insert(try list { try $0.value() }))
    case 4: return Document.FieldChange(path, .take(try list { try $0.value() }))
    default: throw Damage(reason: "an unknown change")
    }
  }
}
