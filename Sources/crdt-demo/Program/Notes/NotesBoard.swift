import CRDTStore
import Toolkit

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
  mutating func update(to notes: Store.Records<Note>, conflicts: Set<String>) -> [Change] {
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

/// How the collections stand, as people read it.
enum NotesStatus {
  static func table(
    _ statuses: [Store.CollectionStatus], _ peers: [PeerRecord], at now: UInt64
  ) -> TextTable {
    var table = TextTable(header: [
      ["entity", "local", "server", "pending", "conflicts", "failed", "last sync"]
    ])
    let lastContact = peers.map(\.lastContactMilliseconds).max()
    table.rows = statuses.map { status in
      [
        status.collection.shownAsName, status.localCount.grouped,
        status.serverCount?.grouped ?? "-", status.pendingCount.grouped,
        status.conflictCount.grouped, status.failedCount.grouped,
        (status.lastSyncedMilliseconds ?? lastContact).map { $0.age(at: now) } ?? "never",
      ]
    }
    return table
  }
}

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
