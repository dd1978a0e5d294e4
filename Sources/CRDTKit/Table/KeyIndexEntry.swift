/// A dot in an index, with its replica as an ordinal, and the bits of its key's
/// hash that say where it stands.
///
/// With these an index grows without a look at the rows.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  // 48 bits of counter, 24 of ordinal and 24 of hash, in 12 bytes, not 16: a table
  // of 2²⁴ replicas would take gigabytes.
  @usableFromInline let low: UInt32
  @usableFromInline let middle: UInt32
  @usableFromInline let high: UInt32

  @inlinable
  init(counter: UInt64, ordinal: UInt32, hash: UInt) {
    low = UInt32(truncatingIfNeeded: counter)
    let ordinalBits = ordinal & 0xFF_FFFF
    middle = UInt32(truncatingIfNeeded: counter &>> 32) & 0xFFFF | ordinalBits &<< 16
    high = ordinalBits &>> 16 | UInt32(truncatingIfNeeded: hash) &<< 8
  }

  @inlinable
  var counter: UInt64 { UInt64(middle & 0xFFFF) &<< 32 | UInt64(low) }

  @inlinable
  var ordinal: UInt32 { middle &>> 16 | (high & 0xFF) &<< 16 }

  /// The bits of the hash.
  @inlinable
  var hash: UInt { UInt(high &>> 8) }
}
