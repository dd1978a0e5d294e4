/// A running 64-bit fingerprint that is the same on every machine.
///
/// It detects accidental differences (a fork, a replica that diverged), but it is not a
/// cryptographic digest. Each word is combined by a multiplication by an odd constant and
/// a rotation. The final mix is that of Steele, Lea, Flood, "Fast Splittable Pseudorandom
/// Number Generators", 2014.
@frozen
@usableFromInline
package struct Fingerprint: Hashable, Sendable {
  @usableFromInline package var state: UInt64

  @inlinable
  package init(_ seed: UInt64 = 0x9E37_79B9_7F4A_7C15) {
    state = seed
  }

  /// Adds one word.
  @inlinable
  package mutating func combine(_ word: UInt64) {
    let product = (state ^ word) &* 0xFF51_AFD7_ED55_8CCD
    state = product &<< 29 | product &>> 35
  }

  /// Adds bytes, eight at a time, and their number.
  @inlinable
  package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      combine(UInt64(littleEndian: word))
      place += 8
    }
    combine(bytes.lastWord(from: place))
    combine(UInt64(bytes.count))
  }

  /// The fingerprint of everything added.
  @inlinable
  package var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// Returns the fingerprint of one word.
  @inlinable
  package static func of(_ word: UInt64) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(word)
    return fingerprint.value
  }

  /// Returns the fingerprint of the bytes.
  @inlinable
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(bytes)
    return fingerprint.value
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the bytes from an index on, fewer than eight, as the low bytes of a word.
  @inlinable
  func lastWord(from start: Int) -> UInt64 {
    let rest = count &- start
    var (word, place): (UInt64, Int) = (0, start)
    if rest & 4 != 0 {
      word = UInt64(UInt32(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)))
      place &+= 4
    }
    if rest & 2 != 0 {
      let half = UInt16(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt16.self))
      word |= UInt64(half) &<< UInt64(8 &* (place &- start))
      place &+= 2
    }
    if rest & 1 != 0 { word |= UInt64(self[place]) &<< UInt64(8 &* (place &- start)) }
    return word
  }
}
