import Synchronization

extension TextColumn {
  /// Returns the digest of a column: of its rows' digest and of the pages of elements.
  ///
  /// - Complexity: O(pages), and O(elements) of the pages that have changed.
  @usableFromInline
  func digest(after rows: SHA256.Digest?) -> SHA256.Digest {
    var writer = ByteWriter(capacity: 33 + 40 * pages.count)
    writer.write(DigestTree.Mark.texts)
    writer.write(rows)
    for page in pages {
      writer.write(fixed: page.first)
      writer.write(page.currentDigest)
    }
    return writer.withBytes { SHA256.digest(of: $0) }
  }
}

extension TextPage {
  /// The digest of the contents: which elements there are, and which are dead; the
  /// anchors of the runs; and the text of the elements that aren't dead.
  fileprivate var currentDigest: SHA256.Digest {
    let mark = mark
    return digest.withLock { known in
      if let known, known.mark == mark { return known.digest }
      let digest = makeDigest()
      known = (mark, digest)
      return digest
    }
  }

  private func makeDigest() -> SHA256.Digest {
    var writer = ByteWriter(capacity: 2_048)
    writer.write(DigestTree.Mark.texts)
    for word in 0..<16 { writer.write(fixed: present.words[word]) }
    for word in 0..<16 { writer.write(fixed: dead.words[word]) }
    for run in runs {
      writer.write(fixed: run.slot)
      writer.write((run.isLeft ? 1 : 0) | (run.standInCount > 0 ? 2 : 0))
      if run.standInCount > 0 { writer.write(fixed: run.standInCount) }
      for dot in [run.parent, run.rightOrigin] {
        dot.replica.encode(to: &writer)
        writer.write(fixed: dot.counter)
      }
    }
    forEachLiving { writer.write(UnsafeRawBufferPointer($0)) }
    return writer.withBytes { SHA256.digest(of: $0) }
  }
}
