/// The digests of a column's blocks, and the tree above them.
@usableFromInline
package struct ColumnDigests: Sendable {
  /// What tells whether a page is as it was: rows are added to it, and die in it, and
  /// either way one of the numbers goes up that doesn't come down again.
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

  /// A page when it was last looked at.
  struct Sheet: Sendable {
    /// Held, so that no other gets its address; all but those of the first page, which
    /// hold this.
    let digests: PageDigests?
    let start: UInt64
    /// The indices of its blocks.
    let blocks: ContiguousArray<UInt64>
  }

  @usableFromInline var marks: ContiguousArray<Mark> = []
  private var sheets: ContiguousArray<Sheet> = []
  private var tree = DigestTree()

  @usableFromInline
  init() {}

  /// The digest of all rows.
  @usableFromInline
  var root: SHA256.Digest? { tree.root }

  /// Where some pages are as they were, but the first isn't: it is another one.
  var withoutFirst: ColumnDigests {
    guard !marks.isEmpty else { return self }
    var copy = self
    copy.marks[0] = Mark(address: 0, stored: 0, count: 0)
    return copy
  }

  /// Whether a page takes the place of the one that was there, or comes after all.
  @usableFromInline
  func fits(_ start: UInt64, at place: Int) -> Bool {
    place == sheets.count || sheets[place].start == start
  }

  /// Notes what has become of the page in a place, where it must fit.
  @usableFromInline
  mutating func note(
    _ mark: Mark, _ digests: PageDigests, start: UInt64, _ level: DigestTree.Level,
    at place: Int, _ changes: inout Changes
  ) {
    let sheet = Sheet(
      digests: place == 0 ? nil : digests, start: start, blocks: level.indices)
    if place == sheets.count {
      marks.append(mark)
      sheets.append(sheet)
    } else {
      if sheets[place].blocks != level.indices {
        changes.left.append(contentsOf: sheets[place].blocks)
      }
      marks[place] = mark
      sheets[place] = sheet
    }
    var known = 0
    for block in level.indices.indices {
      let index = level.indices[block]
      // Of a packed page's many blocks few have changed.
      let isSame = tree.leaf(of: index, from: &known) == level.digests[block]
      changes.found.append(DigestTree.Change(index, isSame ? nil : level.digests[block]))
    }
  }

  @usableFromInline
  mutating func apply(_ changes: Changes) {
    tree.apply(changes.leaves)
  }
}

extension ColumnDigests {
  /// What has become of the blocks of pages that aren't as they were.
  @usableFromInline
  struct Changes {
    /// The blocks that pages had which now have others; they may be in other pages now.
    var left: ContiguousArray<UInt64> = []
    /// The blocks that there are, with a digest where that is another.
    var found: ContiguousArray<DigestTree.Change> = []

    @usableFromInline
    init() {}

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
  /// What the version and the live rows come to: equal for tables that have seen the same
  /// events and hold the same rows, and for no others.
  ///
  /// - Complexity: O(rows) at first, then O(number of pages) in looking at them and
  ///   O(log rows) digests for each row that has come or gone since.
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
  /// Writes the digest of a replica's rows; zeros where none lives.
  @usableFromInline
  mutating func write(_ digest: SHA256.Digest?) {
    let digest = digest ?? SHA256.Digest(0, 0, 0, 0)
    for word in digest.words { write(fixed: word.bigEndian) }
  }
}

extension ContentDigest {
  /// The digest of all replicas' parts, in ascending order.
  @usableFromInline
  init(ofParts writer: borrowing ByteWriter) {
    self.init(writer.withBytes { SHA256.digest(of: $0) })
  }
}

extension Column {
  /// The digest of the live rows; `nil` where there are none.
  @inlinable
  package var digest: SHA256.Digest? {
    guard let first = sheets.first else { return nil }
    return first.page.digests.withColumn { known in
      if !update(&known) {
        // Pages have gone: what they know stays, the tree above them is made anew.
        known = ColumnDigests()
        _ = update(&known)
      }
      return known.root
    }
  }

  /// Brings what is known of the blocks up to date; says whether the pages stand where
  /// they did, which it takes.
  @inlinable
  func update(_ known: inout ColumnDigests) -> Bool {
    guard known.marks.count <= sheets.count else { return false }
    var changes = ColumnDigests.Changes()
    for place in 0..<sheets.count {
      if place < known.marks.count, known.marks[place] == sheets[place].page.digestMark {
        continue
      }
      let sheet = sheets[place]
      guard known.fits(sheet.start, at: place) else { return false }
      let blocks = sheet.page.blockDigests()
      known.note(
        sheet.page.digestMark, sheet.page.digests, start: sheet.start, blocks, at: place,
        &changes)
    }
    known.apply(changes)
    return true
  }
}
