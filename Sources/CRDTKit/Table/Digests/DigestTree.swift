/// A tree of the digests of one replica's rows; its shape depends only on the rows'
/// counters.
///
/// The leaves are the digests of *chunks* of 16 counters that have a row. Four neighbours
/// form a node, four such nodes another node, and so on. A node is the digest of its
/// children that have rows; a node with one such child is that child. So a change of a
/// row costs one digest a level, of 113 bytes at most, which SHA-256 processes as two
/// blocks: 28 bytes of each child's digest are part of it. (As in Merkle, "A Digital
/// Signature Based on a Conventional Encryption Function", 1987.)
///
/// A leaf contains its counters, and leaves and nodes begin with different bytes. So
/// equal roots mean equal rows, wherever the rows are.
@usableFromInline
package struct DigestTree: Sendable {
  /// The new digest of the node at an index; `nil` removes the node.
  @frozen
  @usableFromInline
  package struct Change: Sendable {
    @usableFromInline let index: UInt64
    @usableFromInline let digest: SHA256.Digest?

    @inlinable
    init(_ index: UInt64, _ digest: SHA256.Digest?) {
      self.index = index
      self.digest = digest
    }
  }

  /// The nodes of one level that have rows beneath them, in ascending order.
  @usableFromInline
  struct Level: Sendable {
    var indices: ContiguousArray<UInt64> = []
    var digests: ContiguousArray<SHA256.Digest> = []
  }

  /// The levels, beginning with the leaves.
  private(set) var levels: ContiguousArray<Level> = []
  /// The number of levels; if `nil`, as many as lead to a single root.
  private let height: Int?

  init(height: Int? = nil) {
    self.height = height
  }

  /// The digest of all leaves; `nil` if there are none.
  var root: SHA256.Digest? { levels.last?.digests.first }

  /// The nodes of the top level.
  var top: Level { levels.last ?? Level() }

  /// Returns the leaf with an index; searches from `place` on, and updates it.
  func leaf(of index: UInt64, from place: inout Int) -> SHA256.Digest? {
    guard let leaves = levels.first else { return nil }
    place = leaves.place(notBelow: index, from: place)
    return place < leaves.indices.count && leaves.indices[place] == index
      ? leaves.digests[place] : nil
  }
}

extension DigestTree {
  /// The number of counters in a chunk, and the number of children of a node, as powers
  /// of two.
  @inlinable
  static var chunkShift: UInt64 { 4 }
  @inlinable
  static var fanShift: UInt64 { 2 }

  /// The number of levels within a page; the last one consists of blocks.
  static var pageHeight: Int { 4 }

  /// The first byte of a message that is the digest of rows, of digests, or of columns.
  @usableFromInline
  enum Mark {
    @inlinable static var chunk: UInt8 { 0 }
    @inlinable static var node: UInt8 { 1 }
    @inlinable static var table: UInt8 { 2 }
    @inlinable static var texts: UInt8 { 3 }
  }

  /// Applies changes of leaves, in ascending order, and computes the nodes above them
  /// again.
  ///
  /// - Complexity: O(changes · log n); O(n) if leaves are added or removed.
  mutating func apply(_ changes: ContiguousArray<Change>) {
    var changes = changes
    var level = 0
    while !changes.isEmpty {
      if level == levels.count { levels.append(Level()) }
      levels[level].apply(changes)
      if height.map({ level + 1 == $0 }) ?? (levels[level].indices.count <= 1) {
        levels.removeSubrange((level + 1)...)
        return
      }
      let isNew = level + 1 == levels.count
      changes = levels[level].parents(of: isNew ? levels[level].all : changes)
      level += 1
    }
  }

  /// Returns the digest of a node's children, in order.
  static func node(_ digests: ArraySlice<SHA256.Digest>) -> SHA256.Digest? {
    guard digests.count > 1 else { return digests.first }
    // Each digest is stored whole; the next one overwrites its end.
    return withUnsafeTemporaryAllocation(byteCount: 5 + 28 * digests.count, alignment: 8) {
      bytes in
      bytes.storeBytes(of: Mark.node, as: UInt8.self)
      var end = 1
      for digest in digests {
        bytes.store(digest, at: end)
        end &+= 28
      }
      return SHA256.digest(of: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Stores the 32 bytes of a digest.
  func store(_ digest: SHA256.Digest, at offset: Int) {
    storeBytes(of: digest.first.bigEndian, toByteOffset: offset, as: UInt64.self)
    storeBytes(of: digest.second.bigEndian, toByteOffset: offset &+ 8, as: UInt64.self)
    storeBytes(of: digest.third.bigEndian, toByteOffset: offset &+ 16, as: UInt64.self)
    storeBytes(of: digest.fourth.bigEndian, toByteOffset: offset &+ 24, as: UInt64.self)
  }
}

extension DigestTree.Level {
  /// All nodes, as changes.
  var all: ContiguousArray<DigestTree.Change> {
    ContiguousArray(indices.indices.map { DigestTree.Change(indices[$0], digests[$0]) })
  }

  /// Returns the first position, from `start` on, whose index is not less than the given
  /// one.
  func place(notBelow index: UInt64, from start: Int) -> Int {
    guard let last = indices.last, index <= last else { return indices.count }
    return (start..<indices.count).partitioningIndex { indices[$0] >= index }
  }

  mutating func apply(_ changes: ContiguousArray<DigestTree.Change>) {
    var place = 0
    for change in changes {
      place = self.place(notBelow: change.index, from: place)
      let isThere = place < indices.count && indices[place] == change.index
      if let digest = change.digest {
        if isThere {
          digests[place] = digest
        } else {
          indices.insert(change.index, at: place)
          digests.insert(digest, at: place)
        }
      } else if isThere {
        indices.remove(at: place)
        digests.remove(at: place)
      }
    }
  }

  /// Computes the parents of changed nodes.
  func parents(
    of changes: ContiguousArray<DigestTree.Change>
  ) -> ContiguousArray<DigestTree.Change> {
    var parents: ContiguousArray<DigestTree.Change> = []
    var place = 0
    for change in changes {
      let parent = change.index &>> DigestTree.fanShift
      if parents.last?.index == parent { continue }
      place = self.place(notBelow: parent &<< DigestTree.fanShift, from: place)
      var end = place
      while end < indices.count, indices[end] &>> DigestTree.fanShift == parent { end &+= 1 }
      parents.append(DigestTree.Change(parent, DigestTree.node(digests[place..<end])))
      place = end
    }
    return parents
  }
}
