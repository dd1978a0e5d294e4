import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Rules read what all copies hold alike: they can change at any time, and differ
/// from copy to copy.
@Suite("Changes of schemas")
struct SchemaChangeTests {
  static let rules: [Schema.FieldRule] = [
    .lastWriterWins, .firstWriterWins, .max, .min, .manual, .preferring([ReplicaID(2)]),
    .preferringOthers(than: [ReplicaID(2)]), .counter, .set, .merged,
  ]

  static func schema(_ rule: Schema.FieldRule, _ deletion: Schema.DeletionRule = .updateWins)
    -> Schema
  {
    Schema(collections: [
      "c": Schema.Collection(fields: ["f": rule, "o.*": rule], deletion: deletion)
    ])
  }

  /// Writes as a rule lets its users write, three at a time, and merges twice.
  private func documents(under rule: Schema.FieldRule, seed: UInt64) -> [Document] {
    var random = SeededGenerator(seed: seed)
    var copies = Array(repeating: Document(schema: Self.schema(rule)), count: 3)
    for round in 0..<2 as Range<UInt64> {
      for place in copies.indices {
        for _ in 0..<3 { write(to: &copies[place], place, round, under: rule, &random) }
      }
      let all = copies[0].merging(copies[1]).merging(copies[2])
      if round == 0 { copies = copies.map { $0.merging(all) } }
    }
    return [
      copies[0].merging(copies[1]).merging(copies[2]),
      copies[2].merging(copies[1].merging(copies[0])),
    ]
  }

  private func write(
    to document: inout Document, _ place: Int, _ round: UInt64, under rule: Schema.FieldRule,
    _ random: inout SeededGenerator
  ) {
    let time = round * 4 + UInt64.random(in: 0...3, using: &random)
    let path: FieldPath = Bool.random(using: &random) ? "f" : "o.x"
    let value = DocumentSamples.values.randomElement(using: &random) ?? nil
    let number = Int64.random(in: 0...3, using: &random)
    let kind = Int.random(in: 0..<6, using: &random)
    document.edit(at: DocumentTests.at(time, ReplicaID(UInt64(place + 1)))) { edit in
      switch (kind, rule) {
      case (0, _): edit.remove(path, of: "r", in: "c")
      case (1, _): edit.delete("r", in: "c")
      case (2..., .counter): try? edit.increment(path, of: "r", in: "c", by: number)
      case (2..., .set): edit.insert(.int(number), into: path, of: "r", in: "c")
      default: edit.set(path, of: "r", in: "c", to: value)
      }
    }
  }

  @Test("written under one rule, read under every other, on two copies, and back")
  func everyRuleUnderEveryOther() {
    for rule in Self.rules {
      for seed in 0..<(isLongRun ? 300 : 5) as Range<UInt64> {
        let copies = documents(under: rule, seed: seed)
        #expect(copies[0] == copies[1])
        let before = DocumentReading(copies[0])
        for other in Self.rules {
          for deletion in DeletionRuleTests.rules {
            var (one, two) = (copies[0], copies[1])
            one.schema = Self.schema(other, deletion)
            two.schema = one.schema
            #expect(DocumentReading(one) == DocumentReading(two), "\(rule), \(other), \(seed)")
            one.schema = Self.schema(rule)
            #expect(DocumentReading(one) == before, "\(rule), \(other), seed \(seed)")
          }
        }
      }
    }
  }

  @Test("what is written under any rule over rows of any other is what is shown")
  func writtenOverEveryOther() throws {
    for rule in Self.rules {
      for seed in 0..<(isLongRun ? 300 : 2) as Range<UInt64> {
        var document = documents(under: rule, seed: seed)[0]
        document.edit(at: DocumentTests.at(9, ReplicaID(4))) { $0.create("r", in: "c") }
        for other in Self.rules {
          document.schema = Self.schema(other)
          for value in DocumentSamples.values {
            try checkWrite(of: value, to: document, under: other, "\(rule), seed \(seed)")
          }
        }
      }
    }
  }

  private func checkWrite(
    of value: Document.Value, to document: Document, under rule: Schema.FieldRule, _ what: String
  ) throws {
    var written = document
    let shown = document.value(of: "f", of: "r", in: "c")
    var isWritten = false
    written.edit(at: DocumentTests.at(10, ReplicaID(4))) { edit in
      isWritten = edit.set("f", of: "r", in: "c", to: value)
    }
    let now = written.value(of: "f", of: "r", in: "c")
    #expect(isWritten || now == shown, "\(what): \(value) under \(rule)")
    if rule.admitsAll || shown == nil {
      #expect(now == Self.expected(value, under: rule), "\(what): \(value) under \(rule)")
    }
    let copy = try Document(decoding: written.encoded())
    #expect(copy == written, "\(what): \(value) under \(rule)")
  }

  /// A set has an order of its own, and each element once.
  private static func expected(_ value: Document.Value, under rule: Schema.FieldRule)
    -> Document.Value
  {
    guard rule == .set, case .array(let elements) = value else { return value }
    return .array(Set(elements).sorted())
  }

  @Test("one document read under two schemas at the same time") func twoSchemas() throws {
    var newer = Document(schema: DocumentSamples.schema)
    var older = Document(schema: DocumentSamples.olderSchema)
    try newer.edit(at: DocumentTests.at(1, ReplicaID(1))) { edit in
      edit.set("most", of: "r", in: "c", to: 3)
      edit.set("body", of: "r", in: "c", to: "new")
      try edit.increment("likes", of: "r", in: "c", by: 4)
      edit.insert("p", into: "tags", of: "r", in: "c")
    }
    older.edit(at: DocumentTests.at(2, ReplicaID(2))) { edit in
      edit.set("most", of: "r", in: "c", to: 2)
      edit.set("body", of: "r", in: "c", to: "old")
    }
    newer.merge(older)
    older.merge(newer)
    #expect(newer == older)
    #expect(
      newer.fields(of: "r", in: "c") == ["most": 3, "body": "old", "likes": 4, "tags": ["p"]])
    #expect(
      older.fields(of: "r", in: "c") == ["most": 5, "body": "new", "likes": 4, "tags": ["p"]])
    #expect(newer.conflicts.count == 1)
    #expect(older.conflicts.isEmpty)
  }

  struct OldNote: Codable, Equatable {
    struct Address: Codable, Equatable {
      var city: String
    }

    var title: String
    var address: Address
    var lines: [String: Address]
  }

  struct NewNote: Codable, Equatable {
    struct Address: Codable, Equatable {
      var city: String
      var zip: Int?
    }

    var title: String
    var address: Address
    var lines: [String: Address]
    var stars: Int?
    var labels: Set<String>?
  }

  @Test("fields that an older model doesn't know survive what it writes") func olderModel() throws {
    let newer = Schema(collections: [
      "c": Schema.Collection(fields: ["stars": .counter, "labels": .set])
    ])
    let note = NewNote(
      title: "Moon", address: NewNote.Address(city: "Oslo", zip: 1),
      lines: ["a": NewNote.Address(city: "Odda", zip: 2)], stars: 3, labels: ["x"])
    var new = Document(schema: newer)
    try new.write(note, to: "r", in: "c", at: DocumentTests.at(1, ReplicaID(1)))
    var old = try Document(decoding: new.encoded())
    var seen = try #require(try old.read(OldNote.self, "r", in: "c"))
    #expect(try old.dirtyFields(of: seen, comparedTo: "r", in: "c") == [])
    seen.title = "Full moon"
    seen.address.city = "Bergen"
    seen.lines["b"] = OldNote.Address(city: "Voss")
    try old.write(seen, to: "r", in: "c", at: DocumentTests.at(2, ReplicaID(2)))
    try new.edit(at: DocumentTests.at(2, ReplicaID(1))) { edit in
      try edit.increment("stars", of: "r", in: "c", by: 1)
      edit.insert("y", into: "labels", of: "r", in: "c")
      edit.set("lines.a.zip", of: "r", in: "c", to: 9)
    }
    new.merge(old)
    var expected = note
    expected.title = "Full moon"
    expected.address.city = "Bergen"
    expected.lines["a"]?.zip = 9
    expected.lines["b"] = NewNote.Address(city: "Voss", zip: nil)
    expected.stars = 4
    expected.labels = ["x", "y"]
    #expect(try new.read(NewNote.self, "r", in: "c") == expected)
    old.merge(new)
    #expect(try old.read(OldNote.self, "r", in: "c") == seen)
  }

  @Test("an optional counter or set that was nil can be counted and filled again")
  func optionalsUnderRules() throws {
    var document = Document(
      schema: Schema(collections: [
        "c": Schema.Collection(fields: ["stars": .counter, "labels": .set])
      ]))
    var note = NewNote(
      title: "", address: NewNote.Address(city: "", zip: nil), lines: [:], stars: nil, labels: nil)
    for (time, stars) in [nil, 5, nil, 6, 6, 7, nil, 0].enumerated() {
      note.stars = stars
      note.labels = stars.map { Set([String($0), "x"]) }
      try document.write(
        note, to: "r", in: "c", at: DocumentTests.at(UInt64(time), ReplicaID(1)))
      #expect(try document.read(NewNote.self, "r", in: "c") == note)
      #expect(try document.dirtyFields(of: note, comparedTo: "r", in: "c") == [])
    }
  }
}

extension Schema.FieldRule {
  /// Whether every value is written.
  fileprivate var admitsAll: Bool {
    switch self {
    case .firstWriterWins, .max, .min: false
    default: true
    }
  }
}
