import CRDTKit
import Testing

/// Edits that touch what they should leave alone, or leave what they should touch:
/// each was wrong once.
@Suite("Traps of editing documents")
struct EditingTraps {
  static let phone = ReplicaID(2)
  static let laptop = ReplicaID(1)

  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: [
      "tags": .set, "likes": .counter, "body": .manual, "first": .firstWriterWins,
      "most": .max, "least": .min,
    ])
  ])

  /// A document of one record, made by the phone.
  static func make(
    _ schema: Schema = EditingTraps.schema, _ body: (inout Document.Editor) throws -> Void
  ) rethrows -> Document {
    var document = Document(schema: schema)
    try document.phone(1) { edit in
      edit.create("r", in: "c")
      try body(&edit)
    }
    return document
  }

  @Test("an object that was removed is made again by a later write of the same edit")
  func removedAndWrittenInOneEdit() {
    let document = Self.make { edit in
      edit.set("a.b", of: "r", in: "c", to: 1)
      edit.remove("a", of: "r", in: "c")
      edit.set("a.b", of: "r", in: "c", to: 2)
    }
    #expect(document.fields == ["a": ["b": 2]])
    let replaced = Self.make { edit in
      edit.set("a.b.c", of: "r", in: "c", to: 1)
      edit.set("a", of: "r", in: "c", to: 5)
      edit.set("a.b.c", of: "r", in: "c", to: 2)
    }
    #expect(replaced.fields == ["a": ["b": ["c": 2]]])
    let written = try? Self.make { edit in
      edit.set("a.b", of: "r", in: "c", to: 1)
      try edit.write(["a": "text"], to: "r", in: "c")
      edit.set("a.b", of: "r", in: "c", to: 2)
    }
    #expect(written?.fields == ["a": ["b": 2]])
  }

  @Test("removing what isn't there makes nothing and replaces nothing")
  func removalsThatFindNothing() {
    var document = Self.make { $0.set("a", of: "r", in: "c", to: "text") }
    let before = document.version
    document.phone(2) { edit in
      let first = edit.remove("a.b", of: "r", in: "c")
      let second = edit.remove("x.y.z", of: "r", in: "c")
      let third = edit.remove(1, from: "a", of: "r", in: "c")
      let fourth = edit.remove(1, from: "tags", of: "r", in: "c")
      let fifth = edit.remove(1, from: "x.tags", of: "r", in: "c")
      #expect(!first && !second && !third && !fourth && !fifth)
    }
    #expect(document.fields == ["a": "text"])
    #expect(document.version == before)
  }

  @Test("a counter that was removed is not there to be removed again")
  func counterRemovedTwice() throws {
    var document = try Self.make { try $0.increment("likes", of: "r", in: "c") }
    document.phone(2) { edit in
      let first = edit.remove("likes", of: "r", in: "c")
      let second = edit.remove("likes", of: "r", in: "c")
      #expect(first && !second)
    }
    #expect(document.fields == [:])
  }

  @Test("what a set or object held does not come back when the field becomes one again")
  func kindsInTurn() {
    let document = Self.make { edit in
      edit.insert("old", into: "tags", of: "r", in: "c")
      edit.set("tags.x", of: "r", in: "c", to: 1)
      edit.insert("new", into: "tags", of: "r", in: "c")
    }
    #expect(document.fields == ["tags": ["new"]])
    let object = Self.make { edit in
      edit.set("tags.x", of: "r", in: "c", to: 1)
      edit.insert("new", into: "tags", of: "r", in: "c")
      edit.set("tags.y", of: "r", in: "c", to: 2)
    }
    #expect(object.fields == ["tags": ["y": 2]])
    let whole = Self.make { edit in
      edit.insert("old", into: "tags", of: "r", in: "c")
      edit.set("tags", of: "r", in: "c", to: ["x": 1])
      edit.set("tags", of: "r", in: "c", to: ["new"])
    }
    #expect(whole.fields == ["tags": ["new"]])
  }

  @Test("what was written into an object while it was removed does not show in a new one")
  func orphansBeneath() {
    var one = Self.make { $0.set("a.b", of: "r", in: "c", to: 1) }
    var other = one
    one.phone(2) { $0.remove("a", of: "r", in: "c") }
    other.laptop(3) { $0.set("a.c", of: "r", in: "c", to: 2) }
    one.merge(other)
    #expect(one.fields == [:])
    one.phone(4) { $0.set("a.d", of: "r", in: "c", to: 3) }
    #expect(one.fields == ["a": ["d": 3]])
  }

  @Test("a counter counts on where the field held no number")
  func countersOverOtherValues() throws {
    for old in ["text", nil, 1.5, ["x": 1], [1]] as [Document.Value] {
      var document = Self.make(Schema()) { $0.set("likes", of: "r", in: "c", to: old) }
      document.schema = Self.schema
      var counted = document
      try counted.phone(2) { try $0.increment("likes", of: "r", in: "c", by: 3) }
      #expect(counted.fields == ["likes": 3], "\(old)")
      for number in [5, 5, 6] as [Int64] {
        document.phone(3) { $0.set("likes", of: "r", in: "c", to: .int(number)) }
        #expect(document.fields == ["likes": .int(number)], "\(old)")
      }
    }
  }

  @Test("a set takes in the plain arrays that were written to it beside it")
  func setsBesidePlainArrays() {
    var new = Self.make { $0.insert("a", into: "tags", of: "r", in: "c") }
    var old = Self.make(Schema()) { _ in }
    old.merge(new)
    new.phone(2) { $0.insert("b", into: "tags", of: "r", in: "c") }
    old.laptop(3) { $0.set("tags", of: "r", in: "c", to: ["p", "q"]) }
    new.merge(old)
    #expect(new.fields == ["tags": ["b", "p", "q"]])
    var removed = new
    removed.phone(4) { edit in
      let wasThere = edit.remove("p", from: "tags", of: "r", in: "c")
      let wasNotThere = edit.insert("q", into: "tags", of: "r", in: "c")
      #expect(wasThere && !wasNotThere)
    }
    #expect(removed.fields == ["tags": ["b", "q"]])
    new.phone(4) { $0.set("tags", of: "r", in: "c", to: ["z"]) }
    #expect(new.fields == ["tags": ["z"]])
  }

  @Test("a plain array that an older copy wrote in place of another is taken in as well")
  func setsBesideRevisions() {
    let older = Schema(collections: ["c": Schema.Collection(fields: ["tags": .manual])])
    var new = Self.make { $0.insert("a", into: "tags", of: "r", in: "c") }
    var old = Self.make(older) { _ in }
    old.merge(new)
    old.laptop(2) { $0.set("tags", of: "r", in: "c", to: ["x"]) }
    old.laptop(3) { $0.set("tags", of: "r", in: "c", to: ["p"]) }
    new.phone(3) { $0.insert("b", into: "tags", of: "r", in: "c") }
    new.merge(old)
    #expect(new.fields == ["tags": ["b", "p"]])
    new.phone(4) { $0.remove("p", from: "tags", of: "r", in: "c") }
    #expect(new.fields == ["tags": ["b"]])
  }

  @Test("what is inserted while a set is removed stays, and so does only that")
  func insertedWhileRemoved() {
    var one = Self.make { edit in
      edit.insert("old", into: "tags", of: "r", in: "c")
    }
    var other = one
    one.phone(2) { $0.remove("tags", of: "r", in: "c") }
    other.laptop(3) { $0.insert("new", into: "tags", of: "r", in: "c") }
    for document in [one.merging(other), other.merging(one)] {
      #expect(document.fields == ["tags": ["new"]])
      #expect(document.value(of: "tags", of: "r", in: "c") == ["new"])
    }
  }

  @Test("a conflict is settled by an object, too")
  func resolutionByObject() throws {
    var one = Self.make { $0.set("body", of: "r", in: "c", to: 0) }
    var other = one
    one.phone(2) { $0.set("body", of: "r", in: "c", to: 5) }
    other.laptop(3) { $0.set("body", of: "r", in: "c", to: ["x": 1]) }
    one.merge(other)
    #expect(one.conflicts.count == 1)
    let conflict = try #require(one.conflicts.first)
    var resolved = one
    resolved.phone(4) { edit in
      let isSettled = edit.resolve(conflict, with: ["y": 2])
      #expect(isSettled)
    }
    #expect(resolved.conflicts.isEmpty)
    #expect(resolved.fields == ["body": ["y": 2]])
    one.phone(4) { $0.set("body", of: "r", in: "c", to: ["y": 2]) }
    #expect(one.conflicts.isEmpty)
    #expect(one.fields == ["body": ["y": 2]])
  }

  @Test("a resolution that comes too late leaves what there is now")
  func resolutionTooLate() throws {
    let schema = Schema(collections: ["c": Schema.Collection(fields: ["a.body": .manual])])
    var one = Self.make(schema) { $0.set("a.body", of: "r", in: "c", to: 0) }
    var other = one
    one.phone(2) { $0.set("a.body", of: "r", in: "c", to: 1) }
    other.laptop(3) { $0.set("a.body", of: "r", in: "c", to: 2) }
    one.merge(other)
    let conflict = try #require(one.conflicts.first)
    one.phone(4) { $0.set("a", of: "r", in: "c", to: "text") }
    let before = one.version
    one.phone(5) { edit in
      let isSettled = edit.resolve(conflict, with: 3)
      #expect(!isSettled)
    }
    #expect(one.fields == ["a": "text"])
    #expect(one.version == before)
  }

  @Test("removing a counter does not keep a record that was deleted meanwhile")
  func counterRemovedWhileDeleted() throws {
    var one = try Self.make { edit in
      try edit.increment("likes", of: "r", in: "c")
      edit.set("a.b", of: "r", in: "c", to: 1)
      edit.insert("x", into: "tags", of: "r", in: "c")
    }
    var other = one
    one.phone(2) { $0.delete("r", in: "c") }
    other.laptop(3) { edit in
      edit.remove("likes", of: "r", in: "c")
      edit.remove("a", of: "r", in: "c")
      edit.remove("x", from: "tags", of: "r", in: "c")
    }
    one.merge(other)
    #expect(!one.contains("r", in: "c"))
    #expect(one.deletedRecords(in: "c") == ["r"])
  }

  @Test("a field that has a value of any kind isn't written where the rule forbids it")
  func rulesAndContainers() {
    var document = Self.make { edit in
      edit.set("first", of: "r", in: "c", to: ["x": 1])
      edit.set("most", of: "r", in: "c", to: ["x": 1])
      edit.set("least", of: "r", in: "c", to: 1)
    }
    document.phone(2) { edit in
      let isFirst = edit.set("first", of: "r", in: "c", to: 5)
      let isMost = edit.set("most", of: "r", in: "c", to: 5)
      let isLeast = edit.set("least", of: "r", in: "c", to: ["x": 2])
      #expect(!isFirst && !isMost && !isLeast)
    }
    #expect(document.fields == ["first": ["x": 1], "most": ["x": 1], "least": 1])
  }

  @Test("alternatives begin with what is shown")
  func alternativesOfCountersAndSets() throws {
    var one = try Self.make { edit in
      try edit.increment("likes", of: "r", in: "c", by: 2)
      edit.insert("x", into: "tags", of: "r", in: "c")
    }
    var other = Self.make { _ in }
    try other.laptop(3) { edit in
      try edit.increment("likes", of: "r", in: "c", by: 3)
      edit.insert("y", into: "tags", of: "r", in: "c")
    }
    one.merge(other)
    let likes = one.alternatives(of: "likes", of: "r", in: "c")
    #expect(likes == [Document.Alternative(5, at: DocumentTests.at(3, Self.laptop))])
    let tags = one.alternatives(of: "tags", of: "r", in: "c")
    #expect(tags.map(\.value) == [["x", "y"]])
  }
}

extension Document {
  /// The fields of the record that these tests are about.
  var fields: [String: Value]? { fields(of: "r", in: "c") }

  /// Makes changes as the phone.
  mutating func phone(_ time: UInt64, _ body: (inout Editor) throws -> Void) rethrows {
    try edit(at: DocumentTests.at(time, EditingTraps.phone), body)
  }

  /// Makes changes as the laptop.
  mutating func laptop(_ time: UInt64, _ body: (inout Editor) throws -> Void) rethrows {
    try edit(at: DocumentTests.at(time, EditingTraps.laptop), body)
  }
}
