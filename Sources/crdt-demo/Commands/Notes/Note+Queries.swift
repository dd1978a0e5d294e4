import CRDTStore

/// The questions that the app asks of its notes.
extension Query where Model == Note {
  /// The notes with a tag.
  static func tagged(_ tag: String) -> Query {
    Query { $0.tags.contains(tag) }
  }

  /// The notes in which a text stands, in whatever case.
  static func containing(_ text: String) -> Query {
    let text = text.lowercased()
    return Query { note in
      ([note.title, note.body] + note.tags).contains { $0.lowercased().contains(text) }
    }
  }
}
