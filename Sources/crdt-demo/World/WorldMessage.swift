/// What travels on the links of a ``World``.
protocol WorldMessage {
  /// How many bytes it takes on the wire: a link of bounded bandwidth goes by it.
  var byteCount: Int { get }

  /// Flips a bit of it; false where whoever gets it would notice and throw it away,
  /// so that it is as good as lost.
  mutating func corrupt(_ draw: UInt64) -> Bool
}

extension WorldMessage {
  var byteCount: Int { 0 }

  mutating func corrupt(_ draw: UInt64) -> Bool { false }
}

extension [UInt8]: WorldMessage {
  var byteCount: Int { count }

  mutating func corrupt(_ draw: UInt64) -> Bool {
    guard !isEmpty else { return false }
    let bit = Int(draw % UInt64(count * 8))
    self[bit / 8] ^= 1 << (bit % 8)
    return true
  }
}
