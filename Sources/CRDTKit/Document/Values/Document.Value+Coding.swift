extension Document.Value: CanonicalCodable {
  /// The first byte of a value; it includes whole numbers near 0 and the length of short
  /// texts.
  enum Mark {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let int: UInt8 = 3
    static let double: UInt8 = 4
    static let bytes: UInt8 = 5
    static let timestamp: UInt8 = 6
    static let array: UInt8 = 7
    static let object: UInt8 = 8
    static let longString: UInt8 = 9
    /// The byte of the number 0; −8 to 39 have the bytes around it.
    static let zero: UInt8 = 24
    static let smallInts: ClosedRange<Int64> = -8...39
    static let smallIntBytes: ClosedRange<UInt8> = 16...63
    /// The byte of the empty text; texts of up to 63 bytes have the bytes after it.
    static let emptyString: UInt8 = 64
    static let shortLengthMax = 63
    static let stringBytes: ClosedRange<UInt8> = 64...127
  }

  /// The first byte of the canonical form: less than 128.
  var head: UInt8 {
    switch self {
    case .null: Mark.null
    case .bool(let value): value ? Mark.yes : Mark.no
    case .int(let value):
      Mark.smallInts.contains(value)
        ? UInt8(truncatingIfNeeded: Int64(Mark.zero) + value) : Mark.int
    case .double: Mark.double
    case .string(let value):
      value.utf8.count <= Mark.shortLengthMax
        ? Mark.emptyString + UInt8(truncatingIfNeeded: value.utf8.count) : Mark.longString
    case .bytes: Mark.bytes
    case .timestamp: Mark.timestamp
    case .array: Mark.array
    case .object: Mark.object
    }
  }

  /// Writes a byte for the kind of value, then the content.
  public func encode(to writer: inout ByteWriter) {
    writer.write(head)
    encodeContent(to: &writer)
  }

  /// Writes the content after the first byte.
  func encodeContent(to writer: inout ByteWriter) {
    switch self {
    case .null, .bool: break
    case .int(let value):
      if !Mark.smallInts.contains(value) { writer.write(signedVarint: value) }
    case .double(let value), .timestamp(let value): value.encode(to: &writer)
    case .string(let value):
      value.withUTF8Bytes { bytes in
        if bytes.count > Mark.shortLengthMax {
          writer.write(varint: UInt64(bytes.count - Mark.shortLengthMax - 1))
        }
        writer.write(bytes)
      }
    case .bytes(let value):
      writer.write(varint: UInt64(value.count))
      writer.write(value)
    case .array(let values): values.encode(to: &writer)
    case .object(let fields):
      writer.write(varint: UInt64(fields.count))
      var previous: String?
      for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
        name.encode(to: &writer, after: previous)
        value.encode(to: &writer)
        previous = name
      }
    }
  }

  /// Reads a value.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    self = try Document.Value(head: try reader.readByte(), from: &reader, at: start)
  }

  /// Reads the content after the first byte.
  init(head: UInt8, from reader: inout ByteReader, at start: Int) throws(DecodingFailure) {
    switch head {
    case Mark.null: self = .null
    case Mark.no: self = .bool(false)
    case Mark.yes: self = .bool(true)
    case Mark.int:
      let value = try reader.readSignedVarint()
      guard !Mark.smallInts.contains(value) else {
        throw DecodingFailure(.notCanonical("a number near 0"), at: start)
      }
      self = .int(value)
    case Mark.smallIntBytes: self = .int(Int64(head) - Int64(Mark.zero))
    case Mark.double: self = .double(try Double(from: &reader))
    case Mark.timestamp: self = .timestamp(try Double(from: &reader))
    case Mark.bytes:
      let count = try reader.readCount(of: "bytes")
      try reader.count(objectOf: count)
      self = .bytes(Array(try reader.readBytes(count)))
    case Mark.stringBytes:
      self = .string(try reader.readText(Int(head - Mark.emptyString)))
    case Mark.longString:
      let more = try reader.readCount(of: "bytes of a text")
      self = .string(try reader.readText(more + Mark.shortLengthMax + 1))
    case Mark.array: self = .array(try [Document.Value](from: &reader))
    case Mark.object: self = .object(try reader.readNested(Self.readFields))
    default: throw DecodingFailure(.notCanonical("the kind of a value"), at: start)
    }
  }

  private static func readFields(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> [String: Document.Value] {
    let count = try reader.readCount(of: "fields")
    try reader.count(hashed: count, of: (key: String, value: Document.Value).self)
    var fields = [String: Document.Value](minimumCapacity: count)
    var previous: String?
    for _ in 0..<count {
      let start = reader.offset
      let name = try reader.readName(after: previous)
      if let previous, !previous.comes(before: name) {
        throw DecodingFailure(.notCanonical("the order of fields"), at: start)
      }
      let value = try Document.Value(from: &reader)
      guard fields.updateValue(value, forKey: name) == nil else {
        throw DecodingFailure(.notCanonical("one name in two spellings"), at: start)
      }
      previous = name
    }
    return fields
  }

  /// The type code of values.
  public static var typeCode: [UInt8] { [43] }

  /// A number computed from the kind and the content; common kinds are not encoded for
  /// it.
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    switch self {
    case .null: fingerprint.combine(0)
    case .bool(let value): fingerprint.combine(value ? 2 : 1)
    case .int(let value):
      fingerprint.combine(3)
      fingerprint.combine(UInt64(bitPattern: value))
    case .double(let value):
      fingerprint.combine(4)
      fingerprint.combine(value.bitPattern)
    case .string(let value):
      fingerprint.combine(5)
      value.withUTF8Bytes { fingerprint.combine($0) }
    case .bytes, .timestamp, .array, .object:
      var writer = ByteWriter()
      encode(to: &writer)
      fingerprint.combine(6)
      writer.withBytes { fingerprint.combine($0) }
    }
    return fingerprint.value
  }
}

extension ByteReader {
  /// Reads a text with the given number of bytes.
  mutating func readText(_ count: Int) throws(DecodingFailure) -> String {
    let start = offset
    guard let text = try readValidText(count) else {
      throw DecodingFailure(.invalidText, at: start)
    }
    return text
  }
}

extension Document.Value {
  /// The greatest number of nested arrays and objects.
  public static var maximumDepth: Int { 32 }

  /// The number of nested arrays and objects.
  ///
  /// - Complexity: O(size of the value).
  public var depth: Int {
    switch self {
    case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
    case .object(let fields): 1 + (fields.values.lazy.map(\.depth).max() ?? 0)
    default: 0
    }
  }

  /// The greatest number of UTF-8 bytes in the name of a collection, a record, a field or
  /// an entry of a dictionary.
  ///
  /// Swift compares texts in a normal form, which takes quadratic time in the number of
  /// accents on one letter. So names from outside need a limit.
  public static var maximumNameLength: Int { KeyIdentity.normalizedLengthMax }

  /// Whether an object in the value has a name that is too long.
  var hasLongName: Bool {
    switch self {
    case .array(let values): values.contains { $0.hasLongName }
    case .object(let fields): fields.contains { $0.key.isLongName || $0.value.hasLongName }
    default: false
    }
  }

  /// Traps unless a value can be written at a path and read again.
  static func requireRoom(for value: Document.Value, at path: FieldPath) {
    precondition(
      path.names.count + value.depth <= maximumDepth,
      "values nested deeper than \(maximumDepth) levels")
    precondition(
      !value.hasLongName && !path.names.contains { $0.isLongName },
      "a name of more than \(maximumNameLength) bytes")
  }
}

extension String {
  /// Whether the text is too long for a name in a document.
  var isLongName: Bool { utf8.count > Document.Value.maximumNameLength }
}

extension ByteReader {
  /// Reads a name in a document, encoded relative to the previous one.
  mutating func readName(after previous: String?) throws(DecodingFailure) -> String {
    let start = offset
    let name = try String(from: &self, after: previous)
    guard !name.isLongName else {
      throw DecodingFailure(.outOfBounds("the length of a name"), at: start)
    }
    return name
  }
}
