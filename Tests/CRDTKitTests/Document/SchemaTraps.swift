import CRDTKit
import Foundation
import Testing

/// Schemas that are read otherwise than they say.
@Suite("Traps of schemas")
struct SchemaTraps {
  @Test("of paths with *, the one with the field's own names further left is taken")
  func wildcardOrder() {
    let rules = Schema.Collection(fields: [
      "a.*": .max, "*.b": .min, "*.*": .manual, "x.*.c": .set, "x.y.*": .counter,
      "*.y.c": .max,
    ])
    #expect(rules.rule(of: "a.b") == .max)
    #expect(rules.rule(of: "z.b") == .min)
    #expect(rules.rule(of: "z.z") == .manual)
    #expect(rules.rule(of: "x.y.c") == .counter)
    #expect(rules.rule(of: "x.z.c") == .set)
    #expect(rules.rule(of: "z.y.c") == .max)
    #expect(rules.rule(of: "z.y.d") == .lastWriterWins)
    #expect(rules.rule(of: "a") == .lastWriterWins)
  }

  @Test("every choice of paths gives each field the rule that the words say")
  func wildcardsAgainstWords() {
    let names = ["a", "b", "*"]
    let patterns = names.flatMap { one in names.map { [one, $0] } } + [["a"], ["*"]]
    let rules: [Schema.FieldRule] = [.max, .min, .manual, .set, .counter, .firstWriterWins]
    for chosen in 1..<(1 << patterns.count) {
      var fields: [FieldPath: Schema.FieldRule] = [:]
      for place in patterns.indices where chosen >> place & 1 == 1 {
        fields[FieldPath(patterns[place])] = rules[place % rules.count]
      }
      let collection = Schema.Collection(fields: fields)
      for path in [["a"], ["c"], ["a", "a"], ["a", "b"], ["b", "a"], ["c", "b"], ["c", "c"]] {
        let fitting = fields.filter { entry in
          entry.key.names.count == path.count
            && zip(entry.key.names, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
        let best = fitting.max { left, right in
          left.key.names.map { $0 == "*" ? 0 : 1 }
            .lexicographicallyPrecedes(right.key.names.map { $0 == "*" ? 0 : 1 })
        }
        #expect(
          collection.rule(of: FieldPath(path)) == best?.value ?? .lastWriterWins,
          "\(fields) of \(path)")
      }
    }
  }

  @Test("many paths with * are looked up, not multiplied out") func wildcardsMultiplied() {
    var fields: [FieldPath: Schema.FieldRule] = [:]
    for place in 0..<24 {
      var names = Array(repeating: "*", count: 24)
      names[place] = "a"
      fields[FieldPath(names)] = place % 2 == 0 ? .max : .min
    }
    let collection = Schema.Collection(fields: fields)
    var path = Array(repeating: "b", count: 24)
    #expect(collection.rule(of: FieldPath(path)) == .lastWriterWins)
    path[21] = "a"
    #expect(collection.rule(of: FieldPath(path)) == .min)
    path[2] = "a"
    #expect(collection.rule(of: FieldPath(path)) == .max)
  }

  @Test("schemas come back from JSON, whatever their paths") func json() throws {
    let schema = Schema(collections: [
      "c": Schema.Collection(
        fields: [
          FieldPath([]): .max, FieldPath([""]): .min, "a.b": .set, ["a.b", "*"]: .counter,
          ["\\", "."]: .manual, "s": .preferring([ReplicaID(1), ReplicaID(2)]),
          "d": .preferringOthers(than: [ReplicaID(3)]),
        ], deletion: .deleteWins)
    ])
    let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    var expected = schema
    // Of the record itself there is no value that a rule could be about.
    expected.collections["c"]?.fields[FieldPath([])] = nil
    #expect(decoded == expected)
    #expect(decoded.collections["c"]?.rule(of: ["a.b", "x"]) == .counter)
  }

  @Test("rules have the names that they are written by, and are read by their former ones too")
  func ruleNames() throws {
    let names: [(rule: Schema.FieldRule, name: String, former: String)] = [
      (.preferring([ReplicaID(1)]), "preferring", "authority"),
      (.preferringOthers(than: [ReplicaID(1)]), "preferringOthersThan", "deferToOthersThan"),
    ]
    for (rule, name, former) in names {
      let text = #"{"\#(name)":["0000000000000001"]}"#
      #expect(String(decoding: try JSONEncoder().encode(rule), as: UTF8.self) == text)
      let old = Data(#"{"\#(former)":["0000000000000001"]}"#.utf8)
      #expect(try JSONDecoder().decode(Schema.FieldRule.self, from: old) == rule)
    }
  }

  @Test("one path in two spellings is refused: which of the rules holds would be chance")
  func ambiguousJSON() throws {
    for text in [
      #"{"collections": {"c": {"fields": {"a\\b": "max", "ab": "min"}}}}"#,
      #"{"collections": {"c": {"fields": {"a": "bogus"}}}}"#,
      #"{"collections": {"c": {"fields": {"a": {"other": []}}}}}"#,
      #"{"collections": {"c": {"deletion": "never"}}}"#,
    ] {
      #expect(throws: DecodingError.self, "\(text)") {
        try JSONDecoder().decode(Schema.self, from: Data(text.utf8))
      }
    }
  }

  @Test("paths come back from their text form") func paths() throws {
    #expect(FieldPath(parsing: FieldPath([]).description).names == [])
    let several = [FieldPath([]), FieldPath([""]), "a"]
    #expect(
      try JSONDecoder().decode([FieldPath].self, from: JSONEncoder().encode(several)) == several)
    let names = ["", ".", "\\", "a", "a.b", "\\.", "\u{301}", "e\u{301}", "*"]
    for one in names {
      #expect(FieldPath(parsing: FieldPath([one]).description).names == [one])
      for other in names {
        #expect(FieldPath(parsing: FieldPath([one, other]).description).names == [one, other])
      }
    }
  }
}
