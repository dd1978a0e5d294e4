/// The digest SHA-256 (FIPS 180-4): the name of bytes that is made of them alone.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var schedule = [UInt32](repeating: 0, count: 64)

  /// The digest of some bytes, as 64 hexadecimal digits.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func hexadecimalDigest(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    let words = hash.digest(bytes)
    return words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }.joined()
  }

  /// The first eight bytes of the digest of some bytes, as a number.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func prefix(of bytes: [UInt8]) -> UInt64 {
    var hash = SHA256()
    let words = hash.digest(bytes)
    return UInt64(words[0]) << 32 | UInt64(words[1])
  }

  /// The first sixteen bytes of the digest of some bytes, as two numbers.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func half(of bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
    var hash = SHA256()
    let words = hash.digest(bytes)
    return (
      UInt64(words[0]) << 32 | UInt64(words[1]), UInt64(words[2]) << 32 | UInt64(words[3])
    )
  }

  private mutating func digest(_ bytes: [UInt8]) -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      let whole = bytes.count - bytes.count % 64
      for start in stride(from: 0, to: whole, by: 64) { take(bytes, at: start) }
      let last = Self.padded(Array(bytes[whole...]), bitCount: UInt64(bytes.count) * 8)
      last.withUnsafeBytes { last in
        for start in stride(from: 0, to: last.count, by: 64) { take(last, at: start) }
      }
    }
    return state
  }

  /// The last bytes, a single bit, zeros, and the message's length.
  private static func padded(_ rest: [UInt8], bitCount: UInt64) -> [UInt8] {
    var padded = rest + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bitCount >> shift))
    }
    return padded
  }

  /// Takes in the block of 64 bytes at a place.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    for word in 0..<16 {
      let value = bytes.loadUnaligned(fromByteOffset: start + 4 * word, as: UInt32.self)
      schedule[word] = UInt32(bigEndian: value)
    }
    for word in 16..<64 {
      let late = schedule[word - 2]
      let early = schedule[word - 15]
      let lateMix = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ late >> 10
      let earlyMix = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ early >> 3
      schedule[word] = lateMix &+ schedule[word - 7] &+ earlyMix &+ schedule[word - 16]
    }
    compress()
  }

  private mutating func compress() {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<64 {
      let eMix = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ eMix &+ choice &+ Self.constants[round] &+ schedule[round]
      let aMix = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ aMix &+ majority)
    }
    for (place, word) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= word }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64
  /// primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
