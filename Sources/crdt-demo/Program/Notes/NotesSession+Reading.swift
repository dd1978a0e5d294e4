import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

extension NotesSession {
  mutating func list(_ request: NotesRequest) throws -> ExitStatus {
    let query = request["tag"].map { Store.Query<Note>.tagged($0) } ?? .all
    let notes = store.all(Note.self, where: query)
    let isLong = request.has("long")
    write(try request.order().sorted(notes), isLong: isLong)
    for id in notes.unreadable.sorted() {
      console.error("note \(id.shownAsName) can't be read: another version of the app wrote it")
    }
    return .success
  }

  mutating func search(_ request: NotesRequest) -> ExitStatus {
    let text = request.operands.joined(separator: " ")
    let notes = store.all(Note.self, where: .containing(text))
    write(NoteOrder.updated.sorted(notes))
    return notes.isEmpty ? .negative : .success
  }

  mutating func trashed() -> ExitStatus {
    write(NoteOrder.updated.sorted(store.deleted(Note.self)))
    return .success
  }

  mutating func show(_ request: NotesRequest) throws -> ExitStatus {
    let note = try note(request.operands[0])
    var lines = [
      ("id", note.id.shownAsText), ("title", note.title.shownAsText),
      ("tags", note.tags.sorted().map(\.shownAsText).joined(separator: " ")),
      ("likes", note.likes.grouped), ("pinned", note.isPinned ? "yes" : ""),
      ("created", note.created.momentText), ("updated", note.updated.momentText),
    ]
    // What someone wrote at the same time is not lost, though it isn't shown.
    let titles = store.document.alternatives(of: "title", of: note.id, in: Note.collection)
    lines += titles.dropFirst().map { ("or title", JSONValue($0.value).description) }
    for (name, text) in lines where !text.isEmpty {
      let padding = String(repeating: " ", count: 10 - name.count)
      console.write(console.styled(.dim, name) + padding + text + "\n")
    }
    if !note.body.isEmpty { console.write("\n" + note.body.shownAsLines + "\n") }
    for conflict in store.conflicts(of: Note.self) where conflict.record == note.id {
      console.write("\n" + text(of: conflict, title: note.title))
    }
    return .success
  }

  mutating func export() -> ExitStatus {
    for note in store.all(Note.self) {
      let json = JSONValue.object([
        ("id", .string(note.id)), ("title", .string(note.title)), ("body", .string(note.body)),
        ("tags", .array(note.tags.sorted().map { .string($0) })), ("likes", .integer(note.likes)),
        ("isPinned", .bool(note.isPinned)), ("created", .unsigned(note.created)),
        ("updated", .unsigned(note.updated)),
      ])
      console.write("\(json)\n")
    }
    return .success
  }

  mutating func status() -> ExitStatus {
    let now = SystemClock().milliseconds
    console.write(
      NotesStatus.table(store.statuses, store.peers, at: now).lines(styled: console.styled))
    guard !store.peers.isEmpty else { return .success }
    console.write("\n")
    let version = store.document.version
    for peer in store.peers {
      let isUpToDate = peer.version.contains(version)
      console.write(
        "peer \(peer.replica) " + (isUpToDate ? "has all" : "lacks something") + ", "
          + peer.lastContactMilliseconds.age(at: now) + "\n")
    }
    return .success
  }

  mutating func violations() -> ExitStatus {
    let violations = store.violations(in: Note.self)
    for violation in violations { console.write("\("\(violation)".shownAsText)\n") }
    return violations.isEmpty ? .success : .negative
  }
}
