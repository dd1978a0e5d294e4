/// An edit of a string that was meant for another state of it.
struct RebasedEdit: Equatable {
  /// The bytes that are removed.
  var removed: Range<Int>
  /// The text that comes in their place.
  var inserted: String
}

extension TextDifference {
  /// Returns the edits that do to a string what leads from a base to another string.
  ///
  /// What both have inserted at the same place stays, first that of the present string. What
  /// the present string has inserted into a removed part stays as well.
  ///
  /// - Returns: The edits, in ascending order, with offsets in the present string before all
  ///   of them.
  /// - Complexity: As the search for the differences between the base and the two.
  static func edits(from base: String, to new: String, over current: String) -> [RebasedEdit] {
    var (base, new, current) = (base, new, current)
    return base.withUTF8 { base in
      let others = current.withUTF8 { TextDifference(from: base, to: $0).edits }
      return new.withUTF8 { new in
        rebase(TextDifference(from: base, to: new).edits, over: others) {
          String(decoding: new[$0], as: UTF8.self)
        }
      }
    }
  }

  /// Returns the edits that take back what leads from an old string to a new one, done to the
  /// present string; and the number of scalars that the new one has inserted.
  static func inverseEdits(
    of old: String, to new: String, over current: String
  ) -> (edits: [RebasedEdit], inserted: Int) {
    var (old, new, current) = (old, new, current)
    return old.withUTF8 { old in
      new.withUTF8 { new in
        let edits = TextDifference(from: old, to: new).edits
        let others = current.withUTF8 { TextDifference(from: new, to: $0).edits }
        let inverse = edits.map(\.inverse)
        let inserted = edits.reduce(0) { sum, edit in
          sum + TextSize(of: UnsafeBufferPointer(rebasing: new[edit.inserted])).scalars
        }
        let rebased = rebase(inverse, over: others) { String(decoding: old[$0], as: UTF8.self) }
        return (rebased, inserted)
      }
    }
  }

  private static func rebase(
    _ edits: [Edit], over others: [Edit], text: (Range<Int>) -> String
  ) -> [RebasedEdit] {
    var rebase = EditRebase(over: others)
    var rebased: [RebasedEdit] = []
    for edit in edits {
      var (place, pieces) = rebase.place(of: edit)
      // The text comes where the first piece was, or with no piece.
      if pieces.first?.lowerBound != place { pieces.insert(place..<place, at: 0) }
      for (number, piece) in pieces.enumerated() {
        let string = number == 0 ? text(edit.inserted) : ""
        if piece.isEmpty, string.isEmpty { continue }
        rebased.append(RebasedEdit(removed: piece, inserted: string))
      }
    }
    return rebased
  }
}

/// Where edits of a base are in the string that others have made of the base.
struct EditRebase {
  private let others: [TextDifference.Edit]
  private var next = 0
  /// How much longer the present string is than the base before the next other edit.
  private var growth = 0

  init(over others: [TextDifference.Edit]) {
    self.others = others
  }

  /// Where the next edit inserts, and what is left of what it removes.
  ///
  /// It inserts behind what others have inserted at the beginning of what it removes.
  mutating func place(of edit: TextDifference.Edit) -> (inserted: Int, removed: [Range<Int>]) {
    var place = edit.removed.lowerBound
    // What others did before the edit, or at its beginning.
    while next < others.count, others[next].removed.upperBound <= place {
      growth += others[next].growth
      next += 1
    }
    var (at, later, grown) = (next, place, growth)
    if at < others.count, others[at].removed.lowerBound <= place {
      // The place is in a part that others have replaced: after what they put there.
      grown += others[at].growth
      later = others[at].removed.upperBound
      at += 1
    }
    var pieces: [Range<Int>] = []
    let inserted = later + grown
    place = max(place, later)
    while place < edit.removed.upperBound {
      var end = edit.removed.upperBound
      if at < others.count { end = min(end, others[at].removed.lowerBound) }
      if end > place { pieces.append(place + grown..<end + grown) }
      guard at < others.count, others[at].removed.lowerBound < edit.removed.upperBound else {
        break
      }
      grown += others[at].growth
      place = max(end, others[at].removed.upperBound)
      at += 1
    }
    return (inserted, pieces)
  }
}

extension TextDifference.Edit {
  /// How much longer the string becomes.
  fileprivate var growth: Int { inserted.count - removed.count }

  /// The edit that takes this one back.
  var inverse: Self { Self(removed: inserted, inserted: removed) }
}

extension String {
  /// Makes edits whose offsets are those in the string before all of them.
  mutating func apply(_ edits: [RebasedEdit]) {
    for edit in edits.reversed() {
      let start = utf8.index(startIndex, offsetBy: edit.removed.lowerBound)
      let end = utf8.index(startIndex, offsetBy: edit.removed.upperBound)
      replaceSubrange(start..<end, with: edit.inserted)
    }
  }
}
