/// A part of an index: an open-addressing hash table whose size is a power of two.
///
/// A look-up usually reads one line of the processor's cache: eight entries.
///
/// The pointer is that of the storage; using it avoids reference counting. It is valid
/// while the segment holds the storage. Only a segment with the sole reference changes
/// slots; that makes it safe to send.
@frozen
@usableFromInline
struct KeyIndexSegment: @unchecked Sendable {
  /// Allocates and frees the slots.
  @usableFromInline
  final class Storage {
    @usableFromInline let entries: UnsafeMutablePointer<KeyIndexEntry>

    @usableFromInline
    init(size: Int) {
      entries = .allocate(capacity: size)
    }

    deinit {
      entries.deallocate()
    }
  }

  @usableFromInline var storage: Storage
  @usableFromInline var entries: UnsafeMutablePointer<KeyIndexEntry>
  @usableFromInline let size: Int
  @usableFromInline var used: Int

  /// Creates a segment of free slots.
  @usableFromInline
  init(size: Int) {
    storage = Storage(size: size)
    entries = storage.entries
    self.size = size
    used = 0
    entries.initialize(repeating: .free, count: size)
  }

  /// Whether the segment should grow before an entry is added.
  @inlinable
  var isFull: Bool { used &* 4 >= size &* 3 }

  /// Adds an entry in the first free slot for its hash.
  @inlinable
  mutating func insert(_ entry: KeyIndexEntry, hash: UInt) {
    let mask = UInt(size &- 1)
    var slot = hash & mask
    while !entries[Int(slot)].isFree { slot = (slot &+ 1) & mask }
    set(entry, at: Int(slot))
    used &+= 1
  }

  /// Makes the segment twice as large.
  @usableFromInline
  mutating func double() {
    var larger = KeyIndexSegment(size: size &* 2)
    for slot in 0..<size where !entries[slot].isFree {
      larger.insert(entries[slot], hash: entries[slot].hash)
    }
    self = larger
  }

  /// Writes an entry in a slot.
  @inlinable
  mutating func set(_ entry: KeyIndexEntry, at slot: Int) {
    precondition(slot < size)
    if !isKnownUniquelyReferenced(&storage) { copyStorage() }
    entries[slot] = entry
  }

  @usableFromInline
  mutating func copyStorage() {
    let copy = Storage(size: size)
    copy.entries.initialize(from: entries, count: size)
    storage = copy
    entries = copy.entries
  }
}
