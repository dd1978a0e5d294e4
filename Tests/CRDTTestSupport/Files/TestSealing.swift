package import CRDTStore

/// **Not secure**: a sealing that seals the same to the same bytes, so that tests can
/// be repeated and files compared.
package struct TestSealing: Sealing {
  /// What stores of tests are opened with.
  @TaskLocal package static var inUse: TestSealing?

  package var key: UInt64
  /// What all calls fail with; `nil` for none.
  package var failure: SealingError?

  package init(key: UInt64 = 1, failure: SealingError? = nil) {
    self.key = key
    self.failure = failure
  }

  package var overheadBytes: Int { 8 }

  package func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    if let failure { throw failure }
    let tag = tag(of: bytes, context)
    return (0..<8).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) } + mixed(bytes[...], tag)
  }

  package func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    if let failure { throw failure }
    guard sealed.count >= 8 else { throw .notAuthentic }
    let tag = sealed.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let bytes = mixed(sealed[8...], tag)
    guard self.tag(of: bytes, context) == tag else { throw .notAuthentic }
    return bytes
  }

  private func tag(of bytes: [UInt8], _ context: [UInt8]) -> UInt64 {
    var word = key &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(context.count)
    for byte in context + bytes { word = (word ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return word ^ word >> 29
  }

  private func mixed(_ bytes: ArraySlice<UInt8>, _ tag: UInt64) -> [UInt8] {
    var word = tag ^ key
    return bytes.map { byte in
      word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return byte ^ UInt8(truncatingIfNeeded: word >> 56)
    }
  }
}
