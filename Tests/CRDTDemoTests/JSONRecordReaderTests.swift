import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Records of JSON that is read piece by piece")
struct JSONRecordReaderTests {
  private typealias Records = [String: [String: Document.Value]]

  /// The records of a text that comes in pieces of a size; a failure's words.
  private func read(_ text: [UInt8], pieces size: Int) -> (records: Records, failure: String?) {
    var rest = text[...]
    var reader = JSONRecordReader { bytes in
      bytes += rest.prefix(size)
      defer { rest = rest.dropFirst(size) }
      return !rest.isEmpty
    }
    var records: Records = [:]
    do throws(CommandFailure) {
      while let (id, fields) = try reader.next() {
        records["\(id.collection)/\(id.record)"] = fields
      }
      return (records, nil)
    } catch {
      return (records, error.description)
    }
  }

  @Test("are those that the whole has, wherever the pieces are cut")
  func pieces() throws {
    let text = """
      \u{FEFF} {"a" : {"r\\u0031":{"x":[1,{"y":"}\\"]"}],"é":"\\\\"},
        "r2":{}} , "b":{}
      , "c":{"\\"":{"n":-1.5e3 , "t":{"$bytes":"AQI="}}} }

      """
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      let (records, failure) = read(bytes, pieces: size)
      #expect(failure == nil, "\(size)")
      #expect(
        records == [
          "a/r1": ["x": [1, ["y": "}\"]"]], "é": "\\"], "a/r2": [:],
          "c/\"": ["n": .double(-1_500), "t": .bytes([1, 2])],
        ], "\(size)")
    }
  }

  @Test(
    "A record or name that doesn't end is refused when it is too long, with its place",
    arguments: [
      ("{\n\"", "2:1"), ("{\"c\":{\"", "1:7"), ("{\"c\":{\"r\": [", "1:12"),
      ("{\"c\":{\"r\":{\"f\":\"", "1:11"),
    ])
  func endless(beginning: String, place: String) {
    var rest = Array(beginning.utf8)
    var asked = 0
    var reader = JSONRecordReader(recordBytesMax: 10_000) { bytes in
      asked += 1
      bytes += rest + Array(repeating: UInt8(ascii: "1"), count: 100)
      rest = []
      return true
    }
    do throws(CommandFailure) {
      _ = try reader.next()
      Issue.record("it was read")
    } catch {
      #expect(
        error.description
          == "\(place): a record or name begins here that has more than 10000 bytes")
    }
    #expect(asked <= 101)
  }

  @Test("What is wrong is told with its place in the whole text")
  func failures() {
    let cases = [
      ("", "1:1: expected a value, not the end of the text"),
      (" []", "1:2: the whole must be an object"),
      ("{\n\"c\": 1}", "2:6: collection 'c' must be an object"),
      ("{\"c\": {\"r\": {},\r\n \"r\": {}}}", "2:2: the name \"r\" occurs twice"),
      ("{\"c\": {}, \"c\": {}}", "1:11: the name \"c\" occurs twice"),
      (
        "{\"\u{E9}\": {}, \"e\u{301}\": {}}",
        "1:11: another name in the object is the same text in another spelling"
      ),
      ("{\"c\": {\"r\": {\n\n  \"a\": 01}}}", "3:9: a number begins with a needless 0"),
      ("{\"c\": {\"r\": {\"a\": 1]}}", "1:20: expected ',' or '}' in the object, not ']'"),
      (
        "{\"c\": {\"r\": {\"a\": 1}",
        "1:21: expected ',' or '}' in the object, not the end of the text"
      ),
      ("{\"c\": {\"r\": {\"a\": \"x", "1:19: the string doesn't end"),
      ("{\"c\": {\"r\": ,", "1:13: expected a value, not ','"),
      ("{\"c\": {\"r\" {}}}", "1:12: expected ':', not '{'"),
      ("{\"c\": {r", "1:8: expected a member's name in quotation marks, not 'r'"),
      ("{\"c\": {},}", "1:10: a comma stands before '}'"),
      ("{} {", "1:4: '{' after the end of the value"),
      (
        "{\"c\": {\"\u{1F600}\": {\"a\": 1,\n\"b\": [1e-400]}}}",
        "2:7: the number is so close to 0 that a Double can't hold it"
      ),
      (
        "{\"c\": {\"r\": {\"a\": 9223372036854775808}}}",
        "1:19: the whole number is beyond what Int64 holds: write it as a text, or with a point"
      ),
    ]
    for (text, reason) in cases {
      for size in [1, 2, 7, 1_000] {
        #expect(read(Array(text.utf8), pieces: size).failure == reason, "\(text)")
      }
    }
  }

  @Test("Whatever byte is changed, it is taken or refused as the whole text is")
  func damage() {
    let text = Array(#"{"a": {"r": {"x": [1, "\u00e9"]}, "s": {}}, "b": {"t": {"y": null}}}"#.utf8)
    var random = SeededGenerator(seed: 7)
    for place in text.indices {
      for _ in 0..<12 {
        var changed = text
        changed[place] = #"{}[]":,\ a1"#.utf8.randomElement(using: &random) ?? 0
        let isRead = read(changed, pieces: 5).failure == nil
        let document = try? Document(json: JSONText(parsing: changed).documentValue())
        #expect(isRead == (document != nil), "\(String(decoding: changed, as: UTF8.self))")
      }
    }
  }
}
