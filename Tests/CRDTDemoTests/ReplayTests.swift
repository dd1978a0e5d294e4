import Testing

@testable import crdt_demo

@Suite("crdt-demo replay")
struct ReplayTests {
  private static let fixture =
    #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fixtures/yjs.tsv"

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
