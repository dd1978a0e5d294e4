import CRDTStore
import Toolkit

extension NotesSession {
  /// Changes notes as one commit, which can be taken back.
  private mutating func commit(_ body: (inout Store.Transaction) throws -> Void) async throws {
    let receipt = try await store.write(.full, body)
    if receipt.dot != nil { receipts.append(receipt) }
  }

  /// Changes one note; what the body leaves alone isn't written.
  private mutating func change(_ id: Note.ID, _ body: (inout Note) throws -> Void) async throws {
    try await commit { tx in try tx.change(id, body) }
  }

  mutating func add(_ request: NotesRequest) async throws -> ExitStatus {
    var note = Note(
      title: request.operands.joined(separator: " "), body: try text(request["body"]) ?? "",
      tags: Set(request.values(of: "tag")))
    if let id = request["id"] {
      note = Note(id: id, title: note.title, body: note.body, tags: note.tags)
    }
    try await commit { tx in
      try tx.requireUnused(note.title, by: note.id)
      try tx.create(note)
    }
    console.write("added \(note.id)\n")
    return .success
  }

  mutating func edit(_ request: NotesRequest) async throws -> ExitStatus {
    let id = try note(request.operands[0]).id
    if !request.hasOptions { return try await editInEditor(id) }
    let (title, body) = (request["title"], try text(request["body"]))
    let more = try text(request["append"])
    try await commit { tx in
      if let title { try tx.requireUnused(title, by: id) }
      try tx.change(id) { note in
        if let title { note.title = title }
        if let body { note.body = body }
        if let more { note.body += (note.body.isEmpty ? "" : "\n") + more }
      }
    }
    return .success
  }

  mutating func tag(_ request: NotesRequest) async throws -> ExitStatus {
    let tags = request.operands.dropFirst()
    try await change(try note(request.operands[0]).id) { note in
      if request.verb == .tag { note.tags.formUnion(tags) } else { note.tags.subtract(tags) }
    }
    return .success
  }

  mutating func like(_ request: NotesRequest) async throws -> ExitStatus {
    let times = try request.times()
    // Whoever likes it at the same time elsewhere is counted as well.
    try await change(try note(request.operands[0]).id) { $0.likes += times }
    return .success
  }

  mutating func pin(_ request: NotesRequest) async throws -> ExitStatus {
    let ids = try request.operands.map { try note($0).id }
    try await commit { tx in
      for id in ids { try tx.change(id) { $0.isPinned = request.verb == .pin } }
    }
    return .success
  }

  mutating func trash(_ request: NotesRequest) async throws -> ExitStatus {
    let ids = Set(try request.operands.map { try note($0).id })
    try await commit { tx in
      for id in ids { try tx.delete(Note.self, id) }
    }
    return .success
  }

  mutating func restore(_ request: NotesRequest) async throws -> ExitStatus {
    let trashed = store.deleted(Note.self)
    let ids = Set(try request.operands.map { try note($0, among: trashed).id })
    try await commit { tx in
      for id in ids { try tx.restore(Note.self, id) }
    }
    return .success
  }

  mutating func undo() async throws -> ExitStatus {
    guard let receipt = receipts.popLast() else {
      throw NotesRefusal(
        isInteractive
          ? "nothing was changed since the notes were opened"
          : "'undo' is a command within 'notes watch', and takes back what was done there")
    }
    let undoing = try await store.undo(receipt)
    for omission in undoing.omissions { console.error("not undone: \(omission)") }
    return .success
  }

  /// What an option gives as a text: the standard input for `-`.
  private func text(_ value: String?) throws -> String? {
    guard value == "-", !isInteractive else { return value }
    return String(decoding: try FileReader.read("-", sizeMax: 1 << 24), as: UTF8.self)
  }
}

extension Store.Transaction {
  /// Changes a note, and notes when.
  mutating func change(_ id: Note.ID, _ body: (inout Note) throws -> Void) throws {
    try update(Note.self, id) { note in
      let before = note
      try body(&note)
      if note != before { note.updated = SystemClock().milliseconds }
    }
  }

  /// Refuses a title that another note has.
  ///
  /// Someone elsewhere can choose it at the same time: `violations` shows that.
  mutating func requireUnused(_ title: String, by id: Note.ID) throws {
    guard let other = try all(Note.self, where: { $0.title == title && $0.id != id }).first else {
      return
    }
    throw NotesRefusal("note \(other.id) has that title")
  }
}
