/// A sealing that counts how often it seals.
final class CountedSealing: Sealing {
  private let sealing: any Sealing
  private let sealed: Locked<UInt64>

  init(_ sealing: any Sealing) {
    self.sealing = sealing
    sealed = Locked(0)
  }

  /// How often it has sealed.
  var count: UInt64 { sealed.withLock { $0 } }

  var overheadBytes: Int { sealing.overheadBytes }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    sealed.withLock { $0 += 1 }
    return try sealing.seal(bytes, for: context)
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try sealing.open(sealed, for: context)
  }
}
