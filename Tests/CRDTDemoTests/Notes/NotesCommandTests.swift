import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo notes")
struct NotesCommandTests {
  let notes: NotesRun

  init() throws {
    notes = try NotesRun()
  }

  @Test("makes notes, changes them, and lists them")
  func changing() throws {
    #expect(
      try notes.output("a", "add", "Shopping", "list", "--id=shop", "-bMilk", "-t", "home")
        == "added shop\n")
    try notes.output("a", "add", "Moon", "--id=moon", "--body=-", input: "There was a lake.")
    try notes.output("a", "tag", "moon", "story", "night", "old")
    try notes.output("a", "untag", "moon", "old", "none")
    try notes.output("a", "like", "moon")
    try notes.output("a", "like", "moon", "1233")
    try notes.output("a", "pin", "moon")
    try notes.output("a", "edit", "shop", "--append=Eggs", "--title=Shopping")
    #expect(
      try notes.output("a", "list") == """
        moon *  Moon     ♥1,234 #night #story
        shop    Shopping        #home

        """)
    #expect(
      try notes.output("a", "list", "--tag=home", "--long")
        == "shop    Shopping  now        #home\n"
        || notes.output("a", "list", "-l", "-t", "home").contains(" s ago "))
    try notes.output("a", "unpin", "moon")
    let shown = try notes.output("a", "show", "shop").split(separator: "\n")
    #expect(
      shown[..<3] == ["id        shop", "title     Shopping", "tags      home"]
        && shown[3].hasPrefix("likes     0") && shown[4].hasPrefix("created   2"))
    #expect(shown.suffix(2) == ["Milk", "Eggs"])
    let lines = try notes.output("a", "export").split(separator: "\n")
    #expect(
      lines.count == 2
        && lines[0].hasPrefix(
          #"{"id":"moon","title":"Moon","body":"There was a lake.","tags":["night","story"],"#
            + #""likes":1234,"isPinned":false,"created":"#)
    )
  }

  @Test("lists in each order")
  func orders() throws {
    for title in ["b", "c", "a"] { try notes.output("a", "add", title, "--id=\(title)") }
    try notes.output("a", "like", "b", "2")
    try notes.output("a", "like", "c")
    for (order, ids) in [
      ("updated", "cba"), ("created", "acb"), ("title", "abc"), ("likes", "bca"),
    ] {
      let listed = try notes.output("a", "list", "--sort", order)
      #expect(
        listed.split(separator: "\n").map { String($0.prefix(1)) }.joined() == ids, "\(order)")
    }
  }

  @Test("finds what stands in titles, bodies and tags, in whatever case")
  func search() throws {
    try notes.output("a", "add", "Moon", "--id=n1", "-b", "There was a LAKE.")
    try notes.output("a", "add", "Sun", "--id=n2", "-t", "lakeside")
    try notes.output("a", "add", "Lake Como", "--id=n3")
    try notes.output("a", "add", "Star", "--id=n4")
    let found = try notes.output("a", "search", "lake").split(separator: "\n")
    #expect(found.map { $0.prefix(2) } == ["n3", "n2", "n1"])
    let none = try notes.run("a", "search", "a", "river")
    #expect(none.status == 1 && none.output == "" && none.errors == "")
  }

  @Test("puts notes into the trash, all or none, and brings them back as they were")
  func trash() throws {
    for id in ["n1", "n2", "n3"] { try notes.output("a", "add", "T\(id)", "--id", id, "-b", id) }
    let refused = try notes.run("a", "trash", "n1", "n9")
    #expect(refused.status == 1 && refused.errors == "crdt-demo: there is no note n9\n")
    #expect(try notes.output("a", "trashed") == "")
    try notes.output("a", "trash", "n1", "n2")
    #expect(try notes.output("a", "list") == "n3    Tn3\n")
    #expect(try notes.output("a", "trashed") == "n2    Tn2\nn1    Tn1\n")
    #expect(try notes.run("a", "show", "n1").status == 1)
    try notes.output("a", "restore", "n1")
    #expect(try notes.output("a", "trashed") == "n2    Tn2\n")
    #expect(try notes.output("a", "show", "n1").hasSuffix("\nn1\n"))
    #expect(try notes.run("a", "restore", "n1").status == 1)
  }

  @Test("knows a note by the beginning of its identifier, if that is of no other")
  func prefixes() throws {
    for id in ["moon", "moons", "mist"] { try notes.output("a", "add", "T \(id)", "--id", id) }
    #expect(try notes.output("a", "show", "mi").hasPrefix("id        mist\n"))
    #expect(try notes.output("a", "show", "moon").hasPrefix("id        moon\n"))
    let ambiguous = try notes.run("a", "show", "mo")
    #expect(ambiguous.status == 1 && ambiguous.output == "")
    #expect(
      ambiguous.errors
        == "crdt-demo: mo may be any of 2 notes:\n  moon  T moon\n  moons  T moons\n")
    let id = try #require(try notes.output("a", "add", "Any").split(separator: " ").last)
    #expect(id.dropLast().count == 8 && Note.isValid(id: String(id.dropLast())))
    #expect(
      NotesSession.shortestPrefixes(["moon", "moons", "mist", "sun"])
        == ["moon": 5, "moons": 5, "mist": 2, "sun": 1])
  }

  @Test("refuses what makes no note, with status 1, and changes nothing")
  func refusals() throws {
    try notes.output("a", "add", "Moon", "--id=moon")
    for (words, message) in [
      (["add", " "], "a note needs a title"), (["add", "Moon"], "note moon has that title"),
      (["add", "x", "--tag=a b"], "a tag is one word, and 'a b' isn't"),
      (["add", "x", "--id=moon"], "there is moon in notes already: update it"),
      (["edit", "moon", "--title="], "a note needs a title"),
      (["tag", "moon", ""], "a tag is one word, and '' isn't"),
      (["like", "sun"], "there is no note sun"),
      (["resolve", "moon", "title", "--keep=1"], "there is no conflict in title of moon"),
      (
        ["undo"], "'undo' is a command within 'notes watch', and takes back what was done there"
      ),
    ] {
      let run = try notes.run("a", words)
      #expect(run.status == 1 && run.output == "", "\(words)")
      #expect(run.errors == "crdt-demo: \(message)\n", "\(words)")
    }
    #expect(try notes.output("a", "list") == "moon    Moon\n")
  }

  @Test("refuses a command line that makes no sense, and makes no store")
  func usage() throws {
    for (words, message) in [
      ([], "missing command after 'notes'"), (["dance"], "unknown command 'notes dance'"),
      (["add"], "missing operand TITLE"), (["tag", "x"], "missing operand TAG"),
      (["like", "x", "0"], "'0' must be a whole number from 1 to 1000000"),
      (["list", "x"], "extra operand 'x'"),
      (
        ["list", "--sort=size"],
        "invalid value 'size' for '--sort': it must be one of updated, created, title, likes"
      ),
      (["list", "--keep=1"], "unrecognized option '--keep'"),
      (["sync"], "give one of --folder, --with and --command"),
      (["resolve", "x", "body"], "give one of --keep and --text"),
      (["edit", "x", "-ba", "-ab"], "give one of --body and --append"),
      (["add", "x", "--id=X"], "the identifier 'X' must be of the characters a-z, 0-9 and -"),
      (["watch", "--folder="], "the value of '--folder' is empty"),
    ] {
      let run = try notes.run("a", words)
      #expect(run.status == 64 && run.output == "", "\(words)")
      #expect(run.errors.hasPrefix("crdt-demo: \(message)\nTry "), "\(words): \(run.errors)")
    }
    #expect(try notes.folder.names() == [])
  }

  @Test("has trouble where there are no notes, where they are damaged, or open elsewhere")
  func trouble() throws {
    for verb in ["list", "status", "export"] {
      let run = try notes.run("none", verb)
      #expect(run.status == 2 && run.output == "")
      #expect(run.errors.hasPrefix("crdt-demo: there are no notes in '\(notes.path("none"))' yet:"))
    }
    #expect(try notes.folder.names() == [])
    for number in 1...3 { try notes.output("a", "add", "Note \(number)", "--id=n\(number)") }
    let open = try Store.open(at: notes.path("a"))
    let locked = try notes.run("a", "add", "x")
    #expect(locked.status == 2 && locked.errors.contains("is open already"))
    #expect(try notes.output("a", "list").contains("Note 3"))
    try open.close()
    let damage = try notes.shell(
      "f=$(ls a/segments/* | head -1); printf '\\377' | dd of=$f bs=1 seek=150 conv=notrunc 2>&1")
    try #require(damage.status == 0)
    for words in [["list"], ["add", "x"]] {
      let run = try notes.run("a", words)
      #expect(run.status == 2 && run.output == "")
      #expect(run.errors.contains("is damaged at byte"), "\(run.errors)")
      #expect(run.errors.contains("salvage the store to save what is whole"))
    }
  }

  @Test("lets nothing that someone wrote act on a terminal")
  func controls() throws {
    let store = try Store.open(at: notes.path("a"), for: Note.self)
    try store.write { tx in
      try tx.create(
        Note(id: "n\u{1B}[2J", title: "a\u{1B}[31mb", body: "c\u{7}\nd", tags: ["t\u{9B}"]))
    }
    try store.close()
    for verb in [["list"], ["search", "c"], ["show", "n"], ["export"], ["watch"]] {
      let shown = try notes.output("a", verb[0], verb.count > 1 ? verb[1] : "--", input: "")
      let isPlain = { (scalar: Unicode.Scalar) in
        scalar == "\n" || (scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
      }
      #expect(shown.unicodeScalars.allSatisfy(isPlain) && !shown.isEmpty, "\(verb)")
    }
  }

  @Test("reads records beside others of which it can't make notes")
  func unreadable() throws {
    try notes.output("a", "add", "Moon", "--id=moon")
    let store = try Store.open(at: notes.path("a"))
    try store.edit { $0.set("title", of: "odd", in: "notes", to: 7) }
    try store.close()
    let run = try notes.run("a", "list")
    #expect(run.status == 0 && run.output == "moon    Moon\n")
    #expect(
      run.errors == "crdt-demo: note odd can't be read: another version of the app wrote it\n")
  }

  @Test("finds its notes by the environment, or in the usual folder")
  func folders() throws {
    let run = try notes.shell(
      """
      CRDT_NOTES=mine crdt-demo notes add Moon --id=moon
      crdt-demo notes add Sun --id=sun
      CRDT_NOTES=mine crdt-demo notes list
      crdt-demo notes list --store=mine
      """)
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output == "added moon\nadded sun\nmoon    Moon\nmoon    Moon\n")
    #expect(try notes.folder.names() == ["mine", "notes.crdt"])
  }

  @Test(
    "does what the README and the program's page show",
    arguments: [
      ("README.md", "The program"), ("Sources/crdt-demo/README.md", "A sample app"),
    ])
  func readme(_ page: String, section: String) throws {
    let transcript = try ReadmeTranscript(section: section, of: page)
    #expect(transcript.trouble == "" && transcript.actual == transcript.expected)
  }

  @Test("shows its own help, with a line for every command and option")
  func help() throws {
    for words in [["notes", "--help"], ["notes", "-s", "x", "list", "-h"]] {
      let run = try DemoRun.run(words)
      #expect(run.status == 0 && run.errors == "" && run.output == NotesCommand.page)
    }
    #expect(CRDTDemo.help.contains(NotesCommand.help))
    for verb in NotesVerb.allCases {
      #expect(NotesCommand.help.contains("\n  notes \(verb.rawValue)"), "\(verb)")
    }
    let short = ["body": "-b", "tag": "-t", "append": "-a", "long": "-l"]
    for option in NotesVerb.allCases.flatMap(\.options) {
      let isThere =
        NotesCommand.help.contains("--\(option.name)")
        && short[option.name].map { NotesCommand.help.contains($0) } ?? true
      #expect(isThere, "\(option.name)")
    }
    #expect(NotesCommand.page.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
