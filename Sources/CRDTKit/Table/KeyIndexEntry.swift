/// A dot in an index, with its replica as an ordinal.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  // Halves of the counter: an entry takes 12 bytes, not 16.
  @usableFromInline let low: UInt32
  @usableFromInline let high: UInt32
  @usableFromInline let ordinal: UInt32

  @inlinable
  init(counter: UInt64, ordinal: UInt32) {
    low = UInt32(truncatingIfNeeded: counter)
    high = UInt32(truncatingIfNeeded: counter &>> 32)
    self.ordinal = ordinal
  }

  @inlinable
  var counter: UInt64 { UInt64(high) &<< 32 | UInt64(low) }
}
