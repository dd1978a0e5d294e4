/// Something that was asked of the notes and is not so, or not allowed: status 1.
struct NotesRefusal: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and what to do.
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
