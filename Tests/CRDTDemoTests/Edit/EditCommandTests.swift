import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo edit", .timeLimit(.minutes(30)))
struct EditCommandTests {
  let notes: NotesRun

  init() throws {
    notes = try NotesRun()
  }

  private func start(_ name: String) throws -> EditorRun {
    try EditorRun([notes.path(name), "--folder", notes.path("shared"), "--name", name])
  }

  private func text(of store: String) throws -> String {
    try DemoRun.run("store", "get", notes.path(store), "texts", "text", "body").output
  }

  @Test("lets two people write in one text, who begin it at the same time")
  func together() throws {
    var editors = [try start("Ann"), try start("Bob")]
    defer { for editor in editors { editor.terminal.close() } }
    try EditorRun.wait(&editors) {
      $0[0].status.contains(" Bob 1:1") && $0[1].status.contains(" Ann 1:1")
    }
    try editors[0].terminal.press("Ann wäs 漢字\r")
    try editors[1].terminal.press("\u{1B}[200~Bob was here\u{1B}[201~\u{1B}[15~\r")
    try EditorRun.wait(&editors) { editors in
      let lines = editors[0].text
      return lines == editors[1].text && Set(lines) == ["Ann wäs 漢字", "Bob was here", ""]
    }
    // Only what Bob wrote is undone.
    try editors[0].terminal.press("\u{1B}[A\u{1B}[H> ")
    try editors[1].terminal.press("\u{1A}")
    try EditorRun.wait(&editors) { editors in
      editors.allSatisfy { $0.text.filter { $0 != "" } == ["> Ann wäs 漢字"] }
    }
    try editors[0].terminal.resize(columns: 40, rows: 4)
    Syscalls.send(28, to: editors[0].process)
    try EditorRun.wait(&editors) { $0[0].status.hasPrefix(" Ann  Bob ") }
    for place in editors.indices {
      try editors[place].terminal.press("\u{11}")
      #expect(try editors[place].end() == .exited(status: 0))
      #expect(editors[place].terminal.isCooked)
      #expect(editors[place].terminal.output.hasSuffix("\u{1B}[?1049l"))
    }
    for store in ["Ann", "Bob"] {
      _ = try DemoRun.run("store", "sync", notes.path(store), "--folder", notes.path("shared"))
      #expect(try text(of: store) == "\"> Ann wäs 漢字\\n\"\n", "\(store)")
      #expect(try DemoRun.run("store", "list", notes.path(store), "carets").output == "")
    }
  }

  @Test("gives the terminal back when it is ended, and has saved what was typed")
  func ending() throws {
    var editors = [try EditorRun([notes.path("a"), "-n", "me"])]
    defer { editors[0].terminal.close() }
    try editors[0].terminal.press("saved")
    try EditorRun.wait(&editors) { $0[0].text == ["saved"] }
    #expect(!editors[0].terminal.isCooked)
    Syscalls.send(15, to: editors[0].process)
    #expect(try editors[0].end() == .killed(signal: 15))
    #expect(editors[0].terminal.isCooked)
    #expect(editors[0].terminal.output.hasSuffix("\u{1B}[?1049l"))
    #expect(try text(of: "a") == "\"saved\"\n")
  }

  @Test("edits the body of a note")
  func note() throws {
    try notes.output("a", "add", "Moon", "--id=moon", "-b", "There was a lake.")
    var editors = [try EditorRun([notes.path("a"), "notes", "moon", "body"])]
    defer { editors[0].terminal.close() }
    try EditorRun.wait(&editors) { $0[0].text == ["There was a lake."] }
    try editors[0].terminal.press("\u{1B}[F\u{7F}!\u{13}")
    try EditorRun.wait(&editors) { $0[0].status.contains("saved as you type") }
    try editors[0].terminal.press("\u{11}")
    #expect(try editors[0].end() == .exited(status: 0))
    #expect(try notes.output("a", "show", "moon").hasSuffix("\nThere was a lake!\n"))
    #expect(try notes.output("a", "list") == "moon    Moon\n")
  }

  @Test(
    "lets two people write in one text over pipes, and goes on alone when one has gone",
    .enabled(if: EditorRun.hasSessions))
  func pipes() throws {
    #expect(try notes.shell("mkfifo one two").status == 0)
    // Each opens the pipes in the order of the other one.
    var editors = [
      try EditorRun(in: notes.folder.path, "edit Ann -n Ann --pipe <one >two"),
      try EditorRun(in: notes.folder.path, "edit Bob -n Bob --pipe >one <two"),
    ]
    defer { for editor in editors { editor.terminal.close() } }
    try EditorRun.wait(&editors) {
      $0[0].status.contains(" Bob 1:1") && $0[1].status.contains(" Ann 1:1")
    }
    try editors[0].terminal.press("Ann\r")
    try editors[1].terminal.press("Bob\r")
    try EditorRun.wait(&editors) { editors in
      editors[0].text == editors[1].text && Set(editors[0].text) == ["Ann", "Bob", ""]
    }
    try editors[1].terminal.press("last\u{11}")
    #expect(try editors[1].end() == .exited(status: 0))
    #expect(editors[1].terminal.isCooked)
    try EditorRun.wait(&editors) {
      let isThere = $0[0].text.contains { $0.contains("last") }
      return isThere && $0[0].status.contains("the other side has gone")
    }
    try editors[0].terminal.press("!\u{11}")
    #expect(try editors[0].end() == .exited(status: 0))
    #expect(try text(of: "Ann").filter { $0 != "!" } == text(of: "Bob"))
  }

  @Test("refuses what isn't a terminal, and what it can't edit")
  func refusals() throws {
    let run = try DemoRun.run("edit", notes.path("a"), input: "x")
    #expect(run.status == 2 && run.output == "")
    #expect(
      run.errors == """
        crdt-demo: edit needs a terminal at its standard input and output, unless '--pipe' is given: \
        'crdt-demo store get' and 'store put' read and write a text without one

        """)
    #expect(try notes.folder.names() == [])
    for (words, message) in [
      ([], "missing operand DIR"), ([""], "the name of the store's folder is empty"),
      (["a", "notes"], "missing operand RECORD"),
      (["a", "notes", "moon"], "missing operand FIELD"),
      (["a", "b", "c", "d", "e"], "extra operand 'e'"),
      (["a", "--folder="], "the value of '--folder' is empty"),
      (["a", "--join"], "'--join' is for '--folder'"),
    ] {
      let run = try DemoRun.run(["edit"] + words)
      #expect(run.status == 64 && run.errors.hasPrefix("crdt-demo: \(message)\n"), "\(run.errors)")
    }
    try notes.output("a", "add", "Moon", "--id=moon")
    try notes.output("b", "add", "Sun", "--id=sun")
    try notes.sync("a")
    for (words, message) in [
      ([notes.path("a"), "notes", "moon", "title"], "has another rule than 'text'"),
      ([notes.path("b"), "--folder", notes.path("relay")], "'--join' says that they do"),
      ([notes.path("c"), "--folder", notes.path("x/y")], "x/y"),
    ] {
      var editor = try EditorRun(words, columns: 200)
      defer { editor.terminal.close() }
      #expect(try editor.end() == .exited(status: 2))
      #expect(editor.terminal.output.contains(message), "\(editor.terminal.output)")
    }
  }
}
