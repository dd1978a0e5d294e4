import CRDTKit
import CRDTStore
import Testing

@testable import crdt_demo

@Suite("crdt-demo notes sync")
struct NotesSyncTests {
  let notes: NotesRun

  init() throws {
    notes = try NotesRun()
    try notes.output("a", "add", "Moon", "--id=moon", "-b", "There was a lake.")
    try notes.sync("a")
    try notes.sync("b")
  }

  private func syncAll() throws {
    for store in ["a", "b", "a"] { try notes.sync(store) }
  }

  @Test(
    "joins notes that were begun apart only if that is said", arguments: ["--with", "--folder"])
  func joining(_ option: String) throws {
    try notes.output("c", "add", "Star", "--id=star")
    let partner = option == "--with" ? notes.path("a") : notes.path("relay")
    let words = ["notes", "-s", notes.path("c"), "sync", option, partner]
    let refused = try DemoRun.run(words)
    #expect(refused.status == 2 && refused.errors.contains("'--join'"))
    #expect(try notes.output("c", "list") == "star    Star\n")
    let joined = try DemoRun.run(words + ["--join"])
    #expect(joined.status == 0 && joined.output == "in sync: 1 new\n")
    try notes.sync("a")
    #expect(try notes.output("a", "list", "--sort=title") == "moon    Moon\nstar    Star\n")
  }

  @Test("merges what was done on both sides, field by field")
  func merging() throws {
    try notes.output("a", "edit", "moon", "--title=Full moon")
    try notes.output("a", "like", "moon", "2")
    try notes.output("a", "tag", "moon", "story")
    try notes.output("b", "like", "moon")
    try notes.output("b", "tag", "moon", "night")
    try notes.output("b", "edit", "moon", "--append=It was deep.")
    try notes.output("b", "add", "Sun", "--id=sun")
    #expect(try notes.sync("b") == "in sync: nothing new here\n")
    #expect(try notes.sync("a") == "in sync: 1 new, 1 changed\n")
    #expect(try notes.sync("b") == "in sync: 1 changed\n")
    for store in ["a", "b"] {
      let shown = try notes.output(store, "list", "--sort=title")
      #expect(shown == "moon    Full moon ♥3 #night #story\nsun     Sun\n")
      #expect(
        try notes.output(store, "show", "moon").hasSuffix("\nThere was a lake.\nIt was deep.\n"))
    }
    #expect(try notes.output("a", "export") == notes.output("b", "export"))
  }

  @Test("shows a conflict on both sides, and closes it on both")
  func conflicts() throws {
    try notes.output("a", "edit", "moon", "--title=Half moon")
    try notes.output("b", "edit", "moon", "--title=Full moon")
    try notes.sync("a")
    #expect(try notes.sync("b") == "in sync: nothing new here, 1 conflict to resolve\n")
    #expect(try notes.sync("a") == "in sync: 1 changed, 1 conflict to resolve\n")
    for (store, sides) in [("a", ["(here)", "(by "]), ("b", ["(by ", "(here)"])] {
      let lines = try notes.output(store, "conflicts").split(separator: "\n")
      #expect(lines.count == 4)
      #expect(lines[..<2] == ["title of moon  Full moon", "  was Moon"])
      // The one written last comes first, everywhere.
      #expect(lines[2].hasPrefix("  1   Full moon  \(sides[1])"), "\(lines)")
      #expect(lines[3].hasPrefix("  2   Half moon  \(sides[0])"), "\(lines)")
      #expect(try notes.output(store, "list") == "moon  ! Full moon\n")
      #expect(try notes.output(store, "status").split(separator: "\n")[2].contains("      1  "))
    }
    #expect(
      try notes.run("a", "resolve", "moon", "title", "--keep=3").errors
        == "crdt-demo: that conflict has 2 sides\n")
    try notes.output("a", "resolve", "moon", "title", "--keep=2")
    try syncAll()
    for store in ["a", "b"] {
      #expect(try notes.output(store, "conflicts") == "")
      #expect(try notes.output(store, "list") == "moon    Half moon\n")
    }
  }

  @Test("settles a conflict by a text of its own")
  func resolvingByText() throws {
    try notes.output("a", "edit", "moon", "--title=Half moon")
    try notes.output("b", "edit", "moon", "--title=Full moon")
    try syncAll()
    try notes.output("b", "resolve", "moon", "title", "--text=New moon")
    try syncAll()
    #expect(try notes.output("a", "show", "moon").contains("\ntitle     New moon\n"))
    #expect(try notes.output("a", "conflicts") == "")
  }

  @Test("has what both sides have written into a body")
  func bodies() throws {
    try notes.output("a", "edit", "moon", "--body=Once there was a lake.")
    try notes.output("b", "edit", "moon", "--body=There was a deep lake.")
    try syncAll()
    for store in ["a", "b"] {
      #expect(try notes.output(store, "show", "moon").hasSuffix("\nOnce there was a deep lake.\n"))
      #expect(try notes.output(store, "conflicts") == "")
    }
  }

  @Test("reads bodies that an older version wrote as strings, and writes on in them")
  func olderBodies() throws {
    let older = Schema(collections: [
      Note.collection: Schema.Collection(fields: ["body": .manual, "tags": .set])
    ])
    for (store, body) in [("a", "There was a lake. It was deep."), ("b", "There was a sea.")] {
      let open = try Store.open(at: notes.path(store), schema: older)
      try open.edit { $0.set("body", of: "moon", in: Note.collection, to: .string(body)) }
      try open.close()
    }
    try syncAll()
    // The one that was written last is the text's first content.
    #expect(try notes.output("a", "show", "moon").hasSuffix("\nThere was a sea.\n"))
    #expect(try notes.output("a", "conflicts") == "")
    try notes.output("a", "edit", "moon", "--body=Once there was a sea.")
    try syncAll()
    try notes.output("a", "edit", "moon", "--body=Once there was a deep sea.")
    try notes.output("b", "edit", "moon", "--append=It was cold.")
    try syncAll()
    for store in ["a", "b"] {
      let shown = try notes.output(store, "show", "moon")
      #expect(shown.hasSuffix("\nOnce there was a deep sea.\nIt was cold.\n"))
    }
  }

  @Test("brings a note back that was changed elsewhere while it was put into the trash")
  func trash() throws {
    try notes.output("a", "trash", "moon")
    try notes.output("b", "edit", "moon", "--append=More.")
    try syncAll()
    for store in ["a", "b"] { #expect(try notes.output(store, "list") == "moon    Moon\n") }
    try notes.output("b", "trash", "moon")
    #expect(try notes.sync("b") == "in sync: nothing new here\n")
    #expect(try notes.sync("a") == "in sync: 1 gone\n")
    #expect(try notes.output("a", "trashed") == "moon    Moon\n")
    try notes.output("a", "restore", "moon")
    try syncAll()
    #expect(try notes.output("b", "list") == "moon    Moon\n")
  }

  @Test("finds titles that were chosen in two places")
  func violations() throws {
    try notes.output("a", "add", "Sun", "--id=sun1")
    try notes.output("b", "add", "Sun", "--id=sun2")
    try syncAll()
    for store in ["a", "b"] {
      let run = try notes.run(store, "violations")
      #expect(run.status == 1 && run.output == "sun1, sun2 have the same title\n")
    }
    try notes.output("a", "edit", "sun2", "--title=Sunset")
    #expect(try notes.output("a", "violations") == "")
  }

  @Test("exchanges with other notes, and with those that a command serves")
  func others() throws {
    try notes.output("b", "add", "Sun", "--id=sun")
    #expect(try notes.output("a", "sync", "--with", notes.path("b")) == "in sync: 1 new\n")
    let command = "'\(try DemoRun.path())' serve '\(notes.path("a"))'"
    #expect(try notes.output("c", "sync", "--command", command) == "in sync: 2 new\n")
    try notes.output("c", "tag", "sun", "far")
    #expect(try notes.output("c", "sync", "--command", command) == "in sync: nothing new here\n")
    #expect(try notes.output("a", "list", "--tag=far") == "sun    Sun  #far\n")
    let status = try notes.output("a", "status")
    #expect(
      status.hasPrefix("entity  local  server  pending  conflicts  failed  last sync\n")
        && status.contains("\nnotes       2       -        0          0       0 "))
    // The relay's peers are known as well.
    #expect(status.split(separator: "\n").count(where: { $0.hasPrefix("peer ") }) == 2)
  }

  @Test("says what is wrong with the other side")
  func badPartners() throws {
    for (command, end) in [
      ("exit 3", "it exited with status 3"), (":", "it exited with status 0"),
    ] {
      let run = try notes.run("a", "sync", "--command", command)
      #expect(run.status == 2 && run.output == "")
      #expect(run.errors == "crdt-demo: '\(command)' stopped before both held the same: \(end)\n")
    }
    let silent = try notes.run("a", "sync", "--command", "exec sleep 100", "--timeout=1")
    #expect(silent.status == 2)
    #expect(silent.errors.hasPrefix("crdt-demo: 'exec sleep 100' was silent for 1 second; "))
    let garbage = try notes.run("a", "sync", "--command", "printf '%01000d' 7; cat >/dev/null")
    #expect(garbage.status == 2 && garbage.output == "" && garbage.errors != "")
    let none = try notes.run("a", "sync", "--with", notes.path("none"))
    #expect(none.status == 2 && none.errors.contains("there are no notes in"))
    let same = try notes.run("a", "sync", "--with", notes.path("a"))
    #expect(same.status == 2 && same.errors.contains("is open already"))
    let nowhere = try notes.run("a", "sync", "--folder", notes.path("x/y"))
    #expect(nowhere.status == 2 && nowhere.output == "")
    #expect(try notes.output("a", "list") == "moon    Moon\n")
  }
}
