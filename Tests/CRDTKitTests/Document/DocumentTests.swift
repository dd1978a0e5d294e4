import CRDTKit
import Testing

@Suite struct DocumentTests {
  static let phone = ReplicaID(1)
  static let laptop = ReplicaID(2)

  static func at(_ time: UInt64, _ replica: ReplicaID = phone) -> HybridTimestamp {
    HybridTimestamp(milliseconds: time, replica: replica)
  }

  static let schema = Schema(collections: [
    "notes": Schema.Collection(fields: [
      "body": .manual, "tags": .set, "likes": .counter, "best": .max, "stock.*": .counter,
    ])
  ])

  @Test func fieldsAreMergedOneByOne() throws {
    var one = Document(schema: Self.schema)
    one.edit(at: Self.at(1)) { edit in
      edit.set("title", of: "n1", in: "notes", to: "Moon")
      edit.set("address", of: "n1", in: "notes", to: ["city": "Oslo", "zip": 1])
    }
    var other = one
    other.edit(at: Self.at(2, Self.laptop)) { edit in
      edit.set("address.city", of: "n1", in: "notes", to: "Bergen")
      edit.insert("story", into: "tags", of: "n1", in: "notes")
    }
    try one.edit(at: Self.at(3)) { edit in
      edit.set("title", of: "n1", in: "notes", to: "Full moon")
      edit.insert("night", into: "tags", of: "n1", in: "notes")
      try edit.increment("likes", of: "n1", in: "notes", by: 3)
    }
    one.merge(other)
    #expect(
      one.fields(of: "n1", in: "notes") == [
        "title": "Full moon", "address": ["city": "Bergen", "zip": 1],
        "tags": ["night", "story"], "likes": 3,
      ])
    let copy = try Document(decoding: one.encoded())
    #expect(copy == one)
    #expect(copy.encoded() == one.encoded())
    #expect(one.records(in: "notes") == ["n1"])
    #expect(one.fieldCount(of: "n1", in: "notes") == 4)
    #expect(one.fieldCount(of: "n2", in: "notes") == 0)
    one.edit(at: Self.at(4)) { $0.remove("likes", of: "n1", in: "notes") }
    #expect(one.fieldCount(of: "n1", in: "notes") == 3)
    #expect(one.collections == ["notes"])
  }

  @Test func manualFieldsAreInConflictUntilSomeoneResolves() throws {
    var one = Document(schema: Self.schema)
    one.edit(at: Self.at(1)) { $0.set("body", of: "n", in: "notes", to: "a") }
    var other = one
    one.edit(at: Self.at(2)) { $0.set("body", of: "n", in: "notes", to: "b") }
    other.edit(at: Self.at(3, Self.laptop)) { $0.set("body", of: "n", in: "notes", to: "c") }
    one.merge(other)
    other.merge(one)
    #expect(one.conflicts == other.conflicts)
    #expect(one.fieldCount(of: "n", in: "notes") == 1)
    let conflict = try #require(one.conflicts.first)
    #expect(conflict.sides.map(\.value) == ["c", "b"])
    #expect(conflict.ancestor == Document.Alternative("a", at: Self.at(1)))
    one.edit(at: Self.at(4)) { $0.resolve(conflict, with: "d") }
    other.merge(one)
    #expect(other.conflicts.isEmpty)
    #expect(other.value(of: "body", of: "n", in: "notes") == "d")
  }
}
