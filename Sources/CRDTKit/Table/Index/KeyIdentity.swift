/// The equality and the hashes of keys.
///
/// Keys are the same if they are `==`. Texts of more than 1,024 bytes are the same only
/// if their bytes are. To compare or hash a text, Swift normalizes it, which takes time
/// quadratic in the accents on one letter: 200 KB of accents from a hostile peer would
/// take seconds each time. (Texts inside keys of other types, optional or nested in
/// collections, are not guarded in this way.)
@usableFromInline
enum KeyIdentity {
  /// The greatest number of UTF-8 bytes for which texts are compared by `==`.
  @inlinable
  static var normalizedLengthMax: Int { 1_024 }

  /// Returns whether two keys are the same.
  @inlinable
  @inline(__always)
  static func areSame<Key: Hashable>(_ left: Key, _ right: Key) -> Bool {
    guard Key.self == String.self else { return left == right }
    // The condition above shows that both keys have this type.
    let left = unsafeBitCast(left, to: String.self)
    let right = unsafeBitCast(right, to: String.self)
    if left.utf8.count <= normalizedLengthMax, right.utf8.count <= normalizedLengthMax {
      return left == right
    }
    return left.utf8.count == right.utf8.count
      && left.withUTF8Bytes { left in right.withUTF8Bytes { left.elementsEqual($0) } }
  }

  /// Adds a key to a hasher.
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

  /// Returns an integer key's bits; `nil` for other keys.
  @inlinable
  @inline(__always)
  static func word<Key: Hashable>(of key: Key) -> UInt64? {
    guard
      Key.self == Int.self || Key.self == UInt.self || Key.self == Int64.self
        || Key.self == UInt64.self, MemoryLayout<Key>.size == MemoryLayout<UInt64>.size
    else { return nil }
    return unsafeBitCast(key, to: UInt64.self)
  }

  /// Returns the hash of a key.
  @inlinable
  @inline(__always)
  static func hash<Key: Hashable>(of key: Key) -> Int {
    guard Key.self == String.self else { return key.hashValue }
    var hasher = Hasher()
    hash(key, into: &hasher)
    return hasher.finalize()
  }
}

/// A hash of integers that takes a few instructions and that an attacker can't predict.
///
/// It multiplies by a secret number to 128 bits and folds the result: Wang Yi, "wyhash",
/// 2019. The standard library's hash is made for any input, and takes longer than finding
/// an integer's row.
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

  /// Returns the hash of an integer, or the standard library's hash of another key.
  @inlinable
  func hash(of key: some Hashable) -> UInt {
    if let word = KeyIdentity.word(of: key) { return hash(word) }
    return UInt(bitPattern: KeyIdentity.hash(of: key))
  }

  @inlinable
  func hash(_ word: UInt64) -> UInt {
    let (high, low) = (word ^ mask).multipliedFullWidth(by: factor)
    let folded = high ^ low
    return UInt(truncatingIfNeeded: folded ^ (folded &>> 32))
  }
}
