/// In which order notes are listed.
enum NoteOrder: String, CaseIterable {
  /// The ones changed last come first.
  case updated
  /// The newest come first.
  case created
  case title
  /// The ones with the most likes come first.
  case likes
}

extension NoteOrder {
  /// The notes in this order, those that are pinned before the others.
  func sorted(_ notes: some Sequence<Note>) -> [Note] {
    notes.sorted { left, right in
      if left.isPinned != right.isPinned { return left.isPinned }
      return precedes(left, right) ?? (left.id < right.id)
    }
  }

  /// Whether a note comes before another one; `nil` where this order doesn't say.
  private func precedes(_ left: Note, _ right: Note) -> Bool? {
    switch self {
    case .updated: left.updated == right.updated ? nil : left.updated > right.updated
    case .created: left.created == right.created ? nil : left.created > right.created
    case .title:
      left.title.lowercased() == right.title.lowercased()
        ? nil : left.title.lowercased() < right.title.lowercased()
    case .likes: left.likes == right.likes ? nil : left.likes > right.likes
    }
  }
}
