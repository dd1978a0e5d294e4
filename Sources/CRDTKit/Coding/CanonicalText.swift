extension String: CanonicalCodable {
  /// The type code of `String`.
  @inlinable
  public static var typeCode: [UInt8] { [12] }

  /// The most bytes that a string can leave out because the previous one has them.
  ///
  /// It bounds how much longer than its bytes a decoded column can be.
  @inlinable
  static var sharedLengthMax: Int { 64 }

  /// Writes the number of UTF-8 bytes, then the bytes.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the number of UTF-8 bytes, then the bytes.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes how many bytes are shared with the previous string, how many follow, and
  /// those bytes.
  ///
  /// The two numbers share a byte, four bits each; 15 means that the rest of the number
  /// follows.
  public func encode(to writer: inout ByteWriter, after previous: String?) {
    withUTF8Bytes { bytes in
      let shared = previous?.withUTF8Bytes { $0.commonPrefixLength(with: bytes) } ?? 0
      let added = bytes.count - shared
      writer.write(UInt8(Swift.min(shared, 15) << 4 | Swift.min(added, 15)))
      if shared >= 15 { writer.write(varint: UInt64(shared - 15)) }
      if added >= 15 { writer.write(varint: UInt64(added - 15)) }
      writer.write(UnsafeRawBufferPointer(rebasing: bytes[shared...]))
    }
  }

  /// Reads a string that shares its beginning with the previous one.
  public init(from reader: inout ByteReader, after previous: String?) throws(DecodingFailure) {
    let start = reader.offset
    let lengths = try reader.readByte()
    var shared = UInt64(lengths >> 4)
    var added = UInt64(lengths & 15)
    if shared == 15 { shared += Swift.min(try reader.readVarint(), UInt64(Int32.max)) }
    if added == 15 { added += Swift.min(try reader.readVarint(), UInt64(Int.max / 2)) }
    guard added <= UInt64(reader.remaining) else {
      throw DecodingFailure(.outOfBounds("the length of a text"), at: start)
    }
    if added == 0, let previous, shared > 0, shared <= UInt64(String.sharedLengthMax),
      shared == UInt64(previous.utf8.count)
    {
      self = previous
      return
    }
    let text: String?
    if shared == 0 {
      text = try reader.readValidText(Int(added))
    } else {
      guard let previous, shared <= UInt64(Swift.min(previous.utf8.count, String.sharedLengthMax))
      else {
        throw DecodingFailure(.outOfBounds("the shared length of a text"), at: start)
      }
      text = try reader.readValidText(Int(added), after: previous, sharing: Int(shared))
    }
    guard let text else { throw DecodingFailure(.invalidText, at: start) }
    // The shared beginning is as long as possible if the next bytes differ.
    let couldShareMore = previous?.withUTF8Bytes { previous in
      text.withUTF8Bytes { text in
        let length = Int(shared)
        return length < Swift.min(previous.count, text.count, String.sharedLengthMax)
          && previous[length] == text[length]
      }
    }
    guard couldShareMore != true else {
      throw DecodingFailure(.notCanonical("the shared length of a text"), at: start)
    }
    self = text
  }

  /// The fingerprint of the UTF-8 bytes.
  @inlinable
  public var _fingerprint: UInt64 { withUTF8Bytes { Fingerprint.of($0) } }

  @inlinable
  func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

extension ByteReader {
  /// The greatest number of UTF-8 bytes in a string that needs no allocation.
  private static var inlineTextMax: Int { 15 }

  /// Reads a string of the given number of bytes; `nil` if they are not UTF-8.
  mutating func readValidText(_ count: Int) throws(DecodingFailure) -> String? {
    guard count >= 0, count <= remaining else { throw failure(.truncated) }
    if count > Self.inlineTextMax { try self.count(objectOf: count) }
    defer { position += count }
    return bytes.withUnsafeBytes { bytes in
      String(checking: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
  }

  /// Reads the given number of bytes and prepends the bytes shared with another string;
  /// `nil` if they are not UTF-8.
  mutating func readValidText(
    _ count: Int, after previous: String, sharing shared: Int
  ) throws(DecodingFailure) -> String? {
    guard count >= 0, count <= remaining else { throw failure(.truncated) }
    if shared + count > Self.inlineTextMax { try self.count(objectOf: shared + count) }
    defer { position += count }
    return withUnsafeTemporaryAllocation(byteCount: shared + count, alignment: 1) { buffer in
      previous.withUTF8Bytes { previous in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: previous[..<shared]))
      }
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[shared...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
      }
      return String(checking: UnsafeRawBufferPointer(buffer))
    }
  }
}

extension String {
  /// Creates a string from bytes; `nil` if they are not UTF-8.
  ///
  /// For ASCII, which most names are, it takes a fraction of the time of the standard
  /// library's check.
  fileprivate init?(checking bytes: UnsafeRawBufferPointer) {
    guard bytes.isASCII else {
      self.init(validating: bytes, as: UTF8.self)
      return
    }
    self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
      return bytes.count
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte has its high bit set.
  fileprivate var isASCII: Bool {
    var all: UInt64 = 0
    var place = 0
    while place + 8 <= count {
      all |= loadUnaligned(fromByteOffset: place, as: UInt64.self)
      place += 8
    }
    while place < count {
      all |= UInt64(self[place])
      place += 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Returns how many bytes the two have in common at the beginning, up to the most that
  /// can be shared.
  fileprivate func commonPrefixLength(with other: UnsafeRawBufferPointer) -> Int {
    let most = Swift.min(count, other.count, String.sharedLengthMax)
    var length = 0
    while length + 8 <= most {
      let own = UInt64(littleEndian: loadUnaligned(fromByteOffset: length, as: UInt64.self))
      let others = UInt64(
        littleEndian: other.loadUnaligned(fromByteOffset: length, as: UInt64.self))
      if own != others { return length + (own ^ others).trailingZeroBitCount / 8 }
      length += 8
    }
    while length < most, self[length] == other[length] { length += 1 }
    return length
  }

  /// Returns whether the bytes are the same.
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var place = 0
    while place + 8 <= count {
      let own = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard own == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) else {
        return false
      }
      place += 8
    }
    while place < count, self[place] == other[place] { place += 1 }
    return place == count
  }
}

extension String {
  /// Returns whether the other string has the same bytes; equal strings might not.
  func isSpelled(as other: String) -> Bool {
    isStored(as: other)
      || withUTF8Bytes { own in other.withUTF8Bytes { own.hasSameBytes(as: $0) } }
  }
}
