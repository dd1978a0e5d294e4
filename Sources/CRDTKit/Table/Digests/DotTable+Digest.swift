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
