import CRDTKit
import CRDTTestSupport
import Testing

/// Changes by someone who has seen only part of what is there.
@Suite("Edits that see only some events")
struct SeeingTests {
  static let server = ReplicaID.authority(named: "server")
  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: [
      "body": .manual, "status": .preferring([server]), "tags": .set, "likes": .counter,
      "first": .firstWriterWins, "most": .max, "least": .min,
    ])
  ])

  /// Expects what an editor says, which a macro can't ask.
  private func expect(
    _ isTrue: Bool, _ comment: Comment? = nil, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(isTrue, comment, sourceLocation: place)
  }

  @Test("what wasn't seen stays beside what is written")
  func unseenValuesStay() throws {
    var one = EditingTraps.make(Self.schema) { edit in
      edit.set("title", of: "r", in: "c", to: "a")
      edit.set("body", of: "r", in: "c", to: "a")
    }
    let opened = one.version
    one.laptop(2) { edit in
      edit.set("title", of: "r", in: "c", to: "b")
      edit.set("body", of: "r", in: "c", to: "b")
    }
    one.phone(3) { edit in
      edit.seeing({ opened.contains($0) }) { edit in
        expect(edit.value(of: "title", of: "r", in: "c") == "b", "readings show all there is")
        edit.set("title", of: "r", in: "c", to: "c")
        edit.set("body", of: "r", in: "c", to: "c")
        // What the edit itself wrote is seen.
        edit.set("title", of: "r", in: "c", to: "d")
      }
    }
    #expect(one.alternatives(of: "title", of: "r", in: "c").map(\.value) == ["d", "b"])
    let conflict = try #require(one.conflict(of: "body", of: "r", in: "c"))
    #expect(conflict.sides.map(\.value) == ["c", "b"])
    one.phone(4) { $0.set("body", of: "r", in: "c", to: "e") }
    #expect(one.conflicts.isEmpty, "an edit that sees all replaces all")
  }

  @Test("what a form was opened with is known by its new name after a fork was mended")
  func renamedSinceOpened() {
    for (mine, theirs) in [(9, 1), (1, 9)] as [(UInt32, UInt32)] {
      var (one, other) = (Document(schema: Self.schema), Document(schema: Self.schema))
      one.beginStretch(of: EditingTraps.phone, nonce: mine)
      other.beginStretch(of: EditingTraps.phone, nonce: theirs)
      one.phone(1) { $0.set("body", of: "r", in: "c", to: "mine") }
      let opened = one.version
      other.phone(2) { $0.set("body", of: "r", in: "c", to: "theirs") }
      one.merge(other)
      one.laptop(3) { edit in
        edit.seeing(upTo: opened) { _ = $0.set("body", of: "r", in: "c", to: "new") }
      }
      let values = one.conflict(of: "body", of: "r", in: "c")?.sides.map(\.value)
      #expect(values == ["new", "theirs"], "\(mine)")
    }
  }

  @Test("bodies within one another see what both see")
  func nestedBodies() {
    var one = Document(schema: Self.schema)
    one.edit(at: DocumentTests.at(1, ReplicaID(3))) { $0.create("r", in: "c") }
    one.phone(2) { $0.set("t", of: "r", in: "c", to: 1) }
    one.laptop(2) { $0.set("u", of: "r", in: "c", to: 1) }
    one.edit(at: DocumentTests.at(3, ReplicaID(3))) { edit in
      edit.seeing({ $0.replica != EditingTraps.phone }) { edit in
        edit.seeing({ $0.replica != EditingTraps.laptop }) { edit in
          expect(edit.remove("t", of: "r", in: "c") == false)
          expect(edit.remove("u", of: "r", in: "c") == false)
        }
        expect(edit.remove("u", of: "r", in: "c"))
        expect(edit.remove("t", of: "r", in: "c") == false)
      }
      expect(edit.remove("t", of: "r", in: "c"))
    }
    #expect(one.fields == [:])
  }

  @Test("a rule that admits only what wins compares with what was seen")
  func rulesCompareWithWhatWasSeen() {
    var one = EditingTraps.make(Self.schema) { edit in
      edit.set("most", of: "r", in: "c", to: 5)
      edit.set("least", of: "r", in: "c", to: 5)
      edit.set("first", of: "r", in: "c", to: 5)
    }
    let opened = one.version
    one.laptop(2) { edit in
      edit.set("most", of: "r", in: "c", to: 9)
      edit.set("least", of: "r", in: "c", to: 1)
    }
    one.phone(3) { edit in
      edit.seeing({ opened.contains($0) }) { edit in
        expect(edit.set("first", of: "r", in: "c", to: 6) == false)
        expect(edit.set("most", of: "r", in: "c", to: 7))
        expect(edit.set("least", of: "r", in: "c", to: 3))
      }
    }
    #expect(one.fields == ["most": 9, "least": 1, "first": 5])
    one.phone(4) { edit in
      _ = edit.seeing({ _ in false }) { $0.set("first", of: "r", in: "c", to: 7) }
    }
    #expect(one.value(of: "first", of: "r", in: "c") == 5)
    #expect(one.alternatives(of: "first", of: "r", in: "c").count == 2)
  }

  @Test("elements and counts that weren't seen survive a removal of the field")
  func setsAndCounters() throws {
    var one = EditingTraps.make(Self.schema) { edit in
      edit.set("tags", of: "r", in: "c", to: ["a", "b"])
    }
    try one.phone(2) { try $0.increment("likes", of: "r", in: "c", by: 5) }
    let opened = one.version
    try one.laptop(3) { edit in
      edit.insert("a", into: "tags", of: "r", in: "c")
      edit.insert("c", into: "tags", of: "r", in: "c")
      try edit.increment("likes", of: "r", in: "c", by: 2)
    }
    var removed = one
    removed.phone(4) { edit in
      edit.seeing({ opened.contains($0) }) { edit in
        expect(edit.remove("tags", of: "r", in: "c"))
        expect(edit.remove("likes", of: "r", in: "c"))
      }
    }
    #expect(removed.fields == ["tags": ["a", "c"], "likes": 2])
    try one.phone(4) { edit in
      try edit.seeing({ opened.contains($0) }) { edit in
        expect(edit.remove("b", from: "tags", of: "r", in: "c"))
        expect(edit.remove("a", from: "tags", of: "r", in: "c") == false, "renewed unseen")
        expect(edit.remove("c", from: "tags", of: "r", in: "c") == false)
        try edit.increment("likes", of: "r", in: "c", by: 1)
      }
    }
    #expect(one.fields == ["tags": ["a", "c"], "likes": 8])
  }

  @Test("a record is deleted as far as it was seen", arguments: [true, false])
  func deletion(isOwnUnseen: Bool) {
    var one = EditingTraps.make(Self.schema) { $0.set("t", of: "r", in: "c", to: 1) }
    var unseen: [Dot] = []
    let before = one.version
    if isOwnUnseen {
      one.phone(2) { $0.set("u", of: "r", in: "c", to: 1) }
    } else {
      one.laptop(2) { $0.set("u", of: "r", in: "c", to: 1) }
    }
    let replica = isOwnUnseen ? EditingTraps.phone : EditingTraps.laptop
    unseen.append(Dot(replica, before[replica] + 1))
    // What comes after it is seen: the deletion may not claim what is between.
    one.phone(3) { $0.set("v", of: "r", in: "c", to: 1) }
    one.edit(at: DocumentTests.at(4, ReplicaID(9))) { edit in
      edit.seeing({ !unseen.contains($0) }) { edit in
        expect(edit.delete("r", in: "c"))
        expect(!edit.contains("r", in: "c") || isOwnUnseen)
      }
    }
    #expect(one.contains("r", in: "c"), "a change that wasn't seen keeps the record")
    one.schema.collections["c"]?.deletion = .deleteWins
    #expect(!one.contains("r", in: "c"))
  }

  @Test("a deletion that wasn't seen is not undone by a change")
  func unseenDeletion() {
    var one = EditingTraps.make(Self.schema) { $0.set("t", of: "r", in: "c", to: 1) }
    one.schema.collections["c"]?.deletion = .deleteWins
    let opened = one.version
    one.laptop(2) { $0.delete("r", in: "c") }
    one.phone(3) { edit in
      edit.seeing({ opened.contains($0) }) { edit in
        expect(edit.contains("r", in: "c"))
        edit.set("t", of: "r", in: "c", to: 2)
      }
    }
    #expect(!one.contains("r", in: "c"))
    one.phone(4) { $0.set("u", of: "r", in: "c", to: 3) }
    #expect(one.fields == ["t": 2, "u": 3])
  }

  @Test("a model is written as by someone who saw it then")
  func models() throws {
    struct Note: Codable, Equatable {
      var title = ""
      var tags: Set<String> = []
      var scores: [String: Int] = [:]
    }
    var one = Document(schema: Self.schema)
    let asRead = Note(title: "a", tags: ["x"], scores: ["one": 1, "two": 2])
    try one.write(asRead, to: "r", in: "c", at: DocumentTests.at(1, EditingTraps.phone))
    let opened = one.version
    one.laptop(2) { edit in
      edit.set("title", of: "r", in: "c", to: "theirs")
      edit.insert("y", into: "tags", of: "r", in: "c")
      edit.set("scores.two", of: "r", in: "c", to: 22)
    }
    var form = asRead
    form.title = "ours"
    form.tags = ["z"]
    form.scores = ["one": 11]
    try one.phone(3) { edit in
      let changed = try edit.seeing({ opened.contains($0) }) { edit in
        try edit.write(form, changedFrom: asRead, to: "r", in: "c")
      }
      #expect(changed == ["title", "tags", "scores.one"])
    }
    let note = try #require(try one.read(Note.self, "r", in: "c"))
    #expect(note == Note(title: "ours", tags: ["y", "z"], scores: ["one": 11, "two": 22]))
    #expect(one.alternatives(of: "title", of: "r", in: "c").count == 2)
  }
}
