import CRDTStore

/// What was shown of the notes last, to tell what is different now.
struct NotesBoard {
  private var shown: [Note.ID: Change] = [:]

  /// A note that came, changed or went.
  struct Change {
    /// `+`, `~` or `-`.
    var mark: String
    var note: Note
    var hasConflict: Bool
  }

  /// Shows other notes.
  ///
  /// - Returns: What is different: notes in their order, then those that are gone.
  mutating func update(to notes: Records<Note>, conflicts: Set<String>) -> [Change] {
    var changes: [Change] = []
    var next: [Note.ID: Change] = [:]
    for note in NoteOrder.updated.sorted(notes) {
      let old = shown[note.id]
      let change = Change(
        mark: old == nil ? "+" : "~", note: note, hasConflict: conflicts.contains(note.id))
      next[note.id] = change
      if old?.note != note || old?.hasConflict != change.hasConflict { changes.append(change) }
    }
    let gone = shown.values.filter { next[$0.note.id] == nil }
    changes += gone.sorted { $0.note.id < $1.note.id }.map {
      Change(mark: "-", note: $0.note, hasConflict: $0.hasConflict)
    }
    shown = next
    return changes
  }
}
