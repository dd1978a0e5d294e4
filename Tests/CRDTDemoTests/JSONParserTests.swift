import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("The JSON parser")
struct JSONParserTests {
  private func parse(_ text: String) throws -> JSONText { try JSONText(parsing: Array(text.utf8)) }

  /// The failure of a text, or that there is none.
  private func failure(_ bytes: [UInt8]) -> String {
    do throws(JSONFailure) {
      _ = try JSONText(parsing: bytes)
      return "no failure"
    } catch {
      return error.description
    }
  }

  static let sample = """
    {"a\\n\\u00e9": [1, -0.5e+3,\ttrue ,null], "\u{E9}\u{1F600}": {"x":"\\ud83d\\ude00\\/"},\r
     "b": false, "": [] , "c": {} }

    """

  @Test("takes what RFC 8259 allows")
  func accepted() throws {
    let texts = [
      "null", " true", "false\n", "0", "-0", "-0.0", "1e5", "1E+5", "1e-5", "123.456e78",
      "\"\"", "\"\u{7F}\u{2028}\u{FFFF}\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uFFFF\"",
      "\"\\uD834\\uDD1E\"", "[]", "[ ]", "[[],[[]]]", "{}", "{ }", "{\"\":0}", "\t\n\r [ 1 , 2 ] ",
      "{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":1}]}", "[1e9999999999999999999999]",
      Self.sample,
    ]
    for text in texts {
      #expect(throws: Never.self, "\(text)") { try parse(text) }
    }
  }

  @Test("refuses everything else, and says where and why")
  func refused() {
    let cases: [(text: String, failure: String)] = [
      ("", "1:1: expected a value, not the end of the text"),
      (" \n ", "2:2: expected a value, not the end of the text"),
      ("nul", "1:1: expected a value, not 'n'"),
      ("True", "1:1: expected a value, not 'T'"),
      ("NaN", "1:1: expected a value, not 'N'"),
      ("'a'", "1:1: expected a value, not '''"),
      ("\u{E9}", "1:1: expected a value, not '\u{E9}'"),
      ("\u{0}", "1:1: expected a value, not the control character 0"),
      ("// x\n1", "1:1: expected a value, not '/'"),
      ("1 2", "1:3: '2' after the end of the value"),
      ("[1]]", "1:4: ']' after the end of the value"),
      ("01", "1:2: a number begins with a needless 0"),
      ("-01", "1:3: a number begins with a needless 0"),
      ("-", "1:2: expected a digit, not the end of the text"),
      ("+1", "1:1: expected a value, not '+'"),
      (".5", "1:1: expected a value, not '.'"),
      ("1.", "1:3: expected a digit, not the end of the text"),
      ("1.e5", "1:3: expected a digit, not 'e'"),
      ("1e", "1:3: expected a digit, not the end of the text"),
      ("1e+", "1:4: expected a digit, not the end of the text"),
      ("0x1", "1:2: 'x' after the end of the value"),
      ("-Infinity", "1:2: expected a digit, not 'I'"),
      ("[1,]", "1:4: a comma stands before ']'"),
      ("[,1]", "1:2: expected a value, not ','"),
      ("[1 2]", "1:4: expected ',' or ']' in the array, not '2'"),
      ("[1", "1:3: expected ',' or ']' in the array, not the end of the text"),
      ("[", "1:2: expected a value, not the end of the text"),
      ("[1}", "1:3: expected ',' or ']' in the array, not '}'"),
      ("{\"a\":1,}", "1:8: a comma stands before '}'"),
      ("{\"a\" 1}", "1:6: expected ':', not '1'"),
      ("{\"a\":}", "1:6: expected a value, not '}'"),
      ("{a:1}", "1:2: expected a member's name in quotation marks, not 'a'"),
      ("{1:1}", "1:2: expected a member's name in quotation marks, not '1'"),
      ("{\"a\":1 \"b\":2}", "1:8: expected ',' or '}' in the object, not '\"'"),
      ("{\r\n \"a\": 1,\r\n \"\u{E9}\": 2, \"a\": 3}", "3:10: the name \"a\" occurs twice"),
      ("{\"a\":1,\"\\u0061\":2}", "1:8: the name \"\\u0061\" occurs twice"),
      ("\"a", "1:1: the string doesn't end"),
      ("[\"a\\\"]", "1:2: the string doesn't end"),
      ("\"a\tb\"", "1:3: the control character 9 must be escaped in a string"),
      ("\"a\nb\"", "1:3: the control character 10 must be escaped in a string"),
      ("\"\\x\"", "1:3: a backslash stands before 'x'"),
      ("\"\\", "1:3: a backslash stands before the end of the text"),
      ("\"\\u12G4\"", "1:6: expected a hexadecimal digit, not 'G'"),
      ("\"\\u12", "1:6: expected a hexadecimal digit, not the end of the text"),
      ("\"\\ud800\"", "1:2: the escape is half of a pair of surrogates"),
      ("\"\\ud800\\u0041\"", "1:2: the escape is half of a pair of surrogates"),
      ("\"\\udc00\\ud800\"", "1:2: the escape is half of a pair of surrogates"),
      ("\u{FEFF}1", "1:1: JSON doesn't begin with a byte order mark"),
      ("\r\r\n\n[1,\r\u{E9}\"", "5:1: expected a value, not '\u{E9}'"),
    ]
    for (text, expected) in cases {
      #expect(failure(Array(text.utf8)) == expected, "\(text.debugDescription)")
    }
  }

  @Test("refuses bytes that are not UTF-8")
  func encodings() {
    let cases: [(bytes: [UInt8], column: Int)] = [
      ([0x22, 0xFF, 0x22], 2), ([0x22, 0x61, 0xC3], 3), ([0x22, 0xC0, 0x80, 0x22], 2),
      ([0x22, 0xED, 0xA0, 0x80, 0x22], 2), ([0x22, 0xC3, 0xA9, 0xF5, 0x22], 3),
      ([0xFF, 0xFE, 0x31, 0], 1),
    ]
    for (bytes, column) in cases {
      #expect(failure(bytes) == "1:\(column): this is not UTF-8", "\(bytes)")
    }
  }

  @Test("bounds nesting, names and size")
  func bounds() throws {
    func nested(_ levels: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
    }
    #expect(throws: Never.self) { try parse(nested(128, "[", "]")) }
    #expect(throws: Never.self) { try parse(nested(128, "{\"a\":", "}")) }
    let tooDeep = "more than 128 arrays and objects stand in one another"
    #expect(failure(Array(nested(129, "[", "]").utf8)) == "1:129: \(tooDeep)")
    #expect(failure(Array(nested(100_000, "[", "").utf8)) == "1:129: \(tooDeep)")
    #expect(failure(Array(nested(129, "{\"a\":", "}").utf8)) == "1:641: \(tooDeep)")
    let name = String(repeating: "a", count: 1_022)
    #expect(throws: Never.self) { try parse("{\"\(name)\u{E9}\":1}") }
    #expect(throws: Never.self) { try parse("{\"\(name)\(name)\":1}") }
    #expect(
      failure(Array("{\"\(name)a\\u00e9\":1}".utf8))
        == "1:2: a name beyond ASCII is longer than 1024 bytes")
    let big = [UInt8](repeating: 0x20, count: 33 << 20) + [0x31]
    #expect(throws: Never.self) { try JSONText(parsing: big) }
  }

  @Test("gives every value its place, and strings as they read")
  func places() throws {
    let text = try parse(Self.sample)
    let members = try #require(text.root.members)
    #expect(members.map(\.name) == ["a\n\u{E9}", "\u{E9}\u{1F600}", "b", "", "c"])
    let spellings = members.map { String(decoding: text.bytes(of: $0.value), as: UTF8.self) }
    #expect(
      spellings == [
        "[1, -0.5e+3,\ttrue ,null]", "{\"x\":\"\\ud83d\\ude00\\/\"}", "false", "[]", "{}",
      ])
    let inner = try #require(members[1].value.members?.first)
    #expect(text.string(of: inner.value) == "\u{1F600}/")
    let elements = try #require(members[0].value.elements)
    #expect(String(decoding: text.bytes(of: elements[1]), as: UTF8.self) == "-0.5e+3")
  }

  @Test("never traps, however a text is cut or damaged, and stays in it with its places")
  func damage() {
    let sample = Array(Self.sample.utf8)
    var accepted = 0
    func check(_ bytes: [UInt8]) {
      do throws(JSONFailure) {
        let text = try JSONText(parsing: bytes)
        accepted += 1
        _ = try text.documentValue()
        _ = try text.value(numbers: .exact)
      } catch {
        if error.line < 1 || error.column < 1 || error.column > bytes.count + 1 {
          Issue.record("\(error) in \(bytes)")
        }
      }
    }
    for end in sample.indices { check(Array(sample[..<end])) }
    for place in sample.indices {
      var bytes = sample
      for byte in UInt8.min...UInt8.max {
        bytes[place] = byte
        check(bytes)
      }
      for length in 1...3 where place + length <= sample.count {
        bytes = sample
        bytes.removeSubrange(place..<place + length)
        check(bytes)
        bytes = sample
        bytes.insert(contentsOf: sample[place..<place + length], at: place)
        check(bytes)
      }
    }
    var random = SeededGenerator(seed: 11)
    let alphabet = Array("{}[]\",:\\u0e-.1 \n".utf8) + [0xC3, 0xA9, 0xED, 0xFF]
    for _ in 0..<3_000 {
      let length = Int.random(in: 0...12, using: &random)
      check((0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 })
    }
    #expect(accepted > 1_000)
  }
}
