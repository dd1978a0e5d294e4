/// Reads values from untrusted bytes, with a check of every read.
///
/// It never reads past the end, and refuses numbers that are longer than necessary.
/// Errors say at which byte the problem is.
@frozen
public struct ByteReader: Sendable {
  /// The greatest depth of nested values.
  public static var maximumDepth: Int { 64 }

  @usableFromInline let bytes: [UInt8]
  @usableFromInline let end: Int
  @usableFromInline var depth = 0

  /// The number of arrays, objects and states of ``CodableNode`` around the current
  /// value.
  @usableFromInline var nodeDepth = 0

  /// The version of the binary format that the bytes are in.
  @usableFromInline package var formatVersion = BinaryFormat.version

  /// The memory of the values read so far, for the values that follow.
  @usableFromInline var memory: CodingMemory?

  @usableFromInline var position: Int

  /// The bytes of memory that the remaining values may take.
  @usableFromInline var memoryLeft: Int
  /// The bytes of memory that all values together may take.
  @usableFromInline var memoryMax: Int

  /// Creates a reader of the given bytes.
  @inlinable
  public init(_ bytes: [UInt8]) {
    self.init(bytes, in: 0..<bytes.count)
  }

  @inlinable
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    memoryMax = Self.memoryMax(for: range.count)
    memoryLeft = memoryMax
  }

  /// The offset of the next byte.
  @inlinable
  public var offset: Int { position }

  /// The number of bytes that are left.
  @inlinable
  public var remaining: Int { end - offset }
}

extension ByteReader {
  /// Reads one byte.
  @inlinable
  public mutating func readByte() throws(DecodingFailure) -> UInt8 {
    guard position < end else { throw failure(.truncated) }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads the given number of bytes.
  ///
  /// - Complexity: O(`count`).
  @inlinable
  public mutating func readBytes(_ count: Int) throws(DecodingFailure) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw failure(.truncated) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Skips the given number of bytes.
  @usableFromInline
  package mutating func skip(_ count: Int) throws(DecodingFailure) {
    guard count >= 0, count <= remaining else { throw failure(.truncated) }
    position += count
  }

  /// Reads a number of 1 to 10 bytes (LEB128); refuses it if it is longer than necessary.
  @inlinable
  public mutating func readVarint() throws(DecodingFailure) -> UInt64 {
    guard position < end else { throw failure(.truncated) }
    let first = bytes[position]
    if first < 0x80 {
      position += 1
      return UInt64(first)
    }
    var value = UInt64(first & 0x7F)
    var place = position + 1
    var shift: UInt64 = 7
    while true {
      guard place < end else { throw failure(.truncated) }
      let byte = bytes[place]
      guard shift < 63 || byte <= 1 else { throw failure(.outOfBounds("a number")) }
      value |= UInt64(byte & 0x7F) &<< shift
      place += 1
      if byte < 0x80 {
        guard byte != 0 else { throw failure(.notCanonical("a number")) }
        position = place
        return value
      }
      shift += 7
    }
  }

  /// Reads a signed number (zig-zag, LEB128).
  @inlinable
  public mutating func readSignedVarint() throws(DecodingFailure) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads an integer in its full width, lowest byte first.
  @inlinable
  public mutating func readFixed<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type
  ) throws(DecodingFailure) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= remaining else { throw failure(.truncated) }
    defer { position += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
  }

  /// Reads the number of elements that follow, each of which takes at least a byte.
  ///
  /// If the remaining bytes can't hold that many elements, it throws before any memory is
  /// allocated.
  @inlinable
  public mutating func readCount(of what: String) throws(DecodingFailure) -> Int {
    let start = position
    let count = try readVarint()
    guard count <= UInt64(remaining) else {
      throw DecodingFailure(.outOfBounds("the number of \(what)"), at: start)
    }
    return Int(count)
  }

  /// Reads a value that may contain further values, and counts the depth.
  @inlinable
  public mutating func readNested<Value>(
    _ body: (inout ByteReader) throws(DecodingFailure) -> Value
  ) throws(DecodingFailure) -> Value {
    guard depth < ByteReader.maximumDepth else { throw failure(.nestedTooDeep) }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Returns an error at the offset of the next byte.
  @usableFromInline
  func failure(_ reason: DecodingFailure.Reason) -> DecodingFailure {
    DecodingFailure(reason, at: position)
  }
}
