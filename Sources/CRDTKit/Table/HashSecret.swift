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
