/// The cryptographic digest SHA-256 (FIPS 180-4).
@usableFromInline
package enum SHA256 {
  /// A digest of 32 bytes, as four words, highest byte first.
  @frozen
  @usableFromInline
  package struct Digest: Hashable, Sendable {
    @usableFromInline package var first: UInt64
    @usableFromInline package var second: UInt64
    @usableFromInline package var third: UInt64
    @usableFromInline package var fourth: UInt64

    @inlinable
    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
      self.first = first
      self.second = second
      self.third = third
      self.fourth = fourth
    }

    /// The four words, in order.
    @inlinable
    package var words: [UInt64] { [first, second, third, fourth] }
  }

  /// Returns the digest of the bytes.
  ///
  /// - Complexity: O(n) in the bytes.
  @usableFromInline
  package static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8 + 16) { room in
      withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { last in
        digest(of: bytes, in: room, last: last)
      }
    }
  }

  /// Returns the digest of the bytes, as 64 hexadecimal digits.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func hexadecimalDigest(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { digest(of: $0) }.hexadecimal
  }

  /// Returns the first eight bytes of the digest, as a number.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func prefix(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { digest(of: $0) }.first
  }
}

extension SHA256.Digest {
  /// The 32 bytes as 64 hexadecimal digits.
  package var hexadecimal: String {
    words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }
}

extension SHA256 {
  private typealias Words = UnsafeMutablePointer<UInt32>

  /// `room` holds the eight words of the state and the last 16 words of the schedule.
  ///
  /// `last` holds the last bytes, a single bit, zeros, and the message's length, in 128
  /// bytes.
  private static func digest(
    of bytes: UnsafeRawBufferPointer, in room: UnsafeMutableBufferPointer<UInt32>,
    last: UnsafeMutableRawBufferPointer
  ) -> Digest {
    guard let state = room.baseAddress else { return Digest(0, 0, 0, 0) }
    begin(state)
    let whole = bytes.count & ~63
    let rest = bytes.count & 63
    let size = rest < 56 ? 64 : 128
    last.initializeMemory(as: UInt8.self, repeating: 0)
    last.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...]))
    last[rest] = 0x80
    last.storeBytes(
      of: (UInt64(bytes.count) &* 8).bigEndian, toByteOffset: size &- 8, as: UInt64.self)
    constants.withUnsafeBufferPointer { constants in
      guard let constants = constants.baseAddress else { return }
      var start = 0
      while start < whole {
        take(bytes, at: start, state, constants)
        start &+= 64
      }
      start = 0
      while start < size {
        take(UnsafeRawBufferPointer(last), at: start, state, constants)
        start &+= 64
      }
    }
    return Digest(
      word(state, 0), word(state, 2), word(state, 4), word(state, 6))
  }

  @inline(__always)
  private static func word(_ state: Words, _ place: Int) -> UInt64 {
    UInt64(state[place]) &<< 32 | UInt64(state[place &+ 1])
  }

  private static func begin(_ state: Words) {
    state[0] = 0x6a09_e667
    state[1] = 0xbb67_ae85
    state[2] = 0x3c6e_f372
    state[3] = 0xa54f_f53a
    state[4] = 0x510e_527f
    state[5] = 0x9b05_688c
    state[6] = 0x1f83_d9ab
    state[7] = 0x5be0_cd19
  }

  /// Processes a block of 64 bytes.
  ///
  /// After eight rounds, each of the eight words is in its original variable again, so
  /// none is moved. The benchmark `document.digest.first` shows the gain.
  @inline(__always)
  private static func take(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ state: Words,
    _ constants: UnsafePointer<UInt32>
  ) {
    let words = state + 8
    var place = 0
    while place < 16 {
      let word = bytes.loadUnaligned(fromByteOffset: start &+ 4 &* place, as: UInt32.self)
      words[place] = UInt32(bigEndian: word)
      place &+= 1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    place = 0
    while place < 64 {
      round(a, b, c, &d, e, f, g, &h, words[0] &+ constants[place])
      round(h, a, b, &c, d, e, f, &g, words[1] &+ constants[place &+ 1])
      round(g, h, a, &b, c, d, e, &f, words[2] &+ constants[place &+ 2])
      round(f, g, h, &a, b, c, d, &e, words[3] &+ constants[place &+ 3])
      round(e, f, g, &h, a, b, c, &d, words[4] &+ constants[place &+ 4])
      round(d, e, f, &g, h, a, b, &c, words[5] &+ constants[place &+ 5])
      round(c, d, e, &f, g, h, a, &b, words[6] &+ constants[place &+ 6])
      round(b, c, d, &e, f, g, h, &a, words[7] &+ constants[place &+ 7])
      round(a, b, c, &d, e, f, g, &h, words[8] &+ constants[place &+ 8])
      round(h, a, b, &c, d, e, f, &g, words[9] &+ constants[place &+ 9])
      round(g, h, a, &b, c, d, e, &f, words[10] &+ constants[place &+ 10])
      round(f, g, h, &a, b, c, d, &e, words[11] &+ constants[place &+ 11])
      round(e, f, g, &h, a, b, c, &d, words[12] &+ constants[place &+ 12])
      round(d, e, f, &g, h, a, b, &c, words[13] &+ constants[place &+ 13])
      round(c, d, e, &f, g, h, a, &b, words[14] &+ constants[place &+ 14])
      round(b, c, d, &e, f, g, h, &a, words[15] &+ constants[place &+ 15])
      place &+= 16
      if place < 64 {
        mix(words, 0, 1, 9, 14)
        mix(words, 1, 2, 10, 15)
        mix(words, 2, 3, 11, 0)
        mix(words, 3, 4, 12, 1)
        mix(words, 4, 5, 13, 2)
        mix(words, 5, 6, 14, 3)
        mix(words, 6, 7, 15, 4)
        mix(words, 7, 8, 0, 5)
        mix(words, 8, 9, 1, 6)
        mix(words, 9, 10, 2, 7)
        mix(words, 10, 11, 3, 8)
        mix(words, 11, 12, 4, 9)
        mix(words, 12, 13, 5, 10)
        mix(words, 13, 14, 6, 11)
        mix(words, 14, 15, 7, 12)
        mix(words, 15, 0, 8, 13)
      }
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  /// Computes the schedule's word 16 positions ahead, and stores it in the slot of the
  /// word just used.
  @inline(__always)
  private static func mix(_ words: Words, _ place: Int, _ one: Int, _ nine: Int, _ fourteen: Int) {
    let (early, late) = (words[one], words[fourteen])
    words[place] =
      words[place] &+ words[nine]
      &+ ((late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ late &>> 10)
      &+ ((early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ early &>> 3)
  }

  /// Performs one round.
  ///
  /// Its rotations are nested, which takes fewer registers.
  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32,
    _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let e1 = (e &>> 14 | e &<< 18) ^ e
    let e2 = (e1 &>> 5 | e1 &<< 27) ^ e
    let first = h &+ (e2 &>> 6 | e2 &<< 26) &+ (g ^ (e & (f ^ g))) &+ word
    let a1 = (a &>> 9 | a &<< 23) ^ a
    let a2 = (a1 &>> 11 | a1 &<< 21) ^ a
    d = d &+ first
    h = first &+ (a2 &>> 2 | a2 &<< 30) &+ ((a & b) | (c & (a | b)))
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
