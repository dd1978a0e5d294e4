/// An open-addressing table of a power of two of slots: a part of an index.
///
/// Tags stand apart from the entries: they are few enough to stay in the
/// processor's cache, and say of almost every slot that it need not be read.
///
/// The pointers are those of the storage, at hand without counting references;
/// they are valid while the segment holds it. Slots are changed only by a segment
/// that holds the sole reference; that makes it safe to send.
@frozen
@usableFromInline
struct KeyIndexSegment: @unchecked Sendable {
  /// Allocates and frees the slots.
  @usableFromInline
  final class Storage {
    @usableFromInline let tags: UnsafeMutablePointer<UInt8>
    @usableFromInline let entries: UnsafeMutablePointer<KeyIndexEntry>

    @usableFromInline
    init(size: Int) {
      tags = .allocate(capacity: size)
      entries = .allocate(capacity: size)
    }

    deinit {
      tags.deallocate()
      entries.deallocate()
    }
  }

  @usableFromInline var storage: Storage
  /// For each slot 0 where it is free; else bits of the hash, the highest set.
  @usableFromInline var tags: UnsafeMutablePointer<UInt8>
  /// The entry of each slot that isn't free; the others are not initialized.
  @usableFromInline var entries: UnsafeMutablePointer<KeyIndexEntry>
  @usableFromInline let size: Int
  @usableFromInline var used: Int

  /// A segment of free slots.
  @usableFromInline
  init(size: Int) {
    storage = Storage(size: size)
    tags = storage.tags
    entries = storage.entries
    self.size = size
    used = 0
    tags.initialize(repeating: 0, count: size)
  }

  /// Whether the segment should grow before an entry is added.
  @inlinable
  var isFull: Bool { used &* 8 >= size &* 7 }

  /// Adds an entry in the first free slot for its hash.
  @inlinable
  mutating func insert(_ entry: KeyIndexEntry, hash: UInt, tag: UInt8) {
    let mask = UInt(size &- 1)
    var slot = hash & mask
    while tags[Int(slot)] != 0 { slot = (slot &+ 1) & mask }
    set(entry, tag: tag, at: Int(slot))
    used &+= 1
  }

  /// Makes the segment twice as large.
  @usableFromInline
  mutating func double() {
    var larger = KeyIndexSegment(size: size &* 2)
    for slot in 0..<size where tags[slot] != 0 {
      larger.insert(entries[slot], hash: entries[slot].hash, tag: tags[slot])
    }
    self = larger
  }

  /// Writes an entry in a slot.
  @inlinable
  mutating func set(_ entry: KeyIndexEntry, tag: UInt8, at slot: Int) {
    precondition(slot < size)
    if !isKnownUniquelyReferenced(&storage) { copyStorage() }
    tags[slot] = tag
    (entries + slot).initialize(to: entry)
  }

  @usableFromInline
  mutating func copyStorage() {
    let copy = Storage(size: size)
    copy.tags.initialize(from: tags, count: size)
    // Bytes are copied whether they are an entry or not: an entry is plain bits.
    UnsafeMutableRawPointer(copy.entries).copyMemory(
      from: entries, byteCount: size * MemoryLayout<KeyIndexEntry>.stride)
    storage = copy
    tags = copy.tags
    entries = copy.entries
  }
}
