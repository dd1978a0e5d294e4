import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo merge")
struct MergeCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("base", "{\"a\": 1, \"b\": [1], \"n\": 1}\n")
    try folder.write("ours", "{\"a\": 2, \"b\": [1], \"n\": 3}\n")
    try folder.write("theirs", "{\"a\": 1, \"b\": [2], \"n\": 4}\n")
  }

  /// Runs the command in the three files, or others.
  private func merge(
    _ options: String..., base: String = "base", ours: String = "ours",
    theirs: String = "theirs", input: String = ""
  ) throws -> DemoRun {
    let files = [base, ours, theirs].map { $0 == "-" ? $0 : "\(folder.path)/\($0)" }
    return try DemoRun.run(["merge"] + options + files, input: input)
  }

  private static let conflicting = "{\"a\": 2, \"b\": [2], \"n\": 3}\n"

  @Test("prints the merged file, and reports conflicts with status 1")
  func conflicts() throws {
    let run = try merge()
    #expect(run.output == Self.conflicting)
    #expect(
      run.errors
        == "crdt-demo: \(folder.path)/ours: conflict at n: base 1, ours 3, theirs 4\n")
    #expect(run.status == 1)
    let named = try merge("--name", "x.json")
    #expect(named.errors == "crdt-demo: x.json: conflict at n: base 1, ours 3, theirs 4\n")
  }

  @Test("merges by the rules of a schema, without a conflict with status 0")
  func schema() throws {
    let schema = try folder.write("schema", "{\"fields\": {\"n\": \"counter\", \"b\": \"set\"}}")
    let run = try merge("--schema", schema)
    #expect(run.output == "{\"a\": 2, \"b\": [2], \"n\": 6}\n")
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("takes a change against a removal for a conflict, unless the schema says who wins")
  func deletions() throws {
    try folder.write("theirs", "{\"b\": [1], \"n\": 1}")
    let silent = try folder.write("silent", "{\"fields\": {\"n\": \"max\"}}")
    for options in [[], ["--schema", silent]] {
      let files = ["base", "ours", "theirs"].map { "\(folder.path)/\($0)" }
      let run = try DemoRun.run(["merge", "--name", "x"] + options + files)
      #expect(run.errors == "crdt-demo: x: conflict at a: base 1, ours 2, theirs absent\n")
      #expect(run.output == "{\"a\": 2, \"b\": [1], \"n\": 3}\n" && run.status == 1)
    }
    let schema = try folder.write("schema", "{\"deletion\": \"deleteWins\"}")
    let run = try merge("--schema", schema)
    #expect(run.output == "{\"b\": [1], \"n\": 3}\n")
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("reports every conflict on a line that a terminal can show")
  func report() throws {
    let long = String(repeating: "x", count: 300)
    try folder.write("base", "")
    try folder.write(
      "ours", "{\"a.b\": 12345678901234567891, \"\\u001b\\u009b\": \"\\u001b\", \"l\": \"\(long)\"}"
    )
    try folder.write("theirs", "{\"a.b\": null, \"\\u001b\\u009b\": \"\u{9B}\", \"l\": [ 1 , {} ]}")
    let run = try merge("--name=x")
    #expect(
      run.errors == """
        crdt-demo: x: conflict at "\\u001b\\u009b": base absent, ours "\\u001b", theirs "\\u009b"
        crdt-demo: x: conflict at "a\\\\.b": base absent, ours 12345678901234567891, theirs null
        crdt-demo: x: conflict at l: base absent, ours "\(long.prefix(199))…, theirs [1,{}]

        """)
    #expect(run.status == 1)
    let many = (0..<1_234).map { "\"m\($0)\":" }
    try folder.write("ours", "{" + many.map { $0 + "1" }.joined(separator: ",") + "}")
    try folder.write("theirs", "{" + many.map { $0 + "2" }.joined(separator: ",") + "}")
    let all = try merge("--name=x")
    let lines = all.errors.split(separator: "\n")
    #expect(lines.count == 1_001)
    #expect(lines.last == "crdt-demo: x: and 234 more conflicts")
    try folder.write("ours", "1")
    try folder.write("theirs", "2")
    #expect(
      try merge("--name=x").errors
        == "crdt-demo: x: conflict at the root: base absent, ours 1, theirs 2\n")
  }

  @Test("writes a file all at once, keeps its permissions, and follows links")
  func output() throws {
    try folder.setPermissions(0o640, of: "ours")
    let ours = "\(folder.path)/ours"
    let run = try merge("-o", ours)
    #expect(run.output == "" && run.status == 1)
    #expect(try folder.read("ours") == Self.conflicting)
    #expect(try folder.permissions(of: "ours") == 0o640)
    try folder.link("link", to: "theirs")
    #expect(try merge("--output=\(folder.path)/link", ours: "base").status == 0)
    #expect(try folder.isLink("link"))
    #expect(try folder.read("theirs") == "{\"a\": 1, \"b\": [2], \"n\": 4}\n")
    #expect(try merge("-o\(folder.path)/new").status == 1)
    #expect(try folder.read("new") == Self.conflicting)
    #expect(try folder.names() == ["base", "link", "new", "ours", "theirs"])
  }

  @Test("leaves everything as it was where something is wrong, with status 2")
  func trouble() throws {
    try folder.write("bad", "{\"a\": 1,\n \"b\": }")
    try folder.write("empty", "")
    let path = folder.path
    let cases: [(run: DemoRun, message: String)] = [
      (try merge("-o\(path)/ours", base: "bad"), "\(path)/bad:2:7: expected a value, not '}'"),
      (
        try merge("-o\(path)/ours", "--name=x.json", theirs: "bad"),
        "x.json (theirs):2:7: expected a value, not '}'"
      ),
      (
        try merge("-o\(path)/new", ours: "empty"),
        "\(path)/empty:1:1: expected a value, not the end of the text"
      ),
      (try merge("-o\(path)/new", base: "none"), "\(path)/none: No such file or directory"),
      (try merge("-o\(path)/none/new"), "\(path)/none/new: No such file or directory"),
      (try merge("-o\(path)"), "\(path): Is a directory"),
      (try merge("--schema=\(path)/none"), "\(path)/none: No such file or directory"),
    ]
    for (run, message) in cases {
      #expect(run.errors == "crdt-demo: \(message)\n")
      #expect(run.output == "" && run.status == 2)
    }
    #expect(try folder.names() == ["bad", "base", "empty", "ours", "theirs"])
    #expect(try folder.read("ours") == "{\"a\": 2, \"b\": [1], \"n\": 3}\n")
  }

  @Test("says what is wrong with a schema, and where")
  func badSchemas() throws {
    let cases: [(schema: String, message: String)] = [
      (
        "{\"fields\": {",
        "1:13: expected a member's name in quotation marks, not the end of the text"
      ),
      ("{\"field\": {}}", "1:2: there is no \"field\" in rules, only \"fields\" and \"deletion\""),
      ("{\"fields\": {\"a\": \"max\",\n \"\\\\a\": \"min\"}}", "2:2: the path has a rule already"),
      (
        "{\"fields\": {\"a.b\": \"most\"}}",
        "fields: a.b: There is no rule 'most'; rules are lastWriterWins, firstWriterWins, max, "
          + "min, manual, counter, set, merged, text, list, and objects with preferring or "
          + "preferringOthersThan."
      ),
      (
        "{\"fields\": {\"a\": {\"authority\": [\"me\"]}}}",
        "fields: a: authority: Index 0: A replica identifier is sixteen hexadecimal digits, not 'me'."
      ),
      ("{\"fields\": {\"a\": {}}}", "fields: a: preferringOthersThan is missing"),
    ]
    for (schema, message) in cases {
      let path = try folder.write("schema", schema)
      let run = try merge("--schema", path)
      #expect(run.errors == "crdt-demo: \(path): \(message)\n")
      #expect(run.output == "" && run.status == 2)
    }
    for schema in ["[]", "1", "{\"fields\": []}", "{\"fields\": {\"a\": 5}}", "{\"deletion\": 1}"] {
      let run = try merge("--schema", try folder.write("schema", schema))
      #expect(run.status == 2 && run.errors.contains("schema: "), "\(run.errors)")
    }
  }

  @Test("reads one version from the standard input, and understands its command line")
  func commandLine() throws {
    let run = try merge(
      "--name=x", theirs: "-", input: "{\"a\": 1, \"b\": [1], \"n\": 1, \"t\": 0}")
    #expect(run.output == "{\"a\": 2, \"b\": [1], \"n\": 3, \"t\": 0}\n" && run.status == 0)
    let cases: [(words: [String], message: String)] = [
      ([], "missing operand BASE"), (["a", "b"], "missing operand THEIRS"),
      (["a", "b", "c", "d"], "extra operand 'd'"),
      (["-", "b", "-"], "only one file can be the standard input"),
      (["-o"], "option requires an argument -- 'o'"),
      (["--json", "a", "b", "c"], "unrecognized option '--json'"),
    ]
    for (words, message) in cases {
      let run = try DemoRun.run(["merge"] + words)
      #expect(run.errors.hasPrefix("crdt-demo: \(message)\n"), "\(run.errors)")
      #expect(run.output == "" && run.status == 64)
    }
  }
}
