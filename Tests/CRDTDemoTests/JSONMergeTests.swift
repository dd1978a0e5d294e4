import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Merging JSON texts")
struct JSONMergeTests {
  private func side(_ text: String) throws -> JSONSide {
    try JSONSide(JSONText(parsing: Array(text.utf8), allowsMark: true))
  }

  private func merge(
    _ base: String?, _ ours: String, _ theirs: String, rules: [FieldPath: Schema.FieldRule] = [:],
    deletion: Schema.DeletionRule? = nil
  ) throws -> (text: String, conflicts: [String]) {
    let merge = JSONMerge(
      base: try base.map(side), ours: try side(ours), theirs: try side(theirs),
      rules: Schema.Collection(fields: rules), deletion: deletion)
    return (
      String(decoding: merge.text, as: UTF8.self), merge.conflicts.map(\.path.description)
    )
  }

  @Test("keeps a byte order mark, which is no indentation, unless one side took it away")
  func marks() throws {
    let mark = "\u{FEFF}"
    let base = "{\n  \"a\": 1,\n  \"b\": {}\n}"
    let ours = base.replacing("1", with: "2")
    let theirs = base.replacing("{}", with: "{\"c\": [3]}")
    let merged = "{\n  \"a\": 2,\n  \"b\": {\n    \"c\": [3]\n  }\n}"
    for (before, our, their, after) in [
      (true, true, true, true), (false, true, false, true), (false, false, true, true),
      (true, false, true, false), (true, true, false, false),
    ] {
      let (text, conflicts) = try merge(
        (before ? mark : "") + base, (our ? mark : "") + ours, (their ? mark : "") + theirs)
      #expect(Array(text.utf8) == Array(((after ? mark : "") + merged).utf8))
      #expect(conflicts.isEmpty)
    }
    let added = try merge(nil, mark + "{\"a\": 1}", "{\"b\": 2}")
    #expect(Array(added.text.utf8) == Array((mark + "{\"b\": 2, \"a\": 1}").utf8))
  }

  @Test("puts what they changed into our text, and leaves the rest as it is")
  func leaves() throws {
    let base = #"{"a": 1, "b": {"c": [1,2], "d": 1.50}, "e": "x", "f": null}"#
    let ours = """
      {
      \t"f" : null ,   "e":"\\u0078",

        "b": { "c": [1,
          2], "d": 1.50}, "a": 5
      }  \n\n
      """
    let theirs = #"{"a": 1, "b": {"c": [ 1, 3 ], "d": 1.50}, "e": "y", "f": null}"#
    let merged = try merge(base, ours, theirs)
    #expect(
      merged.text == """
        {
        \t"f" : null ,   "e":"y",

          "b": { "c": [
          \t1,
          \t3
          ], "d": 1.50}, "a": 5
        }  \n\n
        """)
    #expect(merged.conflicts == [])
  }

  @Test("adds members after the neighbour they have in their text, indented as ours")
  func additions() throws {
    let base = """
      {
        "a": 1,
        "m": {},
        "z": 9
      }

      """
    let ours = """
      {
          "a": 1,
          "b": 2,
          "m": {},
          "z": 10
      }

      """
    let theirs = """
      {
        "first": true,
        "a": 1,
        "a1": [1, 2],
        "a2": {
          "x": [],
          "y": {
            "z": {}
          }
        },
        "m": {
          "n": 1,

          "o": [
            1,
            2
          ]
        },
        "z": 9,
        "last": "\\u00e9"
      }

      """
    #expect(
      try merge(base, ours, theirs) == (
        """
        {
            "first": true,
            "a": 1,
            "a1": [1, 2],
            "a2": {
                "x": [],
                "y": {
                    "z": {}
                }
            },
            "b": 2,
            "m": {
                "n": 1,
                "o": [
                    1,
                    2
                ]
            },
            "z": 10,
            "last": "\\u00e9"
        }

        """, []
      ))
  }

  @Test("keeps to one line, to line ends and to bare texts as ours does")
  func layouts() throws {
    let cases: [(base: String, ours: String, theirs: String, merged: String)] = [
      (
        #"{"a":1}"#, #"{"a":2}"#, "{\n \"a\": 1,\n \"b\": {\n  \"c\": [\n   1,\n   2\n  ]\n }\n}",
        #"{"a":2,"b":{"c":[1,2]}}"#
      ),
      (
        #"{"a": 1}"#, #"{"a": 2}"#, #"{"a":1,"b":2}"#,
        #"{"a": 2, "b": 2}"#
      ),
      (#"{ "a": 1 }"#, #"{ "a": 2 }"#, #"{"b":0,"a":1}"#, #"{ "b": 0, "a": 2 }"#),
      (
        "{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"a\": 2\r\n}\r\n", "{\"a\": 1, \"b\": {\"c\": 1}}",
        "{\r\n\t\"a\": 2,\r\n\t\"b\": {\r\n\t\t\"c\": 1\r\n\t}\r\n}\r\n"
      ),
      (
        "{\n  \"a\": {}\n}", "{\n  \"a\": { },\n  \"z\": 1\n}", "{\n  \"a\": {\"b\": 1}\n}",
        "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"z\": 1\n}"
      ),
      (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":2,"c":4}"#, #"{"c":3}"#, #"{"c":4}"#),
      (
        "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n}",
        "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 4\n}",
        "{\n  \"b\": 2\n,\n  \"c\": 3}", "{\n  \"b\": 2,\n  \"c\": 4\n}"
      ),
      (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":1}"#, "{}"),
      (#"{"a":{"b":1}}"#, #"{"a":{"b":1},"c":2}"#, #"{"a":{}}"#, #"{"a":{},"c":2}"#),
      (" 1 ", " 1 \n", "2", " 2 \n"),
      (
        "[{\n  \"a\": 1\n}]", "[{\n  \"a\": 1\n}]\n", "[{\"a\": 2}]",
        "[\n  {\n    \"a\": 2\n  }\n]\n"
      ),
    ]
    for (base, ours, theirs, expected) in cases {
      let merged = try merge(base, ours, theirs)
      #expect(merged == (expected, []), "\(base)\n\(ours)\n\(theirs)")
    }
  }

  @Test("keeps numbers and strings as they are spelled, and takes their new spelling")
  func spellings() throws {
    let base = #"{"n": 12345678901234567890, "p": 0.10, "s": "\u00e9", "t": ["e\u0301"], "x": 1}"#
    let ours = #"{"n": 12345678901234567890, "p": 0.10, "s": "\u00e9", "t": ["e\u0301"], "x": 2}"#
    let theirs =
      "{\"n\": 12345678901234567890, \"p\": 0.1, \"s\": \"\u{E9}\", \"t\": [ \"\u{E9}\" ], \"x\": 1}"
    let merged = try merge(base, ours, theirs)
    let expected =
      "{\"n\": 12345678901234567890, \"p\": 0.1, \"s\": \"\u{E9}\", \"t\": [\"\u{E9}\"], \"x\": 2}"
    #expect(Array(merged.text.utf8) == Array(expected.utf8))
    #expect(merged.conflicts == [])
    // A name too; and what we spelled anew ourselves stays ours.
    let names = try merge(
      "{\"e\u{301}\": 1, \"b\": 1.0}", "{\"e\u{301}\": 1, \"b\": 1.00, \"c\": 1}",
      "{\"\u{E9}\": 1, \"b\": 1e0}")
    #expect(Array(names.text.utf8) == Array("{\"\u{E9}\": 1, \"b\": 1.00, \"c\": 1}".utf8))
    // No Double tells these apart, but they are a change.
    let numbers = try merge(
      #"{"n": 12345678901234567890, "a": 1}"#, #"{"n": 12345678901234567890, "a": 2}"#,
      #"{"n": 12345678901234567891, "a": 1}"#)
    #expect(numbers == (#"{"n": 12345678901234567891, "a": 2}"#, []))
    let conflict = try merge(
      #"{"n": 0.1}"#, #"{"n": 0.12345678901234567890}"#, #"{"n": 0.12345678901234567891}"#)
    #expect(conflict == (#"{"n": 0.12345678901234567890}"#, ["n"]))
  }

  @Test("follows the rules, and lays out what they make of arrays")
  func rules() throws {
    let rules: [FieldPath: Schema.FieldRule] = ["tags": .set, "likes": .counter, "top": .max]
    let merged = try merge(
      #"{"tags": ["a", "b"], "likes": 5, "top": 1.5}"#,
      "{\n  \"tags\": [\n    \"c\", \"b\",\n    \"a\"\n  ],\n  \"likes\": 7,\n  \"top\": 2\n}",
      #"{"tags": ["x", "b", {"y": [1]}], "likes": 4, "top": 2.50}"#, rules: rules)
    #expect(
      merged == (
        """
        {
          "tags": [
            "c", "b",
            "x",
            {
              "y": [
                1
              ]
            }
          ],
          "likes": 6,
          "top": 2.50
        }
        """, []
      ))
    // What has no place in the order of numbers is left to people.
    let big = #"{"top": 12345678901234567891}"#
    #expect(
      try merge(#"{"top": 1}"#, #"{"top": 2}"#, big, rules: rules) == (#"{"top": 2}"#, ["top"]))
    #expect(
      try merge(#"{"top": 1}"#, #"{"top": 2}"#, big, rules: ["*": .min]).conflicts == ["top"])
    #expect(
      try merge(#"{"likes": 1}"#, #"{"likes": 2}"#, #"{"likes": 9e99}"#, rules: rules).conflicts
        == ["likes"])
  }

  @Test("shows ours in conflicts, and follows a deletion rule")
  func conflicts() throws {
    let base = #"{"a": {"b": 1}, "c": 1, "d": 1, "e": 1}"#
    let ours = #"{"a": 5, "c": 2, "e": 2}"#
    let theirs = #"{"a": {"b": 2}, "c": 3, "d": 2}"#
    #expect(try merge(base, ours, theirs) == (ours, ["a", "c", "d", "e"]))
    #expect(
      try merge(base, ours, theirs, deletion: .updateWins)
        == (#"{"a": 5, "c": 2, "d": 2, "e": 2}"#, ["a", "c"]))
    #expect(
      try merge(base, ours, theirs, deletion: .deleteWins) == (#"{"a": 5, "c": 2}"#, ["a", "c"]))
    #expect(try merge(nil, #"{"a": 1}"#, #"{"b": 2}"#) == (#"{"b": 2, "a": 1}"#, []))
    #expect(try merge(nil, "[1]", "[2]") == ("[1]", [#"\"#]))
  }

  @Test("the merged text holds the merged value, and what nobody changed byte for byte")
  func laws() throws {
    var clean = 0
    for seed: UInt64 in 0..<800 {
      var random = SeededGenerator(seed: seed)
      let base = RandomJSON.object(3, &random)
      let ours = RandomJSON.edited(base, &random)
      let theirs = RandomJSON.edited(base, &random)
      let texts = [base, ours, theirs].map { RandomJSON.text($0, &random) }
      let sides = try texts.map(side)
      let rules = Schema.Collection(fields: ["a": .set, "*.b": .set, "c": .counter])
      let merge = JSONMerge(base: sides[0], ours: sides[1], theirs: sides[2], rules: rules)
      let expected = ThreeWayMerge(
        base: sides[0].value, ours: sides[1].value, theirs: sides[2].value, rules: rules)
      let text = String(decoding: merge.text, as: UTF8.self)
      let again = JSONMerge(base: sides[2], ours: try side(text), theirs: sides[2], rules: rules)
      let ourEnd = JSONMerge(base: sides[0], ours: sides[1], theirs: sides[0], rules: rules)
      let theirEnd = JSONMerge(base: sides[0], ours: sides[0], theirs: sides[1], rules: rules)
      guard try side(text).value == expected.value, merge.conflicts == expected.conflicts,
        again.text == merge.text, ourEnd.text == Array(texts[1].utf8),
        theirEnd.text == Array(texts[1].utf8)
      else {
        Issue.record("seed \(seed)\n\(texts.joined(separator: "\n"))\ngave\n\(text)")
        return
      }
      if merge.conflicts.isEmpty { clean += 1 }
    }
    #expect(clean > 50 && clean < 750, "\(clean)")
  }
}
