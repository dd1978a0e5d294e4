extension Array: CanonicalCodable where Element: CanonicalCodable {
  /// The type code of arrays, then the element's.
  @inlinable
  public static var typeCode: [UInt8] { [13] + Element.typeCode }

  /// Writes the number of elements, then the elements, each relative to the one before.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    var previous: Element?
    for element in self {
      element.encode(to: &writer, after: previous)
      previous = element
    }
  }

  /// Reads the number of elements, then the elements.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      let count = try reader.readCount(of: "elements")
      var elements: [Element] = []
      try reader.makeRoom(for: count, in: &elements)
      for _ in 0..<count {
        elements.append(try Element(from: &reader, after: elements.last))
      }
      return elements
    }
  }
}

extension Optional: CanonicalCodable where Wrapped: CanonicalCodable {
  /// The type code of optionals, then the wrapped type's.
  @inlinable
  public static var typeCode: [UInt8] { [14] + Wrapped.typeCode }

  /// Writes 0 for `nil`; 1 and the value otherwise.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    (self != nil).encode(to: &writer)
    self?.encode(to: &writer)
  }

  /// Reads 0 as `nil`, or 1 and the value.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      try Bool(from: &reader) ? try Wrapped(from: &reader) : nil
    }
  }
}

extension CanonicalCodable where Self: RawRepresentable, RawValue: CanonicalCodable {
  /// Writes the raw value.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    rawValue.encode(to: &writer)
  }

  /// Reads a raw value, and throws if no value has it.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readRawValue(of: Self.self)
  }
}

extension CanonicalCodable
where Self: Codable & RawRepresentable, RawValue: CanonicalCodable {
  /// Writes the raw value.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    rawValue.encode(to: &writer)
  }

  /// Reads a raw value, and throws if no value has it.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readRawValue(of: Self.self)
  }
}

extension ByteReader {
  /// Reads a raw value, and throws if no value has it or if its value has another raw
  /// value.
  @inlinable
  mutating func readRawValue<Value: RawRepresentable>(
    of type: Value.Type
  ) throws(DecodingFailure) -> Value where Value.RawValue: CanonicalCodable {
    let start = offset
    let rawValue = try Value.RawValue(from: &self)
    guard let value = Value(rawValue: rawValue) else {
      throw DecodingFailure(.invalidValue("a raw value of \(type) stands for nothing"), at: start)
    }
    guard value.rawValue.hasSameForm(as: rawValue) else {
      throw DecodingFailure(.notCanonical("a raw value of \(type)"), at: start)
    }
    return value
  }
}

extension ReplicaID: CanonicalCodable {
  /// The type code of replica identifiers.
  @inlinable
  public static var typeCode: [UInt8] { [15] }

  /// Writes the eight bytes of the number, highest first.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: rawValue.bigEndian)
  }

  /// Reads eight bytes, highest first.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(UInt64(bigEndian: try reader.readFixed(UInt64.self)))
  }
}

extension VersionVector: BinaryCodable {
  /// The type code of version vectors.
  @inlinable
  public static var typeCode: [UInt8] { [16] }

  /// Writes the number of entries, then each replica and its counter.
  public func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for entry in entries {
      entry.replica.encode(to: &writer)
      writer.write(varint: entry.counter)
    }
  }

  /// Reads entries in ascending order of their replicas.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    var entries: ContiguousArray<Entry> = []
    try reader.makeRoom(for: count, in: &entries)
    for _ in 0..<count {
      let replica = try reader.readReplica(after: entries.last?.replica)
      entries.append(Entry(replica, try reader.readCounter()))
    }
    self.init(sortedEntries: entries)
  }
}

extension ByteReader {
  /// Reads a replica, which must be greater than the one before it.
  @usableFromInline
  mutating func readReplica(after previous: ReplicaID?) throws(DecodingFailure) -> ReplicaID {
    let start = offset
    let replica = try ReplicaID(from: &self)
    if let previous, replica <= previous {
      throw DecodingFailure(.notCanonical("the order of replicas"), at: start)
    }
    return replica
  }

  /// Reads an event's counter: from 1 to ``Dot/counterMax``.
  @usableFromInline
  mutating func readCounter() throws(DecodingFailure) -> UInt64 {
    let start = offset
    let counter = try readVarint()
    guard counter >= 1, counter <= Dot.counterMax else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    return counter
  }
}
