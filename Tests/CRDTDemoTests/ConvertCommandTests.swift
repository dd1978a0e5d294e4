import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo convert")
struct ConvertCommandTests {
  @Test("makes a document of JSON, and the same JSON of the document")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let json = """
      {
        "notes": {
          "n1": {
            "address": {
              "city": "Oslo",
              "lines": [
                1,
                {
                  "$bytes": "AQID"
                },
                null
              ]
            },
            "title": "Måne"
          },
          "n2": {}
        },
        "tasks": {
          "t": {
            "done": false,
            "size": -1.5
          }
        }
      }

      """
    let source = try folder.write("notes.json", json)
    let made = try DemoRun.run(
      "convert", source, "-o", "\(folder.path)/notes.crdt")
    #expect(made.status == 0, "\(made.errors)")
    let shown = try DemoRun.run("convert", "\(folder.path)/notes.crdt")
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output == json)
  }

  @Test("shows a document that replicas have merged")
  func merged() throws {
    var document = Document()
    document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))) { edit in
      edit.set("a.b", of: "r", in: "c", to: 1)
    }
    var other = document
    other.edit(at: HybridTimestamp(milliseconds: 2, replica: ReplicaID(2))) { edit in
      edit.set("a.c", of: "r", in: "c", to: ["x"])
    }
    document.merge(other)
    var text = ""
    document.writeJSON { text += $0 }
    #expect(text.filter { !$0.isWhitespace } == #"{"c":{"r":{"a":{"b":1,"c":["x"]}}}}"#)
  }

  @Test("refuses what describes no document, and says why")
  func refusals() throws {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    let long = String(repeating: "n", count: 2_000)
    for (input, reason) in [
      ("[]", "the whole must be an object"),
      (#"{"c": 1}"#, "collection 'c' must be an object"),
      (#"{"c": {"r": null}}"#, "record 'r' in 'c' must be an object"),
      (#"{"c": {"r": {"f": \#(deep)}}}"#, "field 'f' of 'r' is nested more than 31 levels deep"),
      (#"{"c": {"\#(long)": {}}}"#, "a name has more than 1024 bytes"),
    ] {
      let run = try DemoRun.run("convert", "-", input: input)
      #expect(run.errors == "crdt-demo: -: \(reason)\n")
      #expect(run.output == "" && run.status == 2)
    }
    let torn = try DemoRun.run("convert", "-", input: "{\"c\":")
    #expect(torn.status == 2 && torn.output == "")
    let missing = try DemoRun.run("convert", "/nowhere.crdt")
    #expect(missing.errors == "crdt-demo: /nowhere.crdt: No such file or directory\n")
    #expect(try DemoRun.run("convert").status == 64)
  }
}
