import CRDTKit
import CRDTStore
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo replay")
struct ReplayTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fixtures"
  private static let fixture = folder + "/yjs.tsv"
  private static let webpack = folder + "/webpack.tsv"

  private static let figures =
    "commits=2247 lanes=207 events=14092 live=167 conflicts=0 "
    + "sha256=c7fd66a87625d94772078044c14c488803d66112e5e119c31f8ef27007f3aaa5"

  @Test("gives a public history's figures, as another model computed them")
  func yjs() throws {
    let run = try DemoRun.run("replay", Self.fixture)
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(run.lines.first == Self.figures[...])
    let second = try #require(run.lines.last)
    #expect(second.contains(/^deltas=[1-9]\d* bytes=[1-9]\d*$/))
    #expect(run.lines.count == 2)
  }

  @Test("gives the same figures as a document with a record for each path")
  func yjsAsDocument() throws {
    let run = try DemoRun.run("replay", "--as=document", Self.fixture)
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(run.lines.first == Self.figures[...])
  }

  @Test("keeps concurrent values, merges parents and forgets what was removed")
  func smallHistory() throws {
    let trace = """
      C\t0\t0\t1\t-
      +\ta\t000000000000
      +\tb\t000000000000
      +\tc\t000000000000
      C\t1\t1\t2\t0
      +\ta\t111111111111
      -\tb
      -\tnever
      C\t2\t0\t3\t0
      +\ta\t222222222222
      +\tb\t222222222222
      -\tc
      C\t3\t0\t4\t2,1

      """
    let run = try DemoRun.run("replay", "--json", "-", input: trace)
    #expect(run.status == 0, "\(run.errors)")
    let listing = "a\t111111111111,222222222222\nb\t222222222222\n"
    let digest = SHA256.hexadecimalDigest(of: Array(listing.utf8))
    #expect(
      run.output.hasPrefix(
        "{\"commits\":4,\"lanes\":2,\"events\":9,\"live\":2,\"conflicts\":1,\"sha256\":\"\(digest)\","
      ))
    #expect(run.output.contains("\"deltas\":2,"))
  }

  @Test("gives the figures of nested fields, as another model computed them")
  func nested() throws {
    let run = try DemoRun.run("replay", "--as=document", Self.folder + "/nested.tsv")
    #expect(run.errors == "")
    #expect(run.status == 0)
    let figures =
      "commits=151 lanes=5 events=276 live=21 conflicts=10 "
      + "sha256=dba320e147b21012f226c922c8b90d45c1a08ce5cdbc72d677e27dba477b4a77"
    #expect(run.lines.first == figures[...])
  }

  @Test("gives a public package file's figures, as another model computed them")
  func webpackFields() throws {
    let run = try DemoRun.run("replay", "--as=document", Self.webpack)
    #expect(run.errors == "")
    #expect(run.status == 0)
    let figures =
      "commits=1415 lanes=92 events=1888 live=96 conflicts=4 "
      + "sha256=3e01d23d5cb1f1cfcb1035ac38474e232c6a0733b1bd29c9542d871d99fee833"
    #expect(run.lines.first == figures[...])
  }

  @Test("keeps concurrent values of nested fields, and objects whose fields are gone")
  func smallStructuredHistory() throws {
    let trace = """
      D\tpackage.json
      C\t0\t0\t1\t-
      +\t["deps","a.b"]\t"1"
      +\t["deps","c/d"]\t[1, 2]
      +\t["meta","x","y"]\ttrue
      C\t1\t1\t2\t0
      +\t["deps","a.b"]\t"2"
      -\t["deps","c/d"]
      -\t["meta","x","y"]
      -\t["never"]
      C\t2\t0\t3\t0
      +\t["deps","a.b"]\tnull
      +\t["meta","x","z"]\t-1.5
      C\t3\t0\t4\t2,1

      """
    let run = try DemoRun.run("replay", "--as=document", "--json", "-", input: trace)
    #expect(run.status == 0, "\(run.errors)")
    let listing = "[\"deps\",\"a.b\"]\t\"2\",null\n[\"meta\",\"x\",\"z\"]\t-1.5\n"
    let digest = SHA256.hexadecimalDigest(of: Array(listing.utf8))
    #expect(
      run.output.hasPrefix(
        "{\"commits\":4,\"lanes\":2,\"events\":9,\"live\":2,\"conflicts\":1,\"sha256\":\"\(digest)\","
      ))
  }

  @Test("refuses a structured trace as a map, and says how it is taken")
  func structuredAsMap() throws {
    for words in [["replay"], ["replay", "--as=map"]] {
      let run = try DemoRun.run(words + [Self.folder + "/nested.tsv"])
      #expect(
        run.errors
          == "crdt-demo: \(Self.folder)/nested.tsv: a structured trace can't be a map; "
          + "use --as=document\n")
      #expect(run.output == "" && run.status == 2)
    }
  }

  @Test("refuses structured lines that say nothing, and names the line")
  func malformedFields() {
    let within = "of two paths, one leads to a value and the other to a field within it"
    let names = "the path must be a JSON array of names"
    let deep = Array(repeating: "\"n\"", count: 32).joined(separator: ",")
    let cases: [(lines: String, line: Int, reason: String)] = [
      ("+\t[\"a\"]\t1\t2", 3, "a write must have a path and a value"),
      (
        "+\t[\"a\"]\t{\"b\":1}", 3,
        "the value must not be an object: its fields have paths of their own"
      ),
      ("+\t\"a\"\t1", 3, names),
      ("+\t[]\t1", 3, names),
      ("-\t[\"a\",1]", 3, names),
      ("-\ta", 3, "the path is not read as JSON: expected a value, not 'a'"),
      (
        "+\t[\"a\"]\t", 3,
        "the value is not read as JSON: expected a value, not the end of the text"
      ),
      ("-\t[\(deep),\"n\"]", 3, "the path has more than 32 names"),
      (
        "+\t[\(deep)]\t1\n-\t[\(deep)]\n+\t[\(deep)]\t[]", 5,
        "the value is nested deeper than 32 levels"
      ),
      ("+\t[\"a\"]\t1\n+\t[\"a\",\"b\"]\t1", 4, within),
      ("-\t[\"a\",\"b\"]\n-\t[\"a\"]", 4, within),
      ("D\tother", 3, "the file may be named in the first line only"),
    ]
    for (lines, line, reason) in cases {
      let text = "D\tf\nC\t0\t0\t1\t-\n" + lines
      #expect(throws: HistoryTrace.Malformed(line: line, reason: reason), "\(lines)") {
        try HistoryTrace(parsing: Array(text.utf8))
      }
    }
    #expect(throws: HistoryTrace.Malformed(line: 1, reason: "the path is empty")) {
      try HistoryTrace(parsing: Array("D\t\n".utf8))
    }
  }

  @Test("names the line that is malformed, and prints no results")
  func malformed() throws {
    let run = try DemoRun.run("replay", "-", input: "C\t0\t0\t1\t-\n+\ta\tnothex\n")
    #expect(
      run.errors == "crdt-demo: -:2: the hash must be 12 lowercase hexadecimal digits\n")
    #expect(run.output == "" && run.status == 2)
  }

  @Test("says why a file can't be read")
  func unreadable() throws {
    let missing = try DemoRun.run("replay", "/nowhere/at/all.tsv")
    #expect(missing.errors == "crdt-demo: /nowhere/at/all.tsv: No such file or directory\n")
    #expect(missing.output == "" && missing.status == 2)
    let folder = try DemoRun.run("replay", "/")
    #expect(folder.errors == "crdt-demo: /: Is a directory\n")
    #expect(folder.output == "" && folder.status == 2)
    let empty = try DemoRun.run("replay", "/dev/null")
    #expect(empty.errors == "crdt-demo: /dev/null:1: there is no commit\n")
    #expect(empty.output == "" && empty.status == 2)
  }
}
