/// A part of an index: an open-addressing hash table whose size is a power of two.
///
/// The tags are separate from the entries. They are few enough to stay in the processor's
/// cache, and show for almost every slot that it need not be read.
///
/// The pointers are those of the storage; using them avoids reference counting. They are
/// valid while the segment holds the storage. Only a segment with the sole reference
/// changes slots; that makes it safe to send.
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
  /// The tag of each slot: 0 if it is free, otherwise bits of the hash with the high bit
  /// set.
  @usableFromInline var tags: UnsafeMutablePointer<UInt8>
  /// The entry of each used slot; those of free slots are not initialized.
  @usableFromInline var entries: UnsafeMutablePointer<KeyIndexEntry>
  @usableFromInline let size: Int
  @usableFromInline var used: Int

  /// Creates a segment of free slots.
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
    // Copies all bytes, even those of free slots; an entry is plain bits.
    UnsafeMutableRawPointer(copy.entries).copyMemory(
      from: entries, byteCount: size * MemoryLayout<KeyIndexEntry>.stride)
    storage = copy
    tags = copy.tags
    entries = copy.entries
  }
}
