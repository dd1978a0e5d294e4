extension DotTable {
  /// What the version and the live rows come to: equal for tables that have seen the same
  /// events and hold the same rows, and for no others.
  ///
  /// - Complexity: O(rows) at first, then O(number of pages) in looking at them and
  ///   O(log rows) digests for each row that has come or gone since.
  @inlinable
  package var digest: ContentDigest { ContentDigest(of: digests) }

  /// What each replica's part comes to: where two digests differ, those that differ say
  /// whose rows do.
  ///
  /// - Complexity: As ``digest``.
  @inlinable
  package var digests: ContiguousArray<ReplicaDigest> {
    ContiguousArray(
      columns.indices.lazy.map { place in
        ReplicaDigest(
          replica: columns[place].replica, seen: columns[place].seen,
          rows: columns[place].digest)
      })
  }
}

/// What one replica's events and live rows come to.
@frozen
@usableFromInline
package struct ReplicaDigest: Hashable, Sendable {
  @usableFromInline package let replica: ReplicaID
  @usableFromInline package let seen: UInt64
  /// `nil` where no row lives.
  @usableFromInline package let rows: SHA256.Digest?

  @inlinable
  init(replica: ReplicaID, seen: UInt64, rows: SHA256.Digest?) {
    self.replica = replica
    self.seen = seen
    self.rows = rows
  }
}

extension ContentDigest {
  /// The digest of all replicas' parts, in ascending order: 48 bytes each, of which the
  /// last 32 are zeros where no row lives.
  @usableFromInline
  init(of parts: ContiguousArray<ReplicaDigest>) {
    var writer = ByteWriter(capacity: 1 + 48 * parts.count)
    writer.write(DigestTree.Mark.table)
    for part in parts {
      part.replica.encode(to: &writer)
      writer.write(fixed: part.seen)
      for word in part.rows?.words ?? [0, 0, 0, 0] { writer.write(fixed: word.bigEndian) }
    }
    self.init(writer.withBytes { SHA256.digest(of: $0) })
  }
}

extension Column {
  /// The digest of the live rows; `nil` where there are none.
  @inlinable
  var digest: SHA256.Digest? {
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
