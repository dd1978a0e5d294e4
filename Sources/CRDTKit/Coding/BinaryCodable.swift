/// A whole state or delta that can be stored or sent by itself: a header, the
/// canonical form, a checksum.
///
///     let bytes = list.encoded()
///     let same = try ORSet<String>(decoding: bytes)
///
/// A struct of states is one as well, for the asking:
///
///     struct Cart: Codable, BinaryCodable {
///       var items = ORSet<String>()
///       var total = PNCounter()
///     }
///
/// Equal states give equal bytes on every machine. The article *Binary format*
/// says what each byte means.
public protocol BinaryCodable: CanonicalCodable {}

extension BinaryCodable {
  /// The value in the canonical binary format.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public func encoded() -> [UInt8] {
    var memory: CodingMemory?
    return encoded(remembering: &memory)
  }

  /// The value in the canonical binary format, but for what was written before and
  /// is remembered.
  @inlinable
  func encoded(remembering memory: inout CodingMemory?) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    // The writer changes the memory, and must be alone in that.
    if !isKnownUniquelyReferenced(&memory) { memory = memory?.copied() }
    writer.memory = memory
    BinaryFormat.writeHeader(typeCode: Self.typeCode, to: &writer)
    encode(to: &writer)
    BinaryFormat.writeChecksum(to: &writer)
    memory = writer.memory
    return writer.finish()
  }

  /// Creates the value that the bytes hold.
  ///
  /// - Parameters:
  ///   - bytes: What ``encoded()`` gave.
  ///   - memoryBytesMax: How much memory the value may take. A stranger's bytes can come to
  ///     fifty times as much as they are; it is counted while they are read, and what would
  ///     exceed it is refused before it is there.
  /// - Complexity: O(`bytes.count`), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not wholly in order.
  @inlinable
  public init(decoding bytes: [UInt8], memoryBytesMax: Int = .max) throws(DecodingFailure) {
    var memoryLeft = memoryBytesMax
    try self.init(decoding: bytes, memoryLeft: &memoryLeft)
  }

  /// Creates the value that the bytes hold, and counts the memory that it takes.
  @inlinable
  package init(decoding bytes: [UInt8], memoryLeft: inout Int) throws(DecodingFailure) {
    var memory: CodingMemory?
    try self.init(decoding: bytes, memoryLeft: &memoryLeft, remembering: &memory)
  }

  /// Creates the value that the bytes hold, with what was read before and is
  /// remembered.
  @inlinable
  init(
    decoding bytes: [UInt8], memoryLeft: inout Int, remembering memory: inout CodingMemory?
  ) throws(DecodingFailure) {
    var reader = try BinaryFormat.openBody(of: bytes, typeCode: Self.typeCode)
    reader.limitMemory(to: memoryLeft)
    try BinaryFormat.verifyChecksum(of: bytes)
    reader.memory = memory
    memory = nil
    try self.init(from: &reader)
    guard reader.remaining == 0 else { throw reader.failure(.trailingBytes) }
    memory = reader.memory
    memoryLeft -= reader.memoryTaken
  }
}

/// The envelope of every encoded value: two magic bytes, the format version, the
/// type's code, the value, and a CRC-32C of all before it.
@usableFromInline
package enum BinaryFormat {
  @usableFromInline static let magic: [UInt8] = [0xC4, 0xD7]
  /// The version that is written; all up to it are read.
  @inlinable
  package static var version: UInt8 { 2 }
  @usableFromInline static let checksumSize = 4
  /// What tables within a node of a struct begin with since version 2: a number of
  /// replicas never does, being written as short as it can be.
  static let tableMark: [UInt8] = [0x80, 0x00]

  @usableFromInline
  static func writeHeader(typeCode: [UInt8], to writer: inout ByteWriter) {
    writer.write(magic)
    writer.write(version)
    writer.write(typeCode)
  }

  @usableFromInline
  static func writeChecksum(to writer: inout ByteWriter) {
    let checksum = writer.withBytes { CRC32C.checksum($0) }
    writer.write(fixed: checksum)
  }

  /// Checks the header and gives a reader of what stands between it and the
  /// checksum.
  @usableFromInline
  static func openBody(
    of bytes: [UInt8], typeCode: [UInt8]
  ) throws(DecodingFailure) -> ByteReader {
    guard bytes.starts(with: magic.prefix(bytes.count)) else {
      throw DecodingFailure(.unknownFormat, at: 0)
    }
    guard bytes.count >= magic.count + 1 + typeCode.count + checksumSize else {
      throw DecodingFailure(.truncated, at: bytes.count)
    }
    let found = bytes[magic.count]
    guard (1...version).contains(found) else {
      throw DecodingFailure(.unsupportedVersion(found), at: magic.count)
    }
    var reader = ByteReader(bytes, in: magic.count + 1..<bytes.count - checksumSize)
    reader.formatVersion = found
    let start = reader.offset
    let code = try reader.readBytes(typeCode.count)
    guard code.elementsEqual(typeCode) else {
      throw DecodingFailure(.typeMismatch(found: Array(code), expected: typeCode), at: start)
    }
    return reader
  }

  @usableFromInline
  static func verifyChecksum(of bytes: [UInt8]) throws(DecodingFailure) {
    let end = bytes.count - checksumSize
    let matches = bytes.withUnsafeBytes { bytes in
      let stored = bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self)
      return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        == UInt32(littleEndian: stored)
    }
    guard matches else { throw DecodingFailure(.damaged, at: end) }
  }
}

extension BinaryCodable {
  /// A number made from the type's code and the canonical form: where it is the
  /// same, so is the content, on whatever machines.
  ///
  ///     phoneList.digest == laptopList.digest   // they have converged
  ///
  /// It tells accidents apart, not attacks: it is no cryptographic digest.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public var digest: UInt64 {
    var writer = ByteWriter(capacity: 256)
    BinaryFormat.writeHeader(typeCode: Self.typeCode, to: &writer)
    encode(to: &writer)
    return writer.withBytes { Fingerprint.of($0) }
  }
}
