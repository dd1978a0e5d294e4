import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("store export")
struct StoreExportTests {
  /// A document of some collections, written by hand beside what it is exported as.
  @Test("is an object of collections of records of fields, names in order")
  func form() {
    var document = Document()
    document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))) { edit in
      edit.create("empty", in: "a")
      edit.set("list", of: "r\n", in: "b", to: [1, "x", []])
      edit.set("o", of: "r\n", in: "b", to: ["k": .null])
      edit.set("last", of: "z", in: "b", to: 1.5)
    }
    var pieces: [String] = []
    document.writeJSON { pieces.append($0) }
    #expect(
      pieces.joined() == #"""
        {
          "a": {
            "empty": {}
          },
          "b": {
            "r\n": {
              "list": [
                1,
                "x",
                []
              ],
              "o": {
                "k": null
              }
            },
            "z": {
              "last": 1.5
            }
          }
        }

        """#)
    var nothing = ""
    Document().writeJSON { nothing += $0 }
    #expect(nothing == "{}\n")
  }

  @Test("comes in pieces of a record at most, and what they are reads as the same document")
  func pieces() throws {
    for seed in 0..<UInt64(isLongRun ? 100 : 10) {
      var random = SeededGenerator(seed: seed)
      var document = Document()
      document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))) { edit in
        for number in 0..<200 {
          let text = String(repeating: "é\"", count: Int.random(in: 0..<40, using: &random))
          let collection = "c\(Int.random(in: 0..<4, using: &random))"
          edit.set("text", of: "r\(number)", in: collection, to: .string(text))
          edit.set("b", of: "r\(number)", in: collection, to: .bytes([UInt8(number)]))
        }
        edit.delete("r0", in: "c0")
      }
      var (text, longest) = ("", 0)
      document.writeJSON { piece in
        text += piece
        longest = max(longest, piece.utf8.count)
      }
      #expect(longest < 300, "seed \(seed)")
      let value = try JSONText(parsing: Array(text.utf8)).documentValue()
      let read = try Document(json: value)
      #expect(read.collections == document.collections, "seed \(seed)")
      for collection in document.collections {
        let records = document.records(in: collection)
        #expect(read.records(in: collection) == records, "seed \(seed)")
        for record in records {
          let fields = document.fields(of: record, in: collection)
          #expect(read.fields(of: record, in: collection) == fields, "seed \(seed), \(record)")
        }
      }
    }
  }

  @Test("of many records is taken in elsewhere as it is, from a file and from a pipe")
  func manyRecords() throws {
    let store = try StoreRun()
    // Several times as much as is written at once.
    let filler = String(repeating: "x", count: 400)
    let records = (0..<2_500).map { #""r\#($0)": {"n": \#($0), "t": "\#(filler)"}"# }
    let source = try store.folder.write(
      "many.json", #"{"many": {\#(records.joined(separator: ","))}}"#)
    _ = try store.output("import", source)
    let json = try store.output("export")
    #expect(json.utf8.count > 1 << 20)
    let file = "\(store.folder.path)/all.json"
    #expect(try store.output("export", "--output", file) == "")
    #expect(try store.folder.read("all.json") == json)
    let (other, third) = (try StoreRun(), try StoreRun())
    #expect(try other.output("import", file) == "")
    #expect(try other.output("export") == json)
    let demo = try DemoRun.path()
    let piped = try DemoRun.run(
      "/bin/sh",
      ["-c", "'\(demo)' store export '\(store.path)' | '\(demo)' store import '\(third.path)' -"])
    #expect(piped.status == 0 && piped.errors == "")
    #expect(try third.output("export") == json)
  }

  @Test("says so where it can't be written, and leaves the file that was there")
  func unwritable() throws {
    let store = try StoreRun()
    _ = try store.output("put", "notes", "n", "a=1")
    let run = try store.run("export", "--output", "\(store.folder.path)/none/all.json")
    #expect(run.status == 2 && run.errors.contains("none/all.json"))
    let full = try store.run("export", "--output", "/dev/full")
    #expect(full.status == 2 && full.errors == "crdt-demo: /dev/full: No space left on device\n")
  }
}
