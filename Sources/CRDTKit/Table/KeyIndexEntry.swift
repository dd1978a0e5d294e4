/// A dot in an index, with its replica as an ordinal, and the bits of its key's
/// hash that say where it stands.
///
/// With these an index grows without a look at the rows.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  @usableFromInline let counter: UInt64
  @usableFromInline let ordinal: UInt32
  @usableFromInline let hash: UInt32

  @inlinable
  init(counter: UInt64, ordinal: UInt32, hash: UInt) {
    self.counter = counter
    self.ordinal = ordinal
    self.hash = UInt32(truncatingIfNeeded: hash)
  }
}
