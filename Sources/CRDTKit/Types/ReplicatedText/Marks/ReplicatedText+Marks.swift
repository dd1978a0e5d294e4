extension ReplicatedText {
  /// At which of its ends a mark also covers what is inserted right there.
  public enum Growth: Hashable, Sendable {
    /// At none: a link, a comment.
    case neither
    /// At its start.
    case atStart
    /// At its end: bold, when you type on after a bold word.
    case atEnd
    /// At both ends.
    case both
  }

  /// Some consecutive characters with the same marks.
  public struct Run: Hashable, Sendable {
    /// The positions of the characters.
    public let range: Range<Index>
    /// The values of the marks, by name.
    public let marks: [String: String]
  }

  /// Consecutive characters that have one mark with one value.
  public struct MarkedRange: Hashable, Sendable {
    /// The positions of the characters.
    public let range: Range<Index>
    /// The value of the mark.
    public let value: String
  }
}

extension ReplicatedText {
  /// Gives the characters between two positions a mark, on behalf of a replica.
  ///
  /// A mark has a name and a value, both of your choice:
  ///
  ///     body.mark(word, as: "bold", by: phone)
  ///     body.mark(word, as: "link", value: "https://example.org", growing: .neither, by: phone)
  ///     body.mark(word, as: "comment \(id)", value: comment, growing: .neither, by: phone)
  ///
  /// Marks with different names stand beside each other. Of marks with the same name, a
  /// character has the one that was written last. If they were written at the same time, that is
  /// the one whose writer had seen the most rewriting of that name, and then that of the replica
  /// with the greatest identifier: the same on all replicas, and for each character by itself.
  /// To keep all of several comments at the same place, give each a name of its own.
  ///
  /// The mark stays with its characters, and covers what others insert among them. What is
  /// inserted right at one of its ends has the mark if it grows there. What replaces characters
  /// has the marks of the first of them.
  ///
  /// If all of the characters have the mark with this value already, it makes no event.
  ///
  /// - Parameters:
  ///   - range: Positions of this text in its present state. An empty range gets no mark.
  ///   - name: The name, of at most 1,024 bytes in UTF-8.
  ///   - value: The value.
  ///   - growth: The ends at which the mark grows.
  ///   - replica: The replica that makes the change.
  /// - Precondition: The indices are of this text in its present state, and the name isn't too
  ///   long.
  /// - Complexity: O(m log m + m log n) for n runs of characters and m marks of the name.
  public mutating func mark(
    _ range: Range<Index>, as name: String, value: String = "", growing growth: Growth = .atEnd,
    by replica: ReplicaID
  ) {
    _table.mark(
      checked(range), as: MarkKey(name), value: value, growing: growth, in: OnlyTextMarks(),
      by: replica)
  }

  /// Takes a mark from the characters between two positions, on behalf of a replica.
  ///
  /// It is a change of the mark like another value: the later one counts. What remains of the
  /// mark on both sides grows as it did. If none of the characters has the mark, it makes no
  /// event.
  ///
  /// - Precondition: As for ``mark(_:as:value:growing:by:)``.
  /// - Complexity: As for ``mark(_:as:value:growing:by:)``.
  public mutating func unmark(_ range: Range<Index>, as name: String, by replica: ReplicaID) {
    _table.unmark(checked(range), MarkKey(name), in: OnlyTextMarks(), by: replica)
  }
}

extension Editor where Value == ReplicatedText {
  /// Gives the characters between two positions a mark.
  ///
  /// See ``ReplicatedText/mark(_:as:value:growing:by:)``.
  public mutating func mark(
    _ range: Range<ReplicatedText.Index>, as name: String, value: String = "",
    growing growth: ReplicatedText.Growth = .atEnd
  ) {
    let (offsets, key) = (table.table.checked(range), ReplicatedText.MarkKey(name))
    table.table.mark(
      offsets, as: key, value: value, growing: growth, in: OnlyTextMarks(), by: replica)
  }

  /// Takes a mark from the characters between two positions.
  ///
  /// See ``ReplicatedText/unmark(_:as:by:)``.
  public mutating func unmark(_ range: Range<ReplicatedText.Index>, as name: String) {
    let (offsets, key) = (table.table.checked(range), ReplicatedText.MarkKey(name))
    table.table.unmark(offsets, key, in: OnlyTextMarks(), by: replica)
  }
}

extension ReplicatedText.MarkKey {
  /// Creates the key of a mark that a caller names.
  init(_ name: String) {
    precondition(
      name.utf8.count <= Self.lengthMax,
      "a mark's name of \(name.utf8.count) bytes: it can have \(Self.lengthMax) at most")
    self.name = name
  }
}
