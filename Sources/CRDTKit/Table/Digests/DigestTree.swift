/// The digests of one replica's rows, in a tree that the rows' counters alone determine.
///
/// The leaves are the digests of *chunks* of 16 counters that have a row; four
/// neighbours make a node, four such nodes another, and so on. A node is the digest of
/// those beneath it that have rows, and where that is one, is that one. So a change of a
/// row costs one digest a level, of 113 bytes at most, which SHA-256 takes in as two
/// blocks: of each digest beneath, 28 bytes are in it. (As in Merkle, "A Digital Signature
/// Based on a Conventional Encryption Function", 1987.)
///
/// A leaf says which counters it is about, and leaves and nodes begin with different
/// bytes: so equal roots mean equal rows, whatever stands where.
@usableFromInline
package struct DigestTree: Sendable {
  /// What is put in place of the node of an index; `nil` takes it out.
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

  /// The nodes of one height that have rows beneath them, in ascending order.
  @usableFromInline
  struct Level: Sendable {
    var indices: ContiguousArray<UInt64> = []
    var digests: ContiguousArray<SHA256.Digest> = []
  }

  /// The leaves first.
  private(set) var levels: ContiguousArray<Level> = []
  /// How many levels there are; as many as lead to a single root where it isn't given.
  private let height: Int?

  init(height: Int? = nil) {
    self.height = height
  }

  /// The digest of all; `nil` where there is nothing.
  var root: SHA256.Digest? { levels.last?.digests.first }

  /// The nodes of the greatest height.
  var top: Level { levels.last ?? Level() }

  /// The leaf of an index, looked for from a place on, which goes to where it is.
  func leaf(of index: UInt64, from place: inout Int) -> SHA256.Digest? {
    guard let leaves = levels.first else { return nil }
    place = leaves.place(notBelow: index, from: place)
    return place < leaves.indices.count && leaves.indices[place] == index
      ? leaves.digests[place] : nil
  }
}

extension DigestTree {
  /// How many counters a chunk has, and how many nodes have one above them, as powers of
  /// two.
  @inlinable
  static var chunkShift: UInt64 { 4 }
  @inlinable
  static var fanShift: UInt64 { 2 }

  /// How many levels a page has of its own: the last one is of blocks.
  static var pageHeight: Int { 4 }

  /// What a message begins with that is the digest of rows, of digests, of columns.
  @usableFromInline
  enum Mark {
    @inlinable static var chunk: UInt8 { 0 }
    @inlinable static var node: UInt8 { 1 }
    @inlinable static var table: UInt8 { 2 }
  }

  /// Puts leaves in their places, in ascending order, and makes the nodes above anew.
  ///
  /// - Complexity: O(changes · log n), and O(n) where leaves come or go.
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

  /// The digest of what is beneath a node, in order.
  static func node(_ digests: ArraySlice<SHA256.Digest>) -> SHA256.Digest? {
    guard digests.count > 1 else { return digests.first }
    // Each is stored whole, and the next over its end.
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
  /// All nodes, as if they were new.
  var all: ContiguousArray<DigestTree.Change> {
    ContiguousArray(indices.indices.map { DigestTree.Change(indices[$0], digests[$0]) })
  }

  /// The first place from a given one on whose index is not below another.
  func place(notBelow index: UInt64, from start: Int) -> Int {
    guard let last = indices.last, index <= last else { return indices.count }
    var low = start
    var high = indices.count
    while low < high {
      let middle = (low &+ high) / 2
      if indices[middle] < index { low = middle &+ 1 } else { high = middle }
    }
    return low
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

  /// The nodes above some that have changed, made anew.
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
