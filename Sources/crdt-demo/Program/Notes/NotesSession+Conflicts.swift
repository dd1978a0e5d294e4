import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

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
    let field = FieldPath(request.operands[1])
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
