import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("A note in an editor")
struct NotesEditorTests {
  let notes: NotesRun

  init() throws {
    notes = try NotesRun()
    try notes.output("a", "add", "Moon", "--id=moon", "-b", "There was a lake.\n\nIt was deep.")
  }

  /// Edits the note with a script in the place of the editor.
  private func edit(_ script: String) throws -> DemoRun {
    _ = try notes.folder.write("editor", script)
    return try notes.shell("TMPDIR=. EDITOR='sh editor' crdt-demo notes -s a edit moon")
  }

  @Test("is shown as title and body, and written as they come to be")
  func editing() throws {
    let run = try edit(
      #"cat "$1"; sed -i.bak -e s/Moon/Moonrise/ -e s/lake/sea/ "$1"; rm "$1.bak""#)
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output == "Moon\n\nThere was a lake.\n\nIt was deep.\n")
    #expect(try notes.output("a", "list") == "moon    Moonrise\n")
    #expect(
      try notes.output("a", "show", "moon").hasSuffix("\nThere was a sea.\n\nIt was deep.\n"))
    #expect(try notes.folder.names() == ["a", "editor"])
  }

  @Test("stays as it is where nothing was changed")
  func nothing() throws {
    let before = try notes.output("a", "export")
    #expect(try edit("true").status == 0)
    #expect(try notes.output("a", "export") == before)
  }

  @Test("may be changed by others meanwhile, and loses nothing of it")
  func meanwhile() throws {
    let run = try edit(
      """
      crdt-demo notes -s a edit moon --append='It was cold.' --title='Full moon'
      crdt-demo notes -s a like moon 2
      printf 'Half moon\\n\\nThere was a sea.\\n\\nIt was deep.\\n' >"$1"
      """)
    #expect(run.status == 0 && run.errors == "")
    // Both have written in the body, and both have changed the title.
    let shown = try notes.output("a", "show", "moon")
    #expect(shown.contains("\nThere was a sea.\n\nIt was deep.\nIt was cold.\n"))
    #expect(try notes.output("a", "list") == "moon  ! Half moon ♥2\n")
    let conflict = try notes.output("a", "conflicts")
    #expect(conflict.contains("Half moon") && conflict.contains("Full moon"))
  }

  @Test("isn't lost where it can't be written any more")
  func trashed() throws {
    for (script, reason) in [
      ("echo New >\"$1\"; exit 3", "the editor 'sh editor' exited with status 3"),
      ("echo >\"$1\"", "a note needs a title"),
      ("echo New >\"$1\"; crdt-demo notes -s a trash moon", "there is no moon in notes"),
    ] {
      let run = try edit(script)
      #expect(run.status == 2 && run.output == "")
      let parts = run.errors.split(separator: "; what you wrote is in '")
      try #require(parts.count == 2, "\(run.errors)")
      #expect(parts[0] == "crdt-demo: \(reason)")
      let file = parts[1].dropFirst(2).dropLast(2)
      #expect(try notes.folder.read(String(file)).hasSuffix("\n"))
    }
  }

  @Test("is read as it was written, whatever is in it")
  func forms() {
    for (title, body) in [("a", ""), ("a", "b"), ("a", "\nb\n"), ("a", "b\n\n"), ("", "")] {
      let form = NoteForm(title: title, body: body)
      #expect(NoteForm(parsing: form.text) == form)
    }
    #expect(NoteForm(parsing: "a\nb") == NoteForm(title: "a", body: "b"))
    #expect(NoteForm(parsing: "") == NoteForm(title: "", body: ""))
  }
}
