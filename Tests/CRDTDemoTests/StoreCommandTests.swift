import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo store")
struct StoreCommandTests {
  @Test("makes a store once, with a schema and a replica")
  func initializing() throws {
    let folder = try TemporaryFolder()
    let schema = try folder.write(
      "schema.json", #"{"collections": {"notes": {"fields": {"likes": "counter"}}}}"#)
    let path = "\(folder.path)/s"
    let made = try DemoRun.run(
      "store", "init", path, "--schema", schema, "--replica=00000000000000aa")
    #expect(made.output == "replica 00000000000000aa\n" && made.errors == "" && made.status == 0)
    let store = try Store.open(at: path)
    #expect(store.replica == ReplicaID(0xAA))
    #expect(store.document.schema.collections["notes"]?.rule(of: "likes") == .counter)
    try store.close()
    let again = try DemoRun.run("store", "init", path)
    #expect(
      again.errors
        == "crdt-demo: there is something in '\(path)' already: choose a folder that is empty, or isn't there\n"
    )
    #expect(again.output == "" && again.status == 2)
  }

  @Test("refuses a schema that it does not wholly understand, and makes no store")
  func schemas() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "n", count: 1_025)
    for (text, reason) in [
      ("{", "1:2: expected a member's name in quotation marks, not the end of the text"),
      ("{}", "collections is missing"),
      (#"{"fields": {}}"#, #"1:2: there is no "fields" in a schema, only "collections""#),
      (#"{"collections": {"\#(long)": {}}}"#, "1:18: a name has more than 1024 bytes"),
      (
        #"{"collections": {"n": {"deletion": "maybe"}}}"#,
        "collections: n: deletion: Cannot initialize DeletionRule from invalid String value maybe"
      ),
    ] {
      let run = try DemoRun.run("store", "init", "\(folder.path)/s", "--schema=-", input: text)
      #expect(run.errors == "crdt-demo: -: \(reason)\n")
      #expect(run.output == "" && run.status == 2)
    }
    #expect(try folder.names() == [])
  }

  @Test("writes the fields that are given, and shows them")
  func putAndGet() throws {
    let store = try StoreRun()
    #expect(try store.output("put", "notes", "n1", #"title="Måne""#, "address.city=\"Oslo\"") == "")
    #expect(try store.output("put", "notes", "n1", #"{"address": {"zip": 1}}"#, "n=-1") == "")
    #expect(try store.output("put", "notes", "n1", "-", input: #"{"of": [{}, null]}"#) == "")
    #expect(
      try store.output("get", "notes", "n1") == """
        {
          "address": {
            "city": "Oslo",
            "zip": 1
          },
          "n": -1,
          "of": [
            {},
            null
          ],
          "title": "Måne"
        }

        """)
    #expect(try store.output("put", "notes", "n1", #"{"address": {}}"#) == "")
    #expect(try store.output("get", "notes", "n1", "address.city") == "\"Oslo\"\n")
    #expect(try store.output("put", "notes", "n1", #"address={"road": "Storgata"}"#) == "")
    #expect(
      try store.output("get", "notes", "n1", "address") == "{\n  \"road\": \"Storgata\"\n}\n")
  }

  @Test("says with status 1 what isn't there")
  func absences() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n1", "a=1")
    for (words, what) in [
      (["get", "notes", "n2"], "record 'n2' in 'notes'"),
      (["get", "tasks", "n1"], "record 'n1' in 'tasks'"),
      (["get", "notes", "n1", "b"], "field 'b' of 'n1' in 'notes'"),
      (["get", "notes", "n1", "a.b"], "field 'a.b' of 'n1' in 'notes'"),
      (["delete", "notes", "n2"], "record 'n2' in 'notes'"),
      (["restore", "notes", "n1"], "deleted record 'n1' in 'notes'"),
    ] {
      let run = try store.run(words[0], Array(words[1...]))
      #expect(run.errors == "crdt-demo: there is no \(what)\n")
      #expect(run.output == "" && run.status == 1)
    }
  }

  @Test("deletes and restores records, and lists both kinds")
  func deleting() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n1", "a=1")
    _ = try store.output("put", "notes", "two\nlines", "a=1")
    _ = try store.output("put", "tasks", "t", "{}")
    #expect(try store.output("list") == "notes\ntasks\n")
    #expect(try store.output("list", "notes") == "n1\n\"two\\nlines\"\n")
    #expect(try store.output("list", "--deleted") == "")
    #expect(try store.output("delete", "tasks", "t") == "")
    #expect(try store.output("list") == "notes\n")
    #expect(try store.output("list", "--deleted") == "tasks\n")
    #expect(try store.output("list", "--deleted", "tasks") == "t\n")
    #expect(try store.output("restore", "tasks", "t") == "")
    #expect(try store.output("list", "tasks") == "t\n")
    #expect(try store.output("list", "nothing") == "")
  }

  @Test("says with status 1 which fields a rule kept")
  func keptFields() throws {
    let store = try StoreRun(
      schema: """
        {"collections": {"c": {"fields":
          {"top": "max", "by": "firstWriterWins", "tags": "set", "n": "counter"}}}}
        """)
    let words = ["c", "r", "top=5", "by=1", #"tags=["b", "a"]"#, "n=3", "free=1"]
    #expect(try store.run("put", words).status == 0)
    // The same again is no change that a rule would keep out.
    let again = try store.run("put", words)
    #expect(again.errors == "" && again.status == 0)
    let run = try store.run("put", "c", "r", "top=4", "by={}", "n=2", "free=2")
    #expect(
      run.errors == """
        crdt-demo: top of r in c stays 5, as its rule max wants
        crdt-demo: by of r in c stays 1, as its rule firstWriterWins wants

        """)
    #expect(run.output == "" && run.status == 1)
    #expect(try store.output("get", "c", "r", "n") == "2\n")
    #expect(try store.output("get", "c", "r", "free") == "2\n")
  }

  @Test("refuses a command line that it can't understand, and touches no folder")
  func usageErrors() throws {
    let folder = try TemporaryFolder()
    let store = "\(folder.path)/s"
    let long = String(repeating: "n", count: 1_025)
    let deep = Array(repeating: "a", count: 33).joined(separator: ".")
    for (words, message) in [
      (["init"], "missing operand DIR"),
      (["init", ""], "the name of the store's folder is empty"),
      (["init", store, "x"], "extra operand 'x'"),
      (
        ["init", store, "--replica=1"],
        "invalid value '1' for '--replica': it must be sixteen hexadecimal digits"
      ),
      (["put", store, "c", "r"], "missing operand FIELD=JSON"),
      (["put", store, "c", "r", "a"], "'a' must be FIELD=JSON, or an object in JSON"),
      (
        ["put", store, "c", "r", "a=Moon"],
        "the value of 'a' is no JSON: expected a value, not 'M'; texts stand in quotation "
          + "marks, as in title='\"Moon\"'"
      ),
      (["put", store, "c", "r", "-", "-"], "the standard input can be read only once"),
      (["put", store, "c", "r", "\(deep)=1"], "a field's path has more than 32 names"),
      (
        ["put", store, "c", "r", "a=1", "a.b=2"],
        "field 'a' is given twice, or with a field within it"
      ),
      (["put", store, long, "r", "a=1"], "the name of the collection has more than 1024 bytes"),
      (["get", store, "c", long], "the name of the record has more than 1024 bytes"),
      (["get", store, "c", "r", long], "a name has more than 1024 bytes"),
      (["get", store, "c", "r", deep], "a field's path has more than 32 names"),
      (["get", store, "c", "r", "a", "b"], "extra operand 'b'"),
      (["get", store, "c", "r", "--json"], "unrecognized option '--json'"),
      (["list", store, long], "the name of the collection has more than 1024 bytes"),
      (["delete", store, "c"], "missing operand RECORD"),
      (["status", store, "c"], "extra operand 'c'"),
      (["import", store], "missing operand FILE"),
    ] {
      let run = try DemoRun.run(["store"] + words)
      #expect(
        run.errors == "crdt-demo: \(message)\nTry 'crdt-demo --help' for more information.\n")
      #expect(run.output == "" && run.status == 64)
    }
    #expect(try folder.names() == [])
  }

  @Test("refuses input that describes no records, and writes nothing")
  func badInput() throws {
    let store = try StoreRun()
    let long = String(repeating: "n", count: 1_025)
    let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    for (input, reason) in [
      ("[]", "the record's fields must be an object"),
      (#"{"a": \#(deep)}"#, "field 'a' is nested more than 31 levels deep"),
      (#"{"\#(long)": 1}"#, "a name has more than 1024 bytes"),
      (#"{"a": {"\#(long)": 1}}"#, "a name has more than 1024 bytes"),
      (
        "{",
        "the record's fields: 1:2: expected a member's name in quotation marks, not the end "
          + "of the text"
      ),
    ] {
      let run = try store.run("put", "c", "r", "-", input: input)
      #expect(run.errors == "crdt-demo: -: \(reason)\n" && run.output == "" && run.status == 2)
    }
    for (input, reason) in [
      ("[]", "1:1: the whole must be an object"),
      (#"{"c": {"r": 1}}"#, "1:13: record 'r' in 'c' must be an object"),
      (#"{"\#(long)": {}}"#, "1:2: a name has more than 1024 bytes"),
      (#"{"c": {"\#(long)": {}}}"#, "1:8: a name has more than 1024 bytes"),
      (
        #"{"c": {"r": {"f": \#(deep)}}}"#,
        "1:13: field 'f' of 'r' is nested more than 31 levels deep"
      ),
      ("{\"c\":", "1:6: expected a value, not the end of the text"),
    ] {
      let run = try store.run("import", "-", input: input)
      #expect(run.errors == "crdt-demo: -: \(reason)\n" && run.output == "" && run.status == 2)
    }
    #expect(try store.output("log") == "")
  }

  @Test("exports what convert shows, and takes it in elsewhere as one commit")
  func exchange() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n1", #"title="x""#, #"b={"$bytes": "AQI="}"#, "o={}")
    _ = try store.output("put", "notes", "n2", "{}")
    _ = try store.output("put", "tasks", "t", "t.u=[1.5, null]")
    _ = try store.output("put", "tasks", "gone", "a=1")
    _ = try store.output("delete", "tasks", "gone")
    let json = try store.output("export")
    let file = "\(store.folder.path)/all.json"
    #expect(try store.output("export", "--output", file) == "")
    #expect(try store.folder.read("all.json") == json)
    let document = "\(store.folder.path)/all.crdt"
    #expect(try DemoRun.run("convert", file, "-o", document).status == 0)
    #expect(try DemoRun.run("convert", document).output == json)

    let other = try StoreRun()
    #expect(try other.output("import", file) == "")
    #expect(try other.output("export") == json)
    #expect(try other.output("log").split(separator: "\n").count == 1)
    // What is there already isn't written again.
    #expect(try other.output("import", file) == "")
    #expect(try other.output("log").split(separator: "\n").count == 1)
    let more = #"{"notes": {"n1": {"o": {"p": 1}}, "n3": {}}}"#
    #expect(try other.output("import", "-", input: more) == "")
    #expect(
      try other.output("get", "notes", "n1", "o") == "{\n  \"p\": 1\n}\n")
    #expect(try other.output("get", "notes", "n1", "title") == "\"x\"\n")
    #expect(try other.output("list", "notes") == "n1\nn2\nn3\n")
    #expect(try other.output("log").split(separator: "\n").count == 2)
  }

  @Test("takes in what was exported at any size, in several commits, or nothing of it")
  func largeExchange() throws {
    let store = try StoreRun()
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    let records = (0..<9).map { "\"r\($0)\": {\"text\": \"\(text)\", \"n\": \($0)}" }
    let json = "{\"c\": {" + records.joined(separator: ",\n") + "}}"
    #expect(json.utf8.count > StoreCommand.importBytes)
    let file = try store.folder.write("all.json", json)
    #expect(try store.output("import", file) == "")
    #expect(try store.output("log").split(separator: "\n").count == 2)
    #expect(try store.output("get", "c", "r8", "n") == "8\n")
    #expect(try store.output("list", "c").split(separator: "\n").count == 9)
    // What is wrong at its end is found before anything is written, where it can be.
    let bad = try store.folder.write("bad.json", String(json.dropLast(2)) + ", \"s\": 1}}")
    let other = try StoreRun()
    let refused = try other.run("import", bad)
    #expect(
      refused.status == 2 && refused.errors.hasSuffix("record 's' in 'c' must be an object\n"))
    #expect(try other.output("log") == "")
  }

  @Test("says that a write restores a record that was deleted")
  func restoring() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n 1", "title=\"old\"", "a=1")
    _ = try store.output("delete", "notes", "n 1")
    let run = try store.run("put", "notes", "n 1", "a=2")
    #expect(run.status == 0 && run.output == "")
    #expect(
      run.errors
        == "crdt-demo: n 1 in notes had been deleted: this has restored it, with the fields that it had\n"
    )
    #expect(try store.output("get", "notes", "n 1", "title") == "\"old\"\n")
    #expect(try store.output("put", "notes", "n 1", "a=3") == "")
  }

  @Test("refuses numbers that it would have to change, with their places")
  func numbers() throws {
    let store = try StoreRun()
    for (word, place) in [
      ("n=9223372036854775808", "the value of 'n': 1:1: the whole number is beyond"),
      ("n=[1, 1e-400]", "the value of 'n': 1:5: the number is so close to 0"),
      (#"{"n": -9223372036854775809}"#, "the record's fields: 1:7: the whole number is beyond"),
    ] {
      let run = try store.run("put", "c", "r", word)
      #expect(run.status != 0 && run.errors.contains(place), "\(run.errors)")
    }
    let run = try store.run("import", "-", input: #"{"c": {"r": {"n": 1e-400}}}"#)
    #expect(run.status == 2 && run.errors.contains("-: 1:19: the number is so close to 0"))
    #expect(try store.output("log") == "")
  }

  @Test("finds out that a log was cut that had been closed")
  func cutLog() throws {
    let store = try StoreRun()
    for number in 1...3 { _ = try store.output("put", "notes", "n", "a=\(number)") }
    #expect(try store.run("verify").status == 0)
    let segment = "\(store.path)/segments/0000000000000001.segment"
    let bytes = try FileReader.read(segment, sizeMax: 1 << 20)
    for count in [bytes.count - 1, bytes.count * 2 / 3, bytes.count / 2] {
      try FileWriter.write(Array(bytes.prefix(count)), to: segment)
      let run = try store.run("verify")
      #expect(run.status == 1, "\(count)")
      #expect(run.output.contains("when the store was last closed\n"), "\(run.output)")
    }
  }

  @Test("shows the log's changes, a line each")
  func logging() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n1", "a=1")
    _ = try store.output(
      "import", "-", input: #"{"c": {"1": {}, "2": {}, "3": {}, "4 ": {}, "5": {}}}"#)
    let lines = try store.output("log").split(separator: "\n")
    try #require(lines.count == 2)
    let columns = lines[0].split(separator: "  ")
    #expect(columns.count == 5)
    #expect(columns[0].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    #expect(columns[1].wholeMatch(of: /1:\d+/) != nil)
    #expect(columns[2].wholeMatch(of: /\d+ bytes/) != nil)
    #expect(columns[3...] == ["00000000000000aa:2", "notes/n1"])
    #expect(lines[1].hasSuffix(#"  c/1 c/2 c/3 c/"4 " and 1 more"#))
    for line in try store.output("log", "--json").split(separator: "\n") {
      let value = try JSONText(parsing: Array(line.utf8)).documentValue()
      guard case .object(let members) = value else {
        Issue.record("no object: \(line)")
        continue
      }
      #expect(
        Set(members.keys) == ["time", "segment", "offset", "batchBytes", "version", "records"])
    }
  }

  @Test("finds damage, and saves what is whole")
  func damage() throws {
    let store = try StoreRun()
    for number in 1...4 { _ = try store.output("put", "notes", "n\(number)", "a=\(number)") }
    let sound = try store.output("verify")
    #expect(sound.hasPrefix("sound: 2 files, ") && sound.contains(" 4 changes\ndocument "))
    let segment = try #require(try Self.files(in: "\(store.path)/segments").first)
    let bytes = try FileReader.read(segment, sizeMax: 1 << 20)
    var damaged = bytes
    damaged[bytes.count / 2] ^= 0x10
    try FileWriter.write(damaged, to: segment)

    let found = try store.run("verify")
    #expect(found.status == 1 && found.errors == "")
    #expect(found.lines.first?.hasPrefix("\(segment), byte ") == true)
    #expect(found.lines.last?.hasPrefix("damaged in 1 place: ") == true)
    let refused = try store.run("get", "notes", "n1")
    #expect(refused.status == 2 && refused.output == "")
    #expect(refused.errors.hasSuffix("; salvage the store to save what is whole\n"))

    let saved = try store.output("salvage").split(separator: "\n")
    #expect(saved.contains { $0.hasPrefix("damaged: \(segment), byte ") })
    #expect(saved.contains { $0.hasPrefix("set aside: \(store.path)/quarantine/") })
    #expect(saved.last?.wholeMatch(of: /replica [0-9a-f]{16}/) != nil)
    #expect(try store.output("get", "notes", "n1", "a") == "1\n")
    #expect(try store.output("verify").hasPrefix("sound: "))
  }

  private static func files(in folder: String) throws -> [String] {
    let names = try DemoRun.run("/bin/ls", [folder])
    return names.lines.map { "\(folder)/\($0)" }
  }

  @Test("says what it found odd about a store that it writes to")
  func oddStores() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n", "a=1")
    let copy = "\(store.folder.path)/copy"
    #expect(try DemoRun.run("/bin/cp", ["-r", store.path, copy]).status == 0)
    let copied = try DemoRun.run("store", "put", copy, "notes", "n", "b=1")
    let line =
      /crdt-demo: .*\/copy: this folder is a copy or a restored backup: it writes as replica ([0-9a-f]{16}) now, not ([0-9a-f]{16})\n/
    let names = try #require(copied.errors.wholeMatch(of: line))
    #expect(names.2 == "00000000000000aa" && names.1 != names.2)
    #expect(copied.status == 0)
    #expect(!(try DemoRun.run("store", "status", copy).output.contains("00000000000000aa")))

    let segment = try #require(try Self.files(in: "\(store.path)/segments").first)
    let bytes = try FileReader.read(segment, sizeMax: 1 << 20)
    try FileWriter.write(bytes + [9, 0, 0], to: segment)
    #expect(try store.output("get", "notes", "n", "a") == "1\n")
    #expect(
      try store.output("verify").hasPrefix(
        "3 bytes at the end are no whole commit: they were being written"))
    let torn = try store.run("put", "notes", "n", "b=1")
    #expect(
      torn.errors == "crdt-demo: \(store.path): set aside 3 bytes at its end, no whole commit\n")
    #expect(torn.status == 0)
    #expect(try store.output("verify").hasPrefix("sound: "))
  }

  @Test("does what the program's page shows")
  func readme() throws {
    let transcript = try ReadmeTranscript(section: "The store from a shell")
    #expect(transcript.trouble == "" && transcript.actual == transcript.expected)
  }

  @Test("compacts a store, and keeps all that it shows")
  func compacting() throws {
    let store = try StoreRun()
    for number in 1...3 { _ = try store.output("put", "notes", "n", "a=\(number)") }
    let json = try store.output("export")
    let sizes = try store.output("compact")
    #expect(sizes.wholeMatch(of: /[\d,]+ bytes before, [\d,]+ after\n/) != nil)
    #expect(try store.output("export") == json)
    #expect(try store.output("status").contains("\nsnapshots  1, "))
  }

  private static let onStores: [(words: [String], writes: Bool)] = [
    (["put", "c", "r", "a=1"], true), (["get", "c", "r"], false), (["list"], false),
    (["delete", "c", "r"], true), (["restore", "c", "r"], true), (["status"], false),
    (["log"], false), (["verify"], false), (["salvage"], true), (["compact"], true),
    (["export"], false), (["import", "-"], true),
  ]

  /// Only to those who read it: others may end before it is written.
  private static func input(of words: [String]) -> String {
    words.last == "-" ? "{}" : ""
  }

  @Test("has trouble where there is no store, and makes none")
  func missingStores() throws {
    let folder = try TemporaryFolder()
    for (words, _) in Self.onStores {
      let path = "\(folder.path)/none"
      let run = try DemoRun.run(
        ["store", words[0], path] + words[1...], input: Self.input(of: words))
      #expect(run.errors == "crdt-demo: there is no store in '\(path)': create one first\n")
      #expect(run.output == "" && run.status == 2)
    }
    #expect(try folder.names() == [])
  }

  /// Those that read all of a store at once, and need nothing more of it.
  private static let besideWriters = ["get", "list", "status", "export", "log"]

  @Test("has trouble where somebody else writes, but reads; and reads beside who reads")
  func openStores() throws {
    let store = try StoreRun()
    let writer = try Store.open(at: store.path)
    for number in 1...3 {
      try writer.edit { $0.set("a", of: "n\(number)", in: "notes", to: 1) }
      #expect(try store.output("list", "notes").split(separator: "\n").count == number)
    }
    for (words, _) in Self.onStores {
      let run = try store.run(words[0], Array(words[1...]), input: Self.input(of: words))
      guard !Self.besideWriters.contains(words[0]) else {
        #expect(run.status != 2 && !run.errors.contains("open already"))
        continue
      }
      #expect(
        run.errors
          == "crdt-demo: the store in '\(store.path)' is open already: close it there first\n")
      #expect(run.output == "" && run.status == 2)
    }
    try writer.close()
    var options = Store.Options.standard
    options.access = .readOnly
    let reader = try Store.open(at: store.path, options: options)
    for (words, writes) in Self.onStores {
      let run = try store.run(words[0], Array(words[1...]), input: Self.input(of: words))
      #expect((run.status == 2) == writes, "\(words): \(run.errors)")
    }
    try reader.close()
  }
}
