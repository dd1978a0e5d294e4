/// The digests of a column's blocks, and the tree above them.
@usableFromInline
package struct ColumnDigests: Sendable {
  /// Numbers that show whether a page has changed: adding or removing a row increases one
  /// of them, and neither ever decreases.
  @frozen
  @usableFromInline
  package struct Mark: Equatable, Sendable {
    @usableFromInline let address: UInt
    @usableFromInline let stored: Int
    @usableFromInline let count: Int

    @inlinable
    init(address: UInt, stored: Int, count: Int) {
      self.address = address
      self.stored = stored
      self.count = count
    }
  }

  /// A page as it was when it was last checked.
  struct CheckedPage: Sendable {
    /// The page's digests, retained so that no other object gets their address; `nil` for
    /// the first page, whose digests contain this value.
    let digests: PageDigests?
    let start: UInt64
    /// The indices of the page's blocks.
    let blocks: ContiguousArray<UInt64>
  }

  @usableFromInline var marks: ContiguousArray<Mark> = []
  private var checkedPages: ContiguousArray<CheckedPage> = []
  private var tree = DigestTree()

  @usableFromInline
  init() {}

  /// The digest of all rows.
  @usableFromInline
  var root: SHA256.Digest? { tree.root }

  /// The same digests for a column whose first page was replaced by another page.
  var withoutFirst: ColumnDigests {
    guard !marks.isEmpty else { return self }
    var copy = self
    copy.marks[0] = Mark(address: 0, stored: 0, count: 0)
    return copy
  }

  /// Returns whether a page replaces the page at an index, or comes after all pages.
  @usableFromInline
  func fits(_ start: UInt64, at place: Int) -> Bool {
    place == checkedPages.count || checkedPages[place].start == start
  }

  /// Records the new state of the page at an index, where it must fit.
  @usableFromInline
  mutating func note(
    _ mark: Mark, _ digests: PageDigests, start: UInt64, _ level: DigestTree.Level,
    at place: Int, _ changes: inout Changes
  ) {
    let checkedPage = CheckedPage(
      digests: place == 0 ? nil : digests, start: start, blocks: level.indices)
    if place == checkedPages.count {
      marks.append(mark)
      checkedPages.append(checkedPage)
    } else {
      if checkedPages[place].blocks != level.indices {
        changes.left.append(contentsOf: checkedPages[place].blocks)
      }
      marks[place] = mark
      checkedPages[place] = checkedPage
    }
    var known = 0
    for block in level.indices.indices {
      let index = level.indices[block]
      // Few of a packed page's many blocks have changed.
      let isSame = tree.leaf(of: index, from: &known) == level.digests[block]
      changes.found.append(DigestTree.Change(index, isSame ? nil : level.digests[block]))
    }
  }

  @usableFromInline
  mutating func apply(_ changes: Changes) {
    // In a table of many replicas, almost all columns are unchanged.
    guard !changes.isEmpty else { return }
    tree.apply(changes.leaves)
  }
}

extension ColumnDigests {
  /// The changes of the blocks of changed pages.
  @usableFromInline
  struct Changes {
    /// The previous blocks of pages whose blocks have changed; they may be in other pages
    /// now.
    var left: ContiguousArray<UInt64> = []
    /// The current blocks, each with its digest if that has changed.
    var found: ContiguousArray<DigestTree.Change> = []

    @usableFromInline
    init() {}

    var isEmpty: Bool { left.isEmpty && found.isEmpty }

    /// The leaves that have changed.
    var leaves: ContiguousArray<DigestTree.Change> {
      var leaves: ContiguousArray<DigestTree.Change> = []
      var left = left[...]
      for change in found {
        while let index = left.first, index <= change.index {
          left = left.dropFirst()
          if index < change.index { leaves.append(DigestTree.Change(index, nil)) }
        }
        if change.digest != nil { leaves.append(change) }
      }
      return leaves + left.map { DigestTree.Change($0, nil) }
    }
  }
}

extension DotTable {
  /// A digest of the version and the live rows.
  ///
  /// Two tables have the same digest if and only if they have seen the same events and
  /// hold the same rows.
  ///
  /// - Complexity: O(rows) at first. After that, O(number of pages) for checking them,
  ///   and O(log rows) digests for each row added or removed since.
  @inlinable
  package var digest: ContentDigest {
    var writer = ByteWriter(capacity: 1 + 48 * columns.count)
    writer.write(DigestTree.Mark.table)
    for place in columns.indices {
      columns[place].replica.encode(to: &writer)
      writer.write(fixed: columns[place].seen)
      writer.write(columns[place].digest)
    }
    return ContentDigest(ofParts: writer)
  }
}

extension ByteWriter {
  /// Writes the digest of a replica's rows; zeros if there are no live rows.
  @usableFromInline
  mutating func write(_ digest: SHA256.Digest?) {
    let digest = digest ?? SHA256.Digest(0, 0, 0, 0)
    for word in digest.words { write(fixed: word.bigEndian) }
  }
}

extension ContentDigest {
  /// Creates the digest of all replicas' parts, in ascending order.
  @usableFromInline
  init(ofParts writer: borrowing ByteWriter) {
    self.init(writer.withBytes { SHA256.digest(of: $0) })
  }
}

extension Column {
  /// The digest of the live rows and the elements of texts; `nil` if there are none.
  @inlinable
  package var digest: SHA256.Digest? {
    texts.isEmpty ? rowsDigest : texts.digest(after: rowsDigest)
  }

  /// The digest of the live rows; `nil` if there are none.
  @inlinable
  var rowsDigest: SHA256.Digest? {
    guard let first = pageSlots.first else { return nil }
    return first.page.digests.withColumn { known in
      if !update(&known) {
        // Pages have disappeared: the others keep their digests, and the tree is built
        // anew.
        known = ColumnDigests()
        _ = update(&known)
      }
      return known.root
    }
  }

  /// Updates the known digests of the blocks.
  ///
  /// Returns whether the pages are at the same indices as before, which is required.
  @inlinable
  func update(_ known: inout ColumnDigests) -> Bool {
    guard known.marks.count <= pageSlots.count else { return false }
    var changes = ColumnDigests.Changes()
    for place in 0..<pageSlots.count {
      if place < known.marks.count, known.marks[place] == pageSlots[place].page.digestMark {
        continue
      }
      let pageSlot = pageSlots[place]
      guard known.fits(pageSlot.start, at: place) else { return false }
      let blocks = pageSlot.page.blockDigests()
      known.note(
        pageSlot.page.digestMark, pageSlot.page.digests, start: pageSlot.start, blocks, at: place,
        &changes)
    }
    known.apply(changes)
    return true
  }
}
