/// What a value's version and rows come to: 32 bytes that no other contents have.
///
///     phoneList.contentDigest == laptopList.contentDigest   // the same, to the last row
///
/// Copies with equal versions have equal rows, unless two places have written under one
/// replica's name, or somebody has told two others different things. Nobody can make
/// contents that differ and have equal digests, so where versions are equal and digests
/// aren't, that has happened. It is made of digests by SHA-256; the article
/// *Binary format* says how.
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

/// The first 16 bytes of a digest by SHA-256: to find two contents that have the same
/// takes some 2⁶⁴ tries.
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

  /// What some bytes come to.
  ///
  /// - Complexity: O(n) in the bytes.
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
