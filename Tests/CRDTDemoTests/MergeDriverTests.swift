import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

/// The merge driver in a real repository, as the program's page sets it up.
@Suite(
  "crdt-demo merge as git's merge driver",
  .enabled(if: DemoRun.hasGit, "SKIPPED: git is not installed"))
struct MergeDriverTests {
  private let folder: TemporaryFolder

  /// Runs git in the repository, apart from its user's settings and from a
  /// repository that the tests themselves may run in.
  @discardableResult
  private func git(_ words: String..., status: Int32? = 0) throws -> DemoRun {
    let apart = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].flatMap { ["-u", $0] }
    let settings = [
      "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A",
      "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A",
      "GIT_COMMITTER_EMAIL=a@example.org", "GIT_MERGE_AUTOEDIT=no", "LC_ALL=C",
    ]
    let run = try DemoRun.run(
      "/usr/bin/env", apart + settings + ["git", "-C", folder.path] + words)
    if let status { #expect(run.status == status, "git \(words): \(run.output)\(run.errors)") }
    return run
  }

  /// Commits the file on a branch.
  private func commit(_ text: String, to file: String = "a b.json") throws {
    try folder.write(file, text)
    try git("add", ".")
    try git("commit", "-qm", "change")
  }

  private static let base = """
    {
      "name": "demo",
      "version": "1.0.0",
      "tags": ["x"],
      "big": 12345678901234567890
    }

    """
  private static let ours = base.replacing("\"1.0.0\"", with: "\"1.1.0\"")
  private static let theirs = base.replacing("\"demo\"", with: "\"example\"")
    .replacing("[\"x\"]", with: "[\"x\", \"y\"]")

  /// A repository with one file on two branches, on the one that is ours.
  init() throws {
    folder = try TemporaryFolder()
    try git("init", "-q")
    try git("checkout", "-q", "-b", "ours")
    try commit(Self.base)
    try git("checkout", "-q", "-b", "theirs")
    try commit(Self.theirs)
    try git("checkout", "-q", "ours")
    try commit(Self.ours)
  }

  /// Sets the driver up as the program's page says.
  private func setUp() throws {
    let program = try DemoRun.path()
    try git(
      "config", "merge.json.driver", "'\(program)' merge -o %A --name %P %O %A %B")
    try git("config", "merge.json.recursive", "binary")
    try commit("*.json merge=json\n", to: ".gitattributes")
  }

  @Test("merges cleanly what git alone can't")
  func clean() throws {
    // Lines that stand beside each other were changed: to git that is a conflict.
    try git("merge", "-q", "theirs", status: 1)
    #expect(try git("status", "--porcelain").output.hasPrefix("UU "))
    try git("merge", "--abort")
    try setUp()
    let run = try git("merge", "theirs")
    #expect(run.errors == "")
    let merged = Self.theirs.replacing("\"1.0.0\"", with: "\"1.1.0\"")
    #expect(try folder.read("a b.json") == merged)
    #expect(try git("status", "--porcelain").output == "")
    #expect(try git("log", "-1", "--pretty=%P").output.split(separator: " ").count == 2)
  }

  @Test("leaves a real conflict to its user: named, unmerged, and still JSON")
  func conflict() throws {
    try commit(Self.ours.replacing("\"demo\"", with: "\"sample\""))
    try setUp()
    let run = try git("merge", "theirs", status: 1)
    #expect(
      run.errors.contains(
        "crdt-demo: a b.json: conflict at name: base \"demo\", ours \"sample\", theirs \"example\"\n"
      ),
      "\(run.errors)")
    #expect(try git("status", "--porcelain").output == "UU \"a b.json\"\n")
    let shown = Self.ours.replacing("\"demo\"", with: "\"sample\"")
      .replacing("[\"x\"]", with: "[\"x\", \"y\"]")
    #expect(try folder.read("a b.json") == shown)
    #expect(try folder.names() == [".git", ".gitattributes", "a b.json"])
  }

  @Test("hides no conflict between branches that were merged crosswise")
  func crosswise() throws {
    try setUp()
    try commit("{\"x\": 0}\n", to: "x.json")
    for (branch, value) in [("a", 1), ("b", 2)] {
      try git("checkout", "-q", "-b", branch, "ours")
      try commit("{\"x\": \(value)}\n", to: "x.json")
      try git("branch", "\(branch)-first")
    }
    // Each side settles the conflict its own way.
    for (branch, other, value) in [("a", "b-first", 1), ("b", "a-first", 2)] {
      try git("checkout", "-q", branch)
      try git("merge", other, status: 1)
      try commit("{\"x\": \(value)}\n", to: "x.json")
    }
    for (ours, theirs, values) in [("a", "b", (1, 2)), ("b", "a", (2, 1))] {
      try git("checkout", "-q", ours)
      let run = try git("merge", theirs, status: 1)
      #expect(
        run.errors.contains(
          "x.json: conflict at x: base 0, ours \(values.0), theirs \(values.1)\n"))
      try git("merge", "--abort")
    }
  }

  @Test("leaves what is no JSON to its user as it was")
  func noJSON() throws {
    try commit(Self.ours + "// a comment\n")
    try setUp()
    let run = try git("merge", "theirs", status: 1)
    #expect(run.errors.contains("crdt-demo: a b.json (ours):7:1: '/' after the end of the value\n"))
    #expect(try git("status", "--porcelain").output == "UU \"a b.json\"\n")
    #expect(try folder.read("a b.json") == Self.ours + "// a comment\n")
  }

  @Test("joins a file that both sides added, which git gives an empty base")
  func bothAdded() throws {
    try setUp()
    try commit("{\"a\": 1, \"b\": 1}\n", to: "new.json")
    try git("checkout", "-q", "theirs")
    try commit("{\"b\": 1, \"c\": 1}\n", to: "new.json")
    try git("checkout", "-q", "ours")
    try git("merge", "theirs")
    #expect(try folder.read("new.json") == "{\"a\": 1, \"b\": 1, \"c\": 1}\n")
  }
}
