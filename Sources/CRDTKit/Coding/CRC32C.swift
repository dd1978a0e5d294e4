/// The checksum CRC-32C (Castagnoli).
///
/// It detects every error within 32 consecutive bits, and all other errors except one in
/// four thousand million. It processes eight bytes a step ("slicing by 8": Kounavis,
/// Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC Generation",
/// 2008).
package enum CRC32C {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Eight tables of 256: table `k` advances a byte over `k` further zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1
      }
      tables[byte] = remainder
    }
    for place in 256..<8 * 256 {
      let shorter = tables[place - 256]
      tables[place] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
    }
    return tables
  }()

  /// Returns the checksum of the bytes.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var remainder = ~UInt32(0)
      var place = 0
      while place + 8 <= bytes.count {
        let word =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
          ^ UInt64(remainder)
        remainder = 0
        for lane in 0..<8 {
          let byte = Int(truncatingIfNeeded: word &>> UInt64(8 * lane)) & 0xFF
          remainder ^= tables[(7 - lane) * 256 + byte]
        }
        place += 8
      }
      for byte in bytes[place...] {
        remainder = remainder >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
      }
      return ~remainder
    }
  }
}
