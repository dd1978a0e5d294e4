/// Which keys are the same, and what they hash to.
///
/// Keys are the same where they are `==`; but texts of more than 1,024 bytes only
/// where their bytes are. To compare or hash a text, Swift brings it to a normal
/// form, which takes time quadratic in the accents on one letter: 200 KB of them,
/// sent by a hostile peer, would take seconds each time. (Texts inside keys of
/// other types, optional or nested in collections, are not guarded so.)
@usableFromInline
enum KeyIdentity {
  /// Up to how many UTF-8 bytes texts are the same where they are `==`.
  @inlinable
  static var normalizedLengthMax: Int { 1_024 }

  /// Whether two keys are the same.
  @inlinable
  @inline(__always)
  static func areSame<Key: Hashable>(_ left: Key, _ right: Key) -> Bool {
    guard Key.self == String.self else { return left == right }
    // The types were just found to be the same.
    let left = unsafeBitCast(left, to: String.self)
    let right = unsafeBitCast(right, to: String.self)
    if left.utf8.count <= normalizedLengthMax, right.utf8.count <= normalizedLengthMax {
      return left == right
    }
    return left.utf8.count == right.utf8.count
      && left.withUTF8Bytes { left in right.withUTF8Bytes { left.elementsEqual($0) } }
  }

  /// Takes a key into a hash.
  @inlinable
  @inline(__always)
  static func hash<Key: Hashable>(_ key: Key, into hasher: inout Hasher) {
    guard Key.self == String.self else { return key.hash(into: &hasher) }
    let text = unsafeBitCast(key, to: String.self)
    if text.utf8.count <= normalizedLengthMax {
      text.hash(into: &hasher)
    } else {
      text.withUTF8Bytes { hasher.combine(bytes: $0) }
    }
  }

  /// An integer key's bits; `nil` for other keys.
  @inlinable
  @inline(__always)
  static func word<Key: Hashable>(of key: Key) -> UInt64? {
    guard
      Key.self == Int.self || Key.self == UInt.self || Key.self == Int64.self
        || Key.self == UInt64.self, MemoryLayout<Key>.size == MemoryLayout<UInt64>.size
    else { return nil }
    return unsafeBitCast(key, to: UInt64.self)
  }

  /// The hash of a key.
  @inlinable
  @inline(__always)
  static func hash<Key: Hashable>(of key: Key) -> Int {
    guard Key.self == String.self else { return key.hashValue }
    var hasher = Hasher()
    hash(key, into: &hasher)
    return hasher.finalize()
  }
}

/// Hashes integers in a few instructions, so that nobody can foretell how.
///
/// A multiplication to 128 bits by a secret number, folded: Wang Yi, "wyhash",
/// 2019. The standard library's hashing is made for any input and takes longer
/// than finding an integer's row.
@frozen
@usableFromInline
struct HashSecret: Sendable {
  @usableFromInline let mask: UInt64
  @usableFromInline let factor: UInt64

  @usableFromInline
  init() {
    var generator = SystemRandomNumberGenerator()
    mask = generator.next()
    factor = generator.next() | 1
  }

  @inlinable
  func hash(_ word: UInt64) -> UInt {
    let (high, low) = (word ^ mask).multipliedFullWidth(by: factor)
    let folded = high ^ low
    return UInt(truncatingIfNeeded: folded ^ (folded &>> 32))
  }
}
