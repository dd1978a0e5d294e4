/// A digest of a value's version and rows: 32 bytes that differ for different contents.
///
///     phoneList.contentDigest == laptopList.contentDigest   // the same, to the last row
///
/// Copies with equal versions have equal rows, unless two places have written under one
/// replica's name, or a peer has sent different data to two others. In these cases the
/// versions are equal and the digests differ, because it is not feasible to make
/// different contents with equal digests. It is built from SHA-256 digests; the article
/// *Binary format* describes it.
@frozen
public struct ContentDigest: Hashable, Sendable {
  @usableFromInline let hash: SHA256.Digest

  @usableFromInline
  init(_ hash: SHA256.Digest) {
    self.hash = hash
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    hash.words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  /// The first 16 bytes, which peers and relays compare.
  @usableFromInline
  package var short: ShortDigest { ShortDigest(hash.first, hash.second) }
}

extension ContentDigest: CustomStringConvertible {
  /// The bytes as 64 hexadecimal digits.
  public var description: String { hash.hexadecimal }
}

/// The first 16 bytes of a SHA-256 digest.
///
/// Finding two contents with the same bytes takes about 2⁶⁴ attempts.
@frozen
@usableFromInline
package struct ShortDigest: Hashable, Sendable {
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64

  @usableFromInline
  package init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Creates the digest of the bytes.
  ///
  /// - Complexity: O(number of bytes).
  @usableFromInline
  package init(of bytes: UnsafeRawBufferPointer) {
    let digest = SHA256.digest(of: bytes)
    self.init(digest.first, digest.second)
  }
}

extension ShortDigest: Comparable {
  @usableFromInline
  package static func < (left: ShortDigest, right: ShortDigest) -> Bool {
    (left.first, left.second) < (right.first, right.second)
  }
}

extension ShortDigest: CustomStringConvertible {
  /// The bytes as 32 hexadecimal digits.
  @usableFromInline
  package var description: String {
    String(SHA256.Digest(first, second, 0, 0).hexadecimal.prefix(32))
  }
}

extension ShortDigest {
  /// Writes the 16 bytes.
  @usableFromInline
  package func encode(to writer: inout ByteWriter) {
    writer.write(fixed: first.bigEndian)
    writer.write(fixed: second.bigEndian)
  }

  /// Reads 16 bytes.
  @usableFromInline
  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    first = UInt64(bigEndian: try reader.readFixed(UInt64.self))
    second = UInt64(bigEndian: try reader.readFixed(UInt64.self))
  }
}
