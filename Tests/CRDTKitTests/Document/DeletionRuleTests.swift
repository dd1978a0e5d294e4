import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Who wins where a record is deleted and changed: every rule, every kind of
/// change, before, concurrently and after, earlier and later by the stamp.
@Suite("Truth tables of deletions")
struct DeletionRuleTests {
  static let rules: [Schema.DeletionRule] = [.updateWins, .deleteWins, .lastWriterWins]
  static let phone = ReplicaID(1)
  static let laptop = ReplicaID(2)
  static let tablet = ReplicaID(3)

  /// A kind of change, and whether it adds something.
  struct Change: Sendable {
    let name: String
    let adds: Bool
    let perform: @Sendable (inout Document.Editor) throws -> Void
  }

  static let changes = [
    Change(name: "set", adds: true) { $0.set("title", of: "r", in: "c", to: "new") },
    Change(name: "set nested", adds: true) { $0.set("a.y", of: "r", in: "c", to: 1) },
    Change(name: "count", adds: true) { try $0.increment("likes", of: "r", in: "c") },
    Change(name: "insert", adds: true) { $0.insert("new", into: "tags", of: "r", in: "c") },
    Change(name: "renew", adds: true) { $0.insert("old", into: "tags", of: "r", in: "c") },
    Change(name: "remove", adds: false) { $0.remove("title", of: "r", in: "c") },
    Change(name: "remove object", adds: false) { $0.remove("a", of: "r", in: "c") },
    Change(name: "remove counter", adds: false) { $0.remove("likes", of: "r", in: "c") },
    Change(name: "remove element", adds: false) {
      $0.remove("old", from: "tags", of: "r", in: "c")
    },
    Change(name: "remove set", adds: false) { $0.remove("tags", of: "r", in: "c") },
  ]

  static func base(_ rule: Schema.DeletionRule) throws -> Document {
    var document = Document(
      schema: Schema(collections: [
        "c": Schema.Collection(fields: ["likes": .counter, "tags": .set], deletion: rule)
      ]))
    try document.edit(at: DocumentTests.at(1, phone)) { edit in
      edit.set("title", of: "r", in: "c", to: "old")
      edit.set("a.x", of: "r", in: "c", to: 0)
      edit.insert("old", into: "tags", of: "r", in: "c")
      try edit.increment("likes", of: "r", in: "c", by: 2)
    }
    // As an app has it that was started again.
    return try document.readBack()
  }

  /// A table of many rows finds a record's existence and its deletion in an index.
  @Test("a record among many is there or deleted, as a set of names says")
  func indexed() throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var document = Document()
      var model: Set<Int> = []
      for step in 1...200 as ClosedRange<UInt64> {
        let number = Int.random(in: 0..<20, using: &random)
        document.edit(at: DocumentTests.at(step, Self.phone)) { edit in
          switch Int.random(in: 0..<4, using: &random) {
          case 0:
            edit.delete("\(number)", in: "c")
            model.remove(number)
          case 1 where edit.restore("\(number)", in: "c"): model.insert(number)
          default:
            edit.set("n", of: "\(number)", in: "c", to: .int(Int64(step)))
            model.insert(number)
          }
        }
        if step % 7 == 0 { document = try document.readBack() }
        let found = (0..<20).filter { document.contains("\($0)", in: "c") }
        try #require(found == model.sorted(), "seed \(seed), step \(step)")
        try #require(document.records(in: "c") == model.map(String.init).sorted())
      }
    }
  }

  @Test("one deletion and one change") func deletionAndChange() throws {
    for rule in Self.rules {
      for change in Self.changes {
        for (deleted, changed) in [(5, 7), (7, 5), (6, 6)] as [(UInt64, UInt64)] {
          try checkBefore(rule, change, deleted: deleted, changed: changed)
          try checkConcurrent(rule, change, deleted: deleted, changed: changed)
          try checkAfter(rule, change, deleted: deleted, changed: changed)
        }
      }
    }
  }

  /// A deletion that has seen the change takes it along, whatever the stamps say.
  private func checkBefore(
    _ rule: Schema.DeletionRule, _ change: Change, deleted: UInt64, changed: UInt64
  ) throws {
    var document = try Self.base(rule)
    try document.edit(at: DocumentTests.at(changed, Self.laptop), change.perform)
    let before = document.fields(of: "r", in: "c")
    document.edit(at: DocumentTests.at(deleted, Self.phone)) { $0.delete("r", in: "c") }
    #expect(document.fields(of: "r", in: "c") == nil, "\(rule), \(change.name)")
    #expect(document.deletedRecords(in: "c") == ["r"])
    document.edit(at: DocumentTests.at(9, Self.tablet)) { $0.restore("r", in: "c") }
    #expect(document.fields(of: "r", in: "c") == before, "\(rule), \(change.name)")
  }

  private func checkConcurrent(
    _ rule: Schema.DeletionRule, _ change: Change, deleted: UInt64, changed: UInt64
  ) throws {
    var one = try Self.base(rule)
    var other = one
    one.edit(at: DocumentTests.at(deleted, Self.phone)) { $0.delete("r", in: "c") }
    try other.edit(at: DocumentTests.at(changed, Self.laptop), change.perform)
    let isKept =
      switch rule {
      case .updateWins: change.adds
      case .deleteWins: false
      // Of equal times the laptop's is the later.
      case .lastWriterWins: change.adds && changed >= deleted
      }
    let what: Comment = "\(rule), \(change.name), deleted at \(deleted), changed at \(changed)"
    let read = try one.readBack().merging(other.readBack())
    for document in [one.merging(other), other.merging(one), read] {
      #expect(document.contains("r", in: "c") == isKept, what)
      #expect(document.records(in: "c") == (isKept ? ["r"] : []), what)
      #expect(document.deletedRecords(in: "c") == (isKept ? [] : ["r"]), what)
      let stamp = isKept ? nil : DocumentTests.at(deleted, Self.phone)
      #expect(document.deletion(of: "r", in: "c") == stamp, what)
      #expect(document.fields(of: "r", in: "c") == (isKept ? other.fields(of: "r", in: "c") : nil))
      var restored = document
      restored.edit(at: DocumentTests.at(9, Self.tablet)) { edit in
        let isRestored = edit.restore("r", in: "c")
        #expect(isRestored != isKept, what)
      }
      #expect(restored.fields(of: "r", in: "c") == other.fields(of: "r", in: "c"), what)
    }
  }

  /// A change that has seen the deletion brings the record back if it adds
  /// something; there is nothing that it could remove.
  private func checkAfter(
    _ rule: Schema.DeletionRule, _ change: Change, deleted: UInt64, changed: UInt64
  ) throws {
    var document = try Self.base(rule)
    document.edit(at: DocumentTests.at(deleted, Self.phone)) { $0.delete("r", in: "c") }
    let version = document.version
    try document.edit(at: DocumentTests.at(changed, Self.laptop), change.perform)
    #expect(document.contains("r", in: "c") == change.adds, "\(rule), \(change.name)")
    #expect((document.version != version) == change.adds, "\(rule), \(change.name)")
  }

  @Test("two deletions, of which one has seen the change") func twoDeletions() throws {
    for rule in Self.rules {
      let base = try Self.base(rule)
      var changed = base
      changed.edit(at: DocumentTests.at(6, Self.laptop)) {
        $0.set("title", of: "r", in: "c", to: "new")
      }
      var knowing = changed
      knowing.edit(at: DocumentTests.at(4, Self.tablet)) { $0.delete("r", in: "c") }
      var unknowing = base
      unknowing.edit(at: DocumentTests.at(5, Self.phone)) { $0.delete("r", in: "c") }
      #expect(unknowing.merging(changed).contains("r", in: "c") == (rule != .deleteWins))
      for document in [unknowing.merging(knowing), knowing.merging(unknowing).merging(changed)] {
        #expect(!document.contains("r", in: "c"), "\(rule)")
        #expect(document.deletion(of: "r", in: "c") == DocumentTests.at(5, Self.phone), "\(rule)")
      }
    }
  }

  @Test("a deletion made while another is taken back stays") func deletionAndRestoring() throws {
    for rule in Self.rules {
      let base = try Self.base(rule)
      var one = base
      one.edit(at: DocumentTests.at(5, Self.phone)) { $0.delete("r", in: "c") }
      var other = base
      other.edit(at: DocumentTests.at(3, Self.laptop)) { $0.delete("r", in: "c") }
      var restored = one
      restored.edit(at: DocumentTests.at(7, Self.tablet)) { $0.restore("r", in: "c") }
      #expect(restored.contains("r", in: "c"), "\(rule)")
      // What was taken back does not return with the copy that still has it.
      #expect(restored.merging(one).contains("r", in: "c"), "\(rule)")
      #expect(!restored.merging(other).contains("r", in: "c"), "\(rule)")
      #expect(restored.merging(other) == other.merging(one).merging(restored), "\(rule)")
    }
  }

  @Test("two that restore, and one that deletes again") func deletedAgain() throws {
    for rule in Self.rules {
      var base = try Self.base(rule)
      base.edit(at: DocumentTests.at(2, Self.phone)) { $0.delete("r", in: "c") }
      var one = base
      one.edit(at: DocumentTests.at(3, Self.phone)) { $0.restore("r", in: "c") }
      var other = base
      other.edit(at: DocumentTests.at(3, Self.laptop)) { $0.restore("r", in: "c") }
      #expect(one.merging(other).contains("r", in: "c"), "\(rule)")
      one.edit(at: DocumentTests.at(4, Self.phone)) { $0.delete("r", in: "c") }
      #expect(!one.merging(other).contains("r", in: "c"), "\(rule)")
    }
  }

  @Test("who creates a deleted record again has it with what it held") func createdAgain() throws {
    for rule in Self.rules {
      var document = try Self.base(rule)
      let fields = document.fields(of: "r", in: "c")
      document.edit(at: DocumentTests.at(2, Self.phone)) { edit in
        edit.delete("r", in: "c")
        let isNew = edit.create("r", in: "c")
        #expect(isNew)
      }
      #expect(document.fields(of: "r", in: "c") == fields, "\(rule)")
    }
  }

  @Test("a record that two create concurrently, one of them deleting it") func createdTwice() {
    for rule in Self.rules {
      let schema = Schema(collections: ["c": Schema.Collection(deletion: rule)])
      var one = Document(schema: schema)
      one.edit(at: DocumentTests.at(1, Self.phone)) { $0.set("x", of: "r", in: "c", to: 1) }
      one.edit(at: DocumentTests.at(5, Self.phone)) { $0.delete("r", in: "c") }
      var other = Document(schema: schema)
      other.edit(at: DocumentTests.at(3, Self.laptop)) { $0.create("r", in: "c") }
      let both = one.merging(other)
      #expect(both.contains("r", in: "c") == (rule == .updateWins), "\(rule)")
    }
  }
}
