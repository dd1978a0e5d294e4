/// A note as an editor shows it: the title on the first line, the body below an empty
/// one.
struct NoteForm: Equatable {
  var title: String
  var body: String
}

extension NoteForm {
  init(_ note: Note) {
    self.init(parsing: note.title.replacing("\n", with: " ") + "\n\n" + note.body)
  }

  /// Reads what an editor has left.
  init(parsing text: String) {
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    title = String(parts[0])
    var rest = parts.count > 1 ? parts[1] : ""
    if rest.first == "\n" { rest.removeFirst() }
    // Editors end the last line.
    if rest.last == "\n" { rest.removeLast() }
    body = String(rest)
  }

  /// What an editor is given.
  var text: String { title + "\n\n" + body + (body.isEmpty ? "" : "\n") }
}
