extension Set: CanonicalCodable where Element: CanonicalCodable {
  /// The type code of sets, then the element's.
  @inlinable
  public static var typeCode: [UInt8] { [18] + Element.typeCode }

  /// Writes the number of elements, then the elements in the order of their canonical
  /// forms.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    let forms = map { writer.form(of: $0) }
    for form in forms.sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.write(form) }
  }

  /// Reads the number of elements, then the elements, each greater than the one before.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      var elements = Set()
      var previous: ArraySlice<UInt8> = []
      let count = try reader.readCount(of: "elements")
      try reader.count(hashed: count, of: Element.self)
      elements.reserveCapacity(count)
      for place in 0..<count {
        let start = reader.offset
        let element = try Element(from: &reader)
        try reader.requireOrder(after: &previous, from: start, isFirst: place == 0)
        guard elements.insert(element).inserted else {
          throw DecodingFailure(.notCanonical("an element of a set"), at: start)
        }
      }
      return elements
    }
  }
}

extension Dictionary: CanonicalCodable where Key: CanonicalCodable, Value: CanonicalCodable {
  /// The type code of dictionaries, then the key's and the value's.
  @inlinable
  public static var typeCode: [UInt8] { [19] + Key.typeCode + Value.typeCode }

  /// Writes the number of entries, then each key and its value, in the order of the keys'
  /// canonical forms.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    let entries = map { (key: writer.form(of: $0.key), value: $0.value) }
    for entry in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      writer.write(entry.key)
      entry.value.encode(to: &writer)
    }
  }

  /// Reads the number of entries, then the entries, each key greater than the one before.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      var entries = Dictionary()
      var previous: ArraySlice<UInt8> = []
      let count = try reader.readCount(of: "entries")
      try reader.count(hashed: count, of: (key: Key, value: Value).self)
      entries.reserveCapacity(count)
      for place in 0..<count {
        let start = reader.offset
        let key = try Key(from: &reader)
        try reader.requireOrder(after: &previous, from: start, isFirst: place == 0)
        guard entries.updateValue(try Value(from: &reader), forKey: key) == nil else {
          throw DecodingFailure(.notCanonical("a key of a dictionary"), at: start)
        }
      }
      return entries
    }
  }
}

extension ByteWriter {
  /// Returns the bytes of a value that is written later, at this writer's depth.
  @inlinable
  func form(of value: some CanonicalCodable) -> [UInt8] {
    var writer = ByteWriter()
    writer.nodeDepth = nodeDepth
    value.encode(to: &writer)
    return writer.finish()
  }
}

extension ByteReader {
  /// Checks that the bytes read since `start` are greater than the previous ones, and
  /// keeps them for the next call.
  @inlinable
  func requireOrder(
    after previous: inout ArraySlice<UInt8>, from start: Int, isFirst: Bool
  ) throws(DecodingFailure) {
    let form = bytes[start..<offset]
    guard isFirst || previous.lexicographicallyPrecedes(form) else {
      throw DecodingFailure(.notCanonical("the order of elements"), at: start)
    }
    previous = form
  }
}
