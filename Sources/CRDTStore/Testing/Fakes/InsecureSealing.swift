import CRDTKit
public import CRDTStore

/// **Not secure**: a sealing for tests, which does not protect the bytes.
///
/// It keeps the contract for accidental changes only: a checksum detects those, but not
/// deliberate ones. All sealed bytes begin with the words `NOT SECURE`.
public struct InsecureSealing: Sealing {
  private static let mark = Array("NOT SECURE".utf8)
  private static let nonceSize = 8
  private static let checksumSize = 4

  private let key: SecretKey

  /// Creates a sealing with a key.
  public init(insecurelyWith key: SecretKey) {
    self.key = key
  }

  /// How many bytes sealing adds.
  public var overheadBytes: Int { Self.mark.count + Self.nonceSize + Self.checksumSize }

  /// Seals bytes for a context.
  ///
  /// - Complexity: O(n) in the bytes.
  public func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: 0...255) }
    let hidden = mixed(bytes[...], nonce[...])
    return Self.mark + nonce + hidden + checksum(nonce[...], hidden[...], context)
  }

  /// Opens bytes that were sealed for a context.
  ///
  /// - Complexity: O(n) in the bytes.
  public func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    guard sealed.count >= overheadBytes, sealed.starts(with: Self.mark) else {
      throw .notAuthentic
    }
    let nonce = sealed.dropFirst(Self.mark.count).prefix(Self.nonceSize)
    let hidden = sealed.dropFirst(Self.mark.count + Self.nonceSize).dropLast(Self.checksumSize)
    guard sealed.suffix(Self.checksumSize).elementsEqual(checksum(nonce, hidden, context)) else {
      throw .notAuthentic
    }
    return mixed(hidden, nonce)
  }

  /// Combines bytes with a key stream; applying it twice restores them.
  private func mixed(_ bytes: ArraySlice<UInt8>, _ nonce: ArraySlice<UInt8>) -> [UInt8] {
    var word = UInt64(Self.checksum(of: key.bytes + nonce)) | 1 << 40
    return bytes.map { byte in
      word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return byte ^ UInt8(truncatingIfNeeded: word >> 56)
    }
  }

  private func checksum(
    _ nonce: ArraySlice<UInt8>, _ hidden: ArraySlice<UInt8>, _ context: [UInt8]
  ) -> [UInt8] {
    let lengths = "\(key.bytes.count),\(context.count),\(hidden.count),"
    let sum = Self.checksum(of: Array(lengths.utf8) + key.bytes + context + nonce + hidden)
    return (0..<Self.checksumSize).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }

  private static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.checksum($0) }
  }
}
