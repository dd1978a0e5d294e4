/// A part of an index: an open-addressing hash table whose size is a power of two.
///
/// A look-up usually reads one line of the processor's cache: eight entries.
///
/// The entries are those of a ``KeyIndexStorage`` that the index holds beside; reading them
/// by their address needs no reference counting. They change only while that index alone
/// holds the storage, which makes the address safe to send.
@frozen
@usableFromInline
struct KeyIndexSegment: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline let entries: UnsafeMutablePointer<KeyIndexEntry>
  @usableFromInline let size: Int
  @usableFromInline var used: Int

  /// Creates a segment of the entries of a storage, so many of which aren't free.
  @inlinable
  init(_ storage: KeyIndexStorage, used: Int = 0) {
    entries = storage.entries
    size = storage.size
    self.used = used
  }

  /// Whether the segment should grow before an entry is added.
  @inlinable
  var isFull: Bool { used &* 4 >= size &* 3 }

  /// Adds an entry in the first free slot for its hash; nothing else may hold the storage.
  @inlinable
  mutating func insert(_ entry: KeyIndexEntry, hash: UInt) {
    let mask = UInt(size &- 1)
    var slot = hash & mask
    while !entries[Int(slot)].isFree { slot = (slot &+ 1) & mask }
    entries[Int(slot)] = entry
    used &+= 1
  }
}

/// Allocates and frees the slots of a segment.
///
/// It is safe to send, because the slots change only while one index alone holds it.
@usableFromInline
final class KeyIndexStorage: @unchecked Sendable {
  @usableFromInline let entries: UnsafeMutablePointer<KeyIndexEntry>
  @usableFromInline let size: Int

  /// Creates free slots.
  @usableFromInline
  init(size: Int) {
    entries = .allocate(capacity: size)
    entries.initialize(repeating: .free, count: size)
    self.size = size
  }

  /// Creates slots with the same entries as others.
  @usableFromInline
  init(copying other: KeyIndexStorage) {
    entries = .allocate(capacity: other.size)
    entries.initialize(from: other.entries, count: other.size)
    size = other.size
  }

  deinit {
    entries.deallocate()
  }
}
