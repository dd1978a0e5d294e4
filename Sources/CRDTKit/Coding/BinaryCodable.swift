#if _pointerBitWidth(_32) || _pointerBitWidth(_16)
#error("CRDTKit needs a platform of 64 bits: sizes and counters exceed the Int of smaller ones")
#endif

/// A whole state or delta that you can store or send: a header, the canonical form and a
/// checksum.
///
///     let bytes = list.encoded()
///     let same = try ORSet<String>(decoding: bytes)
///
/// To encode a struct of such values, declare the conformance:
///
///     struct Cart: Codable, BinaryCodable {
///       var items = ORSet<String>()
///       var total = PNCounter()
///     }
///
/// Equal states give equal bytes on every machine. The article *Binary format* describes
/// the bytes.
public protocol BinaryCodable: CanonicalCodable {}

extension BinaryCodable {
  /// Returns the value in the canonical binary format.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public func encoded() -> [UInt8] {
    var memory: CodingMemory?
    return encoded(remembering: &memory)
  }

  /// Returns the value in the canonical binary format, leaving out what the memory of
  /// earlier values supplies.
  @inlinable
  func encoded(remembering memory: inout CodingMemory?) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    // The writer changes the memory, so it needs the only reference.
    if !isKnownUniquelyReferenced(&memory) { memory = memory?.copied() }
    writer.memory = memory
    BinaryFormat.writeHeader(typeCode: Self.typeCode, to: &writer)
    encode(to: &writer)
    BinaryFormat.writeChecksum(to: &writer)
    memory = writer.memory
    return writer.finish()
  }

  /// Creates a value from its encoded bytes.
  ///
  /// - Parameters:
  ///   - bytes: The result of ``encoded()``, as an array, `Data` or another collection.
  ///   - maximumMemoryBytes: The most memory that the value may take. The value of untrusted
  ///     bytes can take fifty times their size. The memory is counted while decoding, and
  ///     decoding fails before it allocates more than the limit.
  /// - Complexity: O(`bytes.count`), in time and in memory.
  /// - Throws: ``DecodingFailure`` if the bytes are malformed or the value would take more
  ///   than `maximumMemoryBytes`.
  @inlinable
  public init(
    decoding bytes: some Collection<UInt8>, maximumMemoryBytes: Int = .max
  ) throws(DecodingFailure) {
    var memoryLeft = maximumMemoryBytes
    try self.init(decoding: Array(bytes), memoryLeft: &memoryLeft)
  }

  /// Creates a value from its encoded bytes, and subtracts the memory it takes from
  /// `memoryLeft`.
  @inlinable
  package init(decoding bytes: [UInt8], memoryLeft: inout Int) throws(DecodingFailure) {
    var memory: CodingMemory?
    try self.init(decoding: bytes, memoryLeft: &memoryLeft, remembering: &memory)
  }

  /// Creates a value from its encoded bytes, with the memory of the values decoded
  /// before.
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

/// The envelope of every encoded value: two magic bytes, the format version, the type
/// code, the value, and a CRC-32C of all bytes before it.
@usableFromInline
package enum BinaryFormat {
  @usableFromInline static let magic: [UInt8] = [0xC4, 0xD7]
  /// The version that is written; this version and all earlier ones can be read.
  @inlinable
  package static var version: UInt8 { 2 }
  @usableFromInline static let checksumSize = 4
  /// Tables within a node of a struct begin with this mark since version 2.
  ///
  /// A number of replicas, in its shortest form, never begins with it.
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

  /// Checks the header, and returns a reader of the bytes between header and checksum.
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
  /// A number made from the type code and the canonical form; equal contents give equal
  /// numbers on every machine.
  ///
  ///     phoneList.digest == laptopList.digest   // they have converged
  ///
  /// It detects accidental differences but is not a cryptographic digest.
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
