import CRDTStore
import Toolkit

extension NotesSession {
  /// Lets the user change a note in their editor.
  ///
  /// Others may change it meanwhile, for the store is free: what is then written is what
  /// the user changed of what they saw, and nothing else.
  mutating func editInEditor(_ id: Note.ID) async throws -> ExitStatus {
    var draft = try store.draft(Note.self, id)
    let path = store.path
    try await store.close()
    let (before, file) = (NoteForm(draft.model), try Self.makeFile())
    try FileWriter.write(Array(before.text.utf8), to: file)
    do {
      try Self.runEditor(on: file)
      let text = try FileReader.read(file, sizeMax: 1 << 24)
      let after = NoteForm(parsing: String(decoding: text, as: UTF8.self))
      store = try NotesCommand.open(path, .changing)
      if after != before {
        if after.title != before.title { draft.title = after.title }
        if after.body != before.body { draft.body = after.body }
        draft.updated = SystemClock().milliseconds
        try await write(draft)
      }
    } catch {
      throw CommandFailure("\(error); what you wrote is in '\(file)'")
    }
    Syscalls.remove(file)
    return .success
  }

  private func write(_ draft: Store.Draft<Note>) async throws {
    try await store.write { tx in
      if draft.title != draft.base.title { try tx.requireUnused(draft.title, by: draft.id) }
      try tx.commit(draft)
    }
  }

  private static func makeFile() throws -> String {
    let folder = Syscalls.environment("TMPDIR") ?? ""
    let file = "\(folder.isEmpty ? "/tmp" : folder)/crdt-demo-note-\(Note.makeID()).txt"
    do throws(Syscalls.Failure) {
      Syscalls.closeDescriptor(try Syscalls.create(file))
      return file
    } catch {
      throw CommandFailure("\(file): \(error.reason)")
    }
  }

  private static func runEditor(on file: String) throws {
    let names = ["VISUAL", "EDITOR"].compactMap { Syscalls.environment($0) }
    let editor = names.first { !$0.isEmpty } ?? "vi"
    let process = try Syscalls.reporting { () throws(Syscalls.Failure) in
      try Syscalls.spawn(
        "/bin/sh", arguments: ["sh", "-c", "\(editor) \"$1\"", "sh", file], input: 0, output: 1,
        isGroup: false)
    }
    let ending = Syscalls.awaitEnd(of: process, milliseconds: .max)
    guard ending == .exited(status: 0) else {
      throw CommandFailure("the editor '\(editor)' \(ending.map { "\($0)" } ?? "is gone")")
    }
  }
}
