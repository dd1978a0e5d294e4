import CRDTTestSupport
import Testing

@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo notes watch")
struct NotesWatchTests {
  let notes: NotesRun

  init() throws {
    notes = try NotesRun()
    try notes.output("a", "add", "Moon", "--id=moon")
  }

  @Test("takes commands as lines, takes them back, and survives those it can't understand")
  func commands() throws {
    let run = try notes.run(
      "a", "watch",
      input: """
        add 'Shopping list' --id=shop -t home

        like moon 3
        add Oops --id=oops
        undo
        dance
        show nothing
        -s b list
        edit moon
        like moon
        undo
        add "Quoted \\"title\\"" --id=q -- --tail
        trash shop
        """)
    #expect(run.status == 0)
    #expect(run.lines.first == "+ moon Moon")
    #expect(run.lines.contains("added shop") && run.lines.contains("added oops"))
    #expect(run.lines.contains { $0.hasSuffix("moon Moon ♥3") })
    #expect(
      run.errors == """
        crdt-demo: unknown command 'notes dance'
        crdt-demo: there is no note nothing
        crdt-demo: the notes are open already: give commands without 'notes' and '-s'
        crdt-demo: give one of --title, --body and --append

        """)
    #expect(
      try notes.output("a", "list", "--sort=title")
        == "moon    Moon                  ♥3\nq       Quoted \"title\" --tail\n")
    #expect(try notes.output("a", "trashed", "--").split(separator: "\n").count == 2)
  }

  @Test("sees what comes by way of a folder, and sends what is done", .timeLimit(.minutes(30)))
  func live() throws {
    try notes.sync("a")
    try notes.sync("b")
    try notes.output("b", "add", "Sun", "--id=sun")
    try notes.sync("b")
    // The watcher ends when its input does: when the other side has seen its note.
    let run = try notes.shell(
      """
      mkfifo input
      crdt-demo notes -s a watch --folder relay <input >output 2>errors & watcher=$!
      exec 3>input
      wait_for() {
        for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1
      }
      wait_for grep -q '^+ sun Sun' output || exit 3
      crdt-demo notes -s b like sun 7
      crdt-demo notes -s b sync --folder relay >/dev/null
      wait_for grep -q '^~ sun Sun ♥7' output || exit 4
      echo 'add Star --id=star' >&3
      has_star() {
        crdt-demo notes -s b sync --folder relay >/dev/null; crdt-demo notes -s b show star
      }
      wait_for has_star >/dev/null 2>&1 || exit 5
      crdt-demo notes -s b trash sun
      crdt-demo notes -s b sync --folder relay >/dev/null
      wait_for grep -q '^- sun Sun' output || exit 6
      exec 3>&-
      wait $watcher
      """)
    #expect(run.status == 0 && run.errors == "")
    let errors = try notes.folder.read("errors")
    #expect(errors == "")
    let lines = try notes.folder.read("output").split(separator: "\n")
    #expect(lines.first == "+ moon Moon" && lines.contains("+ star Star"))
    #expect(try notes.output("a", "export") == notes.output("b", "export"))
  }

  @Test("ends when the time is over, though nobody types", .timeLimit(.minutes(30)))
  func time() throws {
    let run = try notes.run("a", "watch", "--for=0")
    #expect(run.status == 0 && run.output == "+ moon Moon\n" && run.errors == "")
  }

  @Test("says once that a folder is not there, and goes on", .timeLimit(.minutes(30)))
  func missingFolder() throws {
    let run = try notes.run("a", "watch", "--for=2", "--folder", notes.path("x/y"))
    // The last round, at the end, can't be made up for any more.
    #expect(run.status == 2 && run.output == "+ moon Moon\n")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count <= 2 && lines.allSatisfy { $0.contains("x/y") }, "\(run.errors)")
  }

  @Test("takes a line apart as a shell does")
  func words() throws {
    for (line, words) in [
      ("", []), ("  a  b ", ["a", "b"]), ("a'b c'd", ["ab cd"]),
      (#""a \" b" '\'"#, [#"a " b"#, "\\"]),
      (#"a\ b """#, ["a b", ""]),
    ] {
      #expect(try line.shellWords() == words, "\(line)")
    }
    for line in ["'a", "\"", "a\\"] {
      #expect(throws: UsageError.self) { try line.shellWords() }
    }
  }
}
