import CRDTKit

/// The keyed digest HMAC-SHA-256 (RFC 2104): without the key nobody can tell what it is of.
enum KeyedDigest {
  /// What some bytes come to under a key of at most 64 bytes.
  static func digest(of bytes: [UInt8], key: [UInt8]) -> SHA256.Digest {
    precondition(key.count <= 64, "a key of \(key.count) bytes, of which 64 can be used")
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = (block.map { $0 ^ 0x36 } + bytes).withUnsafeBytes { SHA256.digest(of: $0) }
    let innerBytes = inner.words.flatMap { word in
      withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
    return (block.map { $0 ^ 0x5C } + innerBytes).withUnsafeBytes { SHA256.digest(of: $0) }
  }
}
