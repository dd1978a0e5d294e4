import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Edits of a record from a shell")
struct RecordEditTests {
  private static let record = Document.RecordID("r", in: "c")

  @Test("write what an object names at any depth, leave the rest, and are done once")
  func merging() throws {
    for seed in 1...400 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var document = Document()
      var model: Document.Value = .object([:])
      for step in 1...4 as ClosedRange<UInt64> {
        let given = Self.object(3, &random)
        var edit = RecordEdit(Self.record)
        try edit.add(object: Array(JSONValue(given).description.utf8))
        try edit.checkPaths()
        let kept = edit.keepingObjects(of: document)
        document.edit(at: HybridTimestamp(milliseconds: step, replica: ReplicaID(1))) {
          _ = kept.apply(&$0)
        }
        model = Self.merged(model, given)
        let shown = document.fields(of: "r", in: "c").map { Document.Value.object($0) }
        #expect(shown == model, "seed \(seed), step \(step): \(given)")
        #expect(edit.removingKnown(to: document).fields == [], "seed \(seed), step \(step)")
      }
    }
  }

  /// The other object's members written over those of the first.
  private static func merged(_ old: Document.Value, _ new: Document.Value) -> Document.Value {
    guard case .object(let new) = new else { return new }
    guard case .object(let old) = old else { return merged(.object([:]), .object(new)) }
    return .object(
      new.reduce(into: old) { fields, member in
        fields[member.key] = merged(fields[member.key] ?? .null, member.value)
      })
  }

  private static func object(_ depth: Int, _ random: inout SeededGenerator) -> Document.Value {
    var fields: [String: Document.Value] = [:]
    for name in ["a", "b.c", "\u{E9}", ""] where Bool.random(using: &random) {
      fields[name] = value(depth - 1, &random)
    }
    return .object(fields)
  }

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> Document.Value {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &random) {
    case 0: .null
    case 1: .int(Int64.random(in: 0...2, using: &random))
    case 2: .string("x")
    case 3: .array([.bool(true), .object([:])])
    default: object(depth, &random)
    }
  }

  @Test("of a word with a sign of equality write one field, whatever was there")
  func words() throws {
    var edit = RecordEdit(Self.record)
    try edit.add(#"a.b={"x":1}"#)
    try edit.add(#"no\.1=-1.5"#)
    try edit.add(#"t="a=b""#)
    try edit.add(#"{"k":{"$bytes":"AQI="},"o":{},"p":{"q":null}}"#)
    #expect(
      edit.fields == [
        FieldEdit(path: ["a", "b"], value: ["x": 1]),
        FieldEdit(path: ["no.1"], value: -1.5),
        FieldEdit(path: ["t"], value: "a=b"),
        FieldEdit(path: ["k"], value: .bytes([1, 2]), keepsObject: true),
        FieldEdit(path: ["o"], value: [:], keepsObject: true),
        FieldEdit(path: ["p", "q"], value: nil, keepsObject: true),
      ])
  }

  @Test("are known where a set holds the same elements, and a field of another rule the same array")
  func knownArrays() {
    let rules = Schema.Collection(fields: ["tags": .set])
    var document = Document(schema: Schema(collections: ["c": rules]))
    let fields = ["tags", "list"].map { FieldEdit(path: [$0], value: ["b", "a", "b"]) }
    let edit = RecordEdit(Self.record, fields)
    document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))) {
      _ = edit.apply(&$0)
    }
    let turned = ["tags", "list"].map { FieldEdit(path: [$0], value: ["a", "b"]) }
    #expect(edit.removingKnown(to: document).fields == [])
    #expect(RecordEdit(Self.record, turned).removingKnown(to: document).fields == [turned[1]])
  }

  @Test("name a field once, and none within another")
  func overlaps() throws {
    for (words, field) in [
      (["a=1", "a=1"], "a"), (["a.b.c=1", "ab=1", "a=1"], "a"), (["a.b=1", #"{"a":{}}"#], "a"),
      ([#"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#], "a.b"),
    ] {
      var edit = RecordEdit(Self.record)
      for word in words { try edit.add(word) }
      let trouble = CommandFailure("field '\(field)' is given twice, or with a field within it")
      #expect(throws: trouble) { try edit.checkPaths() }
    }
    var edit = RecordEdit(Self.record)
    for word in ["a.b=1", "ab=1", #"{"a":{"c":1}}"#] { try edit.add(word) }
    try edit.checkPaths()
  }

  @Test("are refused before they reach a document that would not take them")
  func refusals() {
    let long = String(repeating: "n", count: 1_025)
    let path = Array(repeating: "a", count: 33).joined(separator: ".")
    for word in [
      "title", "title=", "title=Moon", "\(long)=1", "\(path)=1", "a=\(Self.nested(32))",
      "a.b=\(Self.nested(31))", #"a={"\#(long)":1}"#, "{", #"{"\#(long)":1}"#,
      #"{"a":\#(Self.nested(32))}"#, #"a={"x":1,"x":2}"#, "a=1e999", #"a="\ud800""#,
      "a=\(Self.nested(100_000))",
    ] {
      var edit = RecordEdit(Self.record)
      #expect(throws: UsageError.self, "\(word.prefix(60))") { try edit.add(word) }
      #expect(edit.fields == [])
    }
    for text in ["[]", "1", "", "{} {}", "\u{FEFF}{}"] {
      var edit = RecordEdit(Self.record)
      #expect(throws: CommandFailure.self, "\(text)") { try edit.add(object: Array(text.utf8)) }
    }
  }

  @Test("may be as deep and as long as a document takes")
  func bounds() throws {
    let long = String(repeating: "n", count: 1_024)
    let path = Array(repeating: "a", count: 32).joined(separator: ".")
    let objects = String(repeating: #"{"o":"#, count: 32) + "1" + String(repeating: "}", count: 32)
    for word in [
      "\(long)=1", "\(path)=1", "a=\(Self.nested(31))", "a.b=\(Self.nested(30))", objects,
    ] {
      var edit = RecordEdit(Self.record)
      try edit.add(word)
      var document = Document()
      document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))) {
        _ = edit.apply(&$0)
      }
      #expect(edit.fields.count == 1 && edit.removingKnown(to: document).fields == [])
      #expect(try Document(decoding: document.encoded()) == document)
    }
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }
}
