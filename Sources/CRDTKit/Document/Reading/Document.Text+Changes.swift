extension Document.Text {
  /// Returns the changes that turn an earlier state of the text into this one, in order.
  ///
  ///     for change in body.changes(since: shown, in: .utf16) {
  ///       storage.replaceCharacters(in: NSRange(change.replaced), with: change.inserted)
  ///     }
  ///     shown = body
  ///
  /// - Parameters:
  ///   - earlier: What was shown; `nil` if nothing was, and all of the text is inserted.
  ///   - unit: The unit of the ranges; not lines.
  /// - Returns: The changes, in ascending order of their ranges; each is counted after the ones
  ///   before it are made.
  /// - Precondition: The unit isn't lines.
  /// - Complexity: O(n log n) for n runs of the text's characters, and what it costs to merge
  ///   the pages of the document that differ; O(length of both) if the text was made anew under
  ///   another spelling of its name.
  public func changes(
    since earlier: Document.Text?, in unit: Unit = .utf16
  ) -> [ReplicatedText.Change] {
    guard let earlier, earlier._start == _start else {
      return ReplicatedText.Change.changes(from: earlier?.string ?? "", to: string, in: unit)
    }
    // A variable of the other type, so that this isn't the function itself.
    let known: Document.Text = earlier
    return changes(since: known, in: unit)
  }
}

extension Document.Text: Equatable {
  /// Whether both read the same, to the byte: spellings of "é" differ.
  ///
  /// - Complexity: O(length of both).
  public static func == (left: Document.Text, right: Document.Text) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }
}

extension ReplicatedText.Change {
  /// The changes that turn one string into another, by few and small ones.
  ///
  /// - Complexity: O(length of both).
  package static func changes(
    from old: String, to new: String, in unit: ReplicatedText.Unit = .utf16
  ) -> [ReplicatedText.Change] {
    precondition(unit != .lines, "a change need not begin with a line: choose another unit")
    var (old, new) = (old, new)
    return old.withUTF8 { old in
      new.withUTF8 { new in
        let size = { (bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>) in
          TextSize(of: UnsafeBufferPointer(rebasing: bytes[range]))[unit.size]
        }
        var (offset, last) = (0, 0)
        return TextDifference(from: old, to: new).edits.map { edit in
          offset += size(old, last..<edit.removed.lowerBound)
          last = edit.removed.upperBound
          let change = ReplicatedText.Change(
            replaced: offset..<offset + size(old, edit.removed),
            inserted: String(
              decoding: UnsafeBufferPointer(rebasing: new[edit.inserted]), as: UTF8.self))
          offset += size(new, edit.inserted)
          return change
        }
      }
    }
  }
}
