import CRDTKit
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
    let lines = [
      ("id", note.id.shownAsText), ("title", note.title.shownAsText),
      ("tags", note.tags.sorted().map(\.shownAsText).joined(separator: " ")),
      ("likes", note.likes.grouped), ("pinned", note.isPinned ? "yes" : ""),
      ("created", note.created.momentText), ("updated", note.updated.momentText),
    ]
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

  /// Writes a line for each note, in columns.
  mutating func write(_ notes: [Note], isLong: Bool = false) {
    let conflicts = Set(store.conflicts(of: Note.self).map(\.record))
    let width = notes.map(\.id.shownAsText.count).max() ?? 0
    let titleWidth = min(notes.map { $0.title.shownAsText.count }.max() ?? 0, 40)
    let likes = { (note: Note) in note.likes == 0 ? "" : "♥\(note.likes.grouped)" }
    let likesWidth = notes.map { likes($0).count }.max() ?? 0
    let now = SystemClock().milliseconds
    let prefixes = Self.shortestPrefixes(store.all(Note.self).map(\.id))
    for note in notes {
      let marks = (note.isPinned ? "*" : " ") + (conflicts.contains(note.id) ? "!" : " ")
      let title = note.title.shownAsText
      var columns = [
        id(note.id, typed: prefixes[note.id] ?? 0)
          .padded(by: width - note.id.shownAsText.count), marks,
        title.padded(by: titleWidth - title.count),
        likes(note).padded(to: likesWidth),
      ]
      if isLong { columns.append(note.updated.age(at: now).padded(to: 10)) }
      columns.append(note.tags.sorted().map { "#" + $0.shownAsText }.joined(separator: " "))
      let line = columns.joined(separator: " ")
      console.write(String(line.reversed().drop { $0 == " " }.reversed()) + "\n")
    }
  }

  /// A note on a line of its own, without columns.
  func line(_ note: Note, hasConflict: Bool) -> String {
    var parts = [note.id.shownAsText, note.isPinned ? "*" : "", hasConflict ? "!" : ""]
    parts += [note.title.shownAsText, note.likes == 0 ? "" : "♥\(note.likes.grouped)"]
    parts += note.tags.sorted().map { "#" + $0.shownAsText }
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// An identifier, of which what has to be typed stands out.
  private func id(_ id: String, typed count: Int) -> String {
    // What another program wrote may be anything.
    guard Note.isValid(id: id) else { return id.shownAsText }
    return console.styled(.bold, String(id.prefix(count)))
      + (count < id.count ? console.styled(.dim, String(id.dropFirst(count))) : "")
  }

  /// How much has to be typed of each identifier at least.
  static func shortestPrefixes(_ ids: [String]) -> [String: Int] {
    let sorted = ids.sorted()
    var counts: [String: Int] = [:]
    for (left, right) in zip(sorted, sorted.dropFirst()) {
      let common = zip(left, right).prefix { $0.0 == $0.1 }.count
      counts[left] = max(counts[left] ?? 0, common + 1)
      counts[right] = common + 1
    }
    if sorted.count == 1 { counts[sorted[0]] = 1 }
    return counts
  }
}

extension String {
  /// The text on a line of its own: what a terminal would act on is escaped.
  var shownAsText: String {
    hasHidden ? jsonQuoted : self
  }

  /// The text on lines of its own.
  var shownAsLines: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).shownAsText }.joined(separator: "\n")
  }

  func padded(by count: Int) -> String { self + String(repeating: " ", count: max(count, 0)) }

  func padded(to width: Int) -> String { padded(by: width - count) }
}

extension NotesSession {
  mutating func conflicts() -> ExitStatus {
    for conflict in store.conflicts(of: Note.self) {
      let title = (try? store.get(Note.self, conflict.record))?.title
      console.write(text(of: conflict, title: title ?? "?"))
    }
    return .success
  }

  mutating func resolve(_ request: NotesRequest) async throws -> ExitStatus {
    let note = try note(request.operands[0])
    let field = FieldPath(parsing: request.operands[1])
    let conflict = store.conflicts(of: Note.self).first {
      $0.record == note.id && $0.path == field
    }
    guard let conflict else {
      throw NotesRefusal("there is no conflict in \("\(field)".shownAsName) of \(note.id)")
    }
    if let number = try request.integer("keep", in: 1...1_000) {
      guard number <= conflict.sides.count else {
        throw NotesRefusal("that conflict has \(conflict.sides.count) sides")
      }
      try await store.resolve(conflict, keeping: conflict.sides[number - 1])
    } else if let text = request["text"] {
      try await store.resolve(conflict, with: .string(text))
    }
    return .success
  }

  /// A conflict as people read it: what the field was before, and its sides, numbered.
  func text(of conflict: Document.Conflict, title: String) -> String {
    let field = "\(conflict.path)".shownAsText
    let place = "\(field) of \(conflict.record.shownAsText)"
    var text = console.styled(.red, place) + "  \(title.shownAsText)\n"
    if let before = conflict.ancestor { text += paragraph("was", before.value) }
    for (index, side) in conflict.sides.enumerated() {
      let who = side.replica == store.replica ? "here" : "by \(side.replica)"
      text += paragraph("\(index + 1)", side.value, note: who)
    }
    return text
  }

  private func paragraph(_ name: String, _ value: Document.Value, note: String = "") -> String {
    var content = JSONValue(value).description
    if case .string(let text) = value { content = text }
    let label = "  " + name.padded(to: 4)
    let lines = content.shownAsLines.replacing("\n", with: "\n" + String(repeating: " ", count: 6))
    return label + lines + (note.isEmpty ? "" : "  " + console.styled(.dim, "(\(note))")) + "\n"
  }
}
