import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("What others have written, on a terminal")
struct ForeignTextTests {
  /// The name of a file, or of anything else.
  private static let name = "a\u{202E}b\u{2066}c\u{200B}d\u{2028}e\u{1B}]0;f\u{7}\u{9B}g"

  /// Nothing of what a run wrote acts on a terminal, and the name is there.
  private func check(_ run: DemoRun, _ escape: String = "202e") {
    let text = run.output + run.errors
    for line in text.split(separator: "\n") {
      #expect(!String(line).hasHidden, "\(String(line).visible)")
    }
    #expect(text.contains(escape), "\(text.visible)")
  }

  @Test("names of collections, records and fields are escaped, and so are values")
  func store() throws {
    let store = try StoreRun()
    let name = Self.name
    _ = try store.output("put", name, name, "x=\(name.jsonQuoted)")
    check(try store.run("list"))
    check(try store.run("list", name))
    check(try store.run("get", name, name))
    check(try store.run("log"))
    check(try store.run("log", "--json"))
    check(try store.run("status"))
    check(try store.run("export"))
    check(try store.run("get", name, "none\(name)"))
    // What is escaped reads as what it was.
    let copy = try StoreRun()
    _ = try copy.output("import", "-", input: store.output("export"))
    #expect(try copy.output("export") == store.output("export"))
    let read = try Store.open(at: copy.path)
    #expect(read.document.value(of: "x", of: name, in: name) == .string(name))
  }

  @Test("names of files in a relay's folder are escaped")
  func relay() throws {
    let store = try StoreRun()
    let (other, name) = ("00000000000000bb", Self.name)
    #expect(
      try DemoRun.run("store", "init", store.folder.path + "/o", "--replica", other).status == 0)
    let relay = store.folder.path + "/\(name)"
    _ = try store.output("put", "c", "r", "x=1")
    let made = try store.run("sync", "--folder", relay)
    #expect(made.status == 0)
    try FileWriter.writeText("x", to: "\(relay)/00000000000000aa/0000000000000000.delta")
    check(try DemoRun.run("store", "sync", store.folder.path + "/o", "--folder", relay))
  }

  @Test("a trace's title and command are escaped")
  func trace() throws {
    let folder = try TemporaryFolder()
    let title = TraceEvent(time: 0, kind: .begin, value: Self.name, detail: Self.name)
    let end = TraceEvent(time: 1, kind: .check, replica: 0, value: Self.name, detail: Self.name)
    let path = try folder.write("\(Self.name).jsonl", title.line + "\n" + end.line + "\n")
    let run = try DemoRun.run("trace", path)
    check(run)
    #expect(run.status == 0 && run.lines.prefix(2).allSatisfy { $0 == Self.name.visible })
    let other = try folder.write("other", title.line + "\n")
    check(try DemoRun.run("trace", path, other))
  }

  @Test("the name of a file that is merged is escaped")
  func merge() throws {
    let folder = try TemporaryFolder()
    let base = try folder.write("base", "{\"a\": 1}")
    let ours = try folder.write("ours", "{\"a\": 2}")
    let theirs = try folder.write("theirs", "{\"a\": 3}")
    let run = try DemoRun.run("merge", "--name", Self.name, base, ours, theirs)
    #expect(run.status == 1)
    check(run)
    let broken = try folder.write("broken", "{")
    check(try DemoRun.run("merge", "--name", Self.name, base, ours, broken))
  }

  @Test("notes are escaped, and their emoji aren't")
  func notes() throws {
    let notes = try NotesRun()
    try notes.output("a", "add", Self.name, "--id=n1", "--body", Self.name)
    try notes.output("a", "add", "👩\u{200D}💻 é", "--id=n2")
    for verb in ["list", "trashed", "export"] { check(try notes.run("a", verb), "") }
    check(try notes.run("a", "list"))
    check(try notes.run("a", "show", "n1"))
    check(try notes.run("a", "search", "a"))
    check(try notes.run("a", "show", Self.name))
    #expect(try notes.output("a", "list").contains("👩\u{200D}💻 é"))
  }
}
