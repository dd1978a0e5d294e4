import CRDTTestSupport
import Testing

@testable import CRDTKit

private struct Board: Codable, Equatable {
  struct Task: Codable, Equatable, Identifiable {
    var id: String
    var title: String
    var isDone = false
    var note: String?
  }

  var name = ""
  var tasks: [Task] = []
  var tags: [String] = []
}

@Suite("Lists in documents")
struct DocumentListTests {
  private static let schema = Schema(
    collections: [
      "boards": Schema.Collection(fields: [
        "tasks": .list, "tags": .list, "tasks.*.votes": .counter, "tasks.*.body": .text,
      ])
    ])
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)
  private var time: UInt64 = 0

  private mutating func stamp(_ replica: ReplicaID) -> HybridTimestamp {
    time += 1
    return HybridTimestamp(milliseconds: time, replica: replica)
  }

  private mutating func write(
    _ board: Board, changedFrom base: Board? = nil, to document: inout Document,
    by replica: ReplicaID
  ) throws {
    try document.write(board, changedFrom: base, to: "b", in: "boards", at: stamp(replica))
  }

  private func read(_ document: Document) throws -> Board? {
    try document.read(Board.self, "b", in: "boards")
  }

  private func titles(_ document: Document) throws -> [String] {
    try read(document)?.tasks.map(\.title) ?? []
  }

  private mutating func shopping() throws -> (Document, Board) {
    let board = Board(
      name: "shop",
      tasks: [Board.Task(id: "m", title: "milk"), Board.Task(id: "t", title: "tea")],
      tags: ["food", "home"])
    var document = Document(schema: Self.schema)
    try write(board, to: &document, by: phone)
    return (document, board)
  }

  @Test("two people insert, move, edit and remove at the same time")
  mutating func together() throws {
    var (one, board) = try shopping()
    var other = one
    var mine = board
    mine.tasks.append(Board.Task(id: "b", title: "bread"))
    mine.tasks[0].isDone = true
    mine.tags.insert("now", at: 1)
    try write(mine, changedFrom: board, to: &one, by: phone)
    var theirs = board
    theirs.tasks[0].title = "oat milk"
    theirs.tasks.swapAt(0, 1)
    theirs.tags.append("cheap")
    try write(theirs, changedFrom: board, to: &other, by: laptop)
    one.merge(other)
    other.merge(one)
    #expect(one.encoded() == other.encoded())
    let merged = try #require(try read(one))
    #expect(merged.tasks.map(\.title).sorted() == ["bread", "oat milk", "tea"])
    #expect(merged.tasks.first { $0.id == "m" }?.isDone == true)
    #expect(merged.tags == ["food", "now", "home", "cheap"])
  }

  @Test("what equals what is there makes no event, also as a model")
  mutating func unchanged() throws {
    var (document, board) = try shopping()
    let version = document.version
    try write(board, to: &document, by: laptop)
    try write(board, changedFrom: board, to: &document, by: laptop)
    let tasks = document.value(of: "tasks", of: "b", in: "boards") ?? .null
    document.edit(at: stamp(phone)) { _ = $0.set("tasks", of: "b", in: "boards", to: tasks) }
    #expect(document.version == version)
  }

  @Test("an array under another rule is the first content; two that convert it agree")
  mutating func converted() throws {
    var plain = Document()
    let board = Board(
      tasks: [Board.Task(id: "a", title: "a"), Board.Task(id: "b", title: "b")],
      tags: ["x", "y", "x"])
    try write(board, to: &plain, by: phone)
    var one = try Document(decoding: plain.encoded(), schema: Self.schema)
    var other = one
    #expect(try read(one) == board)
    var (mine, theirs) = (board, board)
    mine.tasks[0].title = "A"
    mine.tags[1] = "Y"
    theirs.tasks[1].title = "B"
    theirs.tags.append("z")
    try write(mine, changedFrom: board, to: &one, by: phone)
    try write(theirs, changedFrom: board, to: &other, by: laptop)
    one.merge(other)
    other.merge(one)
    #expect(one.encoded() == other.encoded())
    #expect(try read(one)?.tasks.map(\.title) == ["A", "B"])
    #expect(try read(one)?.tags == ["x", "Y", "x", "z"])
  }

  @Test("a removed object stays removed, whether it is moved or edited meanwhile")
  mutating func removed() throws {
    var (one, board) = try shopping()
    var other = one
    var (mine, theirs) = (board, board)
    mine.tasks.removeFirst()
    theirs.tasks[0].title = "oat milk"
    theirs.tasks.append(theirs.tasks.removeFirst())
    try write(mine, changedFrom: board, to: &one, by: phone)
    try write(theirs, changedFrom: board, to: &other, by: laptop)
    one.merge(other)
    other.merge(one)
    #expect(try titles(one) == ["tea"])
    #expect(try titles(other) == ["tea"])
    // Made again, it is another one: nothing of the old one shows.
    var again = try #require(try read(one))
    again.tasks.append(Board.Task(id: "m", title: "milk", note: nil))
    try write(again, to: &one, by: phone)
    #expect(try read(one)?.tasks == again.tasks)
  }

  @Test("concurrent moves leave an element at one place")
  mutating func moves() throws {
    var document = Document(schema: Self.schema)
    let board = Board(tasks: (0..<6).map { Board.Task(id: "\($0)", title: "\($0)") })
    try write(board, to: &document, by: phone)
    var copies = [document, document, document]
    for place in copies.indices {
      var moved = board
      moved.tasks.insert(moved.tasks.remove(at: 0), at: place + 3)
      try write(moved, changedFrom: board, to: &copies[place], by: ReplicaID(UInt64(place) + 5))
    }
    for copy in copies { document.merge(copy) }
    #expect(try titles(document) == ["1", "2", "3", "4", "5", "0"])
  }

  @Test("elements have counters, texts and lists of their own")
  mutating func nested() throws {
    var one = Document(schema: Self.schema)
    one.edit(at: stamp(phone)) { edit in
      edit.set("tasks", of: "b", in: "boards", to: [["id": 7, "votes": 1, "body": "one two"]])
    }
    var other = one
    one.edit(at: stamp(phone)) { edit in
      edit.set("tasks", of: "b", in: "boards", to: [["id": 7, "votes": 3, "body": "zero one two"]])
    }
    other.edit(at: stamp(laptop)) { edit in
      edit.set(
        "tasks", of: "b", in: "boards",
        to: [["id": 8], ["id": 7, "votes": 2, "body": "one two three"]])
    }
    one.merge(other)
    #expect(
      one.value(of: "tasks", of: "b", in: "boards")
        == [["id": 8], ["id": 7, "votes": 4, "body": "zero one two three"]])
    #expect(one.value(of: ["tasks", "7", "votes"], of: "b", in: "boards") == 4)
    let explanation = one.explain("tasks", of: "b", in: "boards")
    #expect(explanation?.rule == .list)
  }

  @Test("a list gives way to another value, and comes back")
  mutating func replaced() throws {
    var (document, board) = try shopping()
    document.edit(at: stamp(phone)) { _ = $0.set("tasks", of: "b", in: "boards", to: "none") }
    #expect(document.value(of: "tasks", of: "b", in: "boards") == "none")
    document.edit(at: stamp(phone)) { edit in
      _ = edit.set("tasks", of: "b", in: "boards", to: ["x": 1])
    }
    #expect(document.value(of: "tasks", of: "b", in: "boards") == ["x": 1])
    try write(board, to: &document, by: phone)
    #expect(try read(document) == board)
    document.edit(at: stamp(phone)) { _ = $0.remove("tasks", of: "b", in: "boards") }
    #expect(document.value(of: "tasks", of: "b", in: "boards") == nil)
  }

  @Test("fields that a model doesn't know stay in elements")
  mutating func unknown() throws {
    var document = Document(schema: Self.schema)
    document.edit(at: stamp(phone)) { edit in
      edit.set(
        "tasks", of: "b", in: "boards",
        to: [["id": "m", "title": "milk", "isDone": false, "color": "red"]])
      edit.set("name", of: "b", in: "boards", to: "")
      edit.set("tags", of: "b", in: "boards", to: [])
    }
    let board = try #require(try read(document))
    var changed = board
    changed.tasks[0].title = "oat milk"
    try write(changed, changedFrom: board, to: &document, by: laptop)
    changed.tasks[0].isDone = true
    try write(changed, to: &document, by: laptop)
    #expect(
      document.value(of: "tasks", of: "b", in: "boards")
        == [["id": "m", "title": "oat milk", "isDone": true, "color": "red"]])
  }

  @Test("what belongs together in an element stays together")
  mutating func wholes() throws {
    struct Plan: Codable, Equatable {
      enum Status: Codable, Equatable {
        case open(by: String)
        case done(at: Int)
      }
      struct Person: Codable, Equatable, Identifiable {
        var id: String
        var name: String
      }
      struct Step: Codable, Equatable, Identifiable {
        var id: Int
        var status: Status
        var owner = Person(id: "m", name: "Mia")
      }

      var steps: [Step] = []
      var log: [Status] = []
    }
    var one = Document(
      schema: Schema(collections: [
        "plans": Schema.Collection(fields: ["steps": .list, "log": .list])
      ]))
    let plan = Plan(steps: [.init(id: 1, status: .open(by: "me"))], log: [.open(by: "me")])
    try one.write(plan, to: "p", in: "plans", at: stamp(phone))
    var other = one
    var (mine, theirs) = (plan, plan)
    mine.steps[0].status = .done(at: 3)
    mine.log[0] = .done(at: 3)
    theirs.steps[0].status = .open(by: "you")
    mine.steps[0].owner.id = "n"
    theirs.steps[0].owner.name = "Max"
    theirs.log[0] = .open(by: "you")
    try one.write(mine, changedFrom: plan, to: "p", in: "plans", at: stamp(phone))
    try other.write(theirs, changedFrom: plan, to: "p", in: "plans", at: stamp(laptop))
    one.merge(other)
    #expect(try one.read(Plan.self, "p", in: "plans") == theirs)
    var again = theirs
    again.steps[0].status = .done(at: 4)
    try one.write(again, to: "p", in: "plans", at: stamp(phone))
    #expect(try one.read(Plan.self, "p", in: "plans") == again)
  }

  @Test("a field changes between a set and a list, and keeps its elements")
  mutating func ofSets() {
    var document = Document(
      schema: Schema(collections: ["boards": Schema.Collection(fields: ["tags": .set])]))
    let set = { (document: inout Document, value: Document.Value, stamp: HybridTimestamp) in
      _ = document.edit(at: stamp) { _ = $0.set("tags", of: "b", in: "boards", to: value) }
    }
    set(&document, ["a", "b"], stamp(phone))
    document.schema = Self.schema
    #expect(document.value(of: "tags", of: "b", in: "boards") == ["a", "b"])
    let change = Document.FieldChange("tags", .assign(["a", "b", "c"], before: ["a", "b"]))
    document.edit(at: stamp(phone)) { _ = $0.apply([change], to: "b", in: "boards") }
    #expect(document.value(of: "tags", of: "b", in: "boards") == ["a", "b", "c"])
    document.schema = Schema(
      collections: ["boards": Schema.Collection(fields: ["tags": .set])])
    document.edit(at: stamp(phone)) { _ = $0.insert("d", into: "tags", of: "b", in: "boards") }
    #expect(document.value(of: "tags", of: "b", in: "boards") == ["a", "b", "c", "d"])
  }

  @Test("what has rules within an element is written by itself, also in what was an array")
  mutating func rulesWithin() {
    let boards: Document.Value = [["id": "a", "stats": ["name": "x", "votes": 1]]]
    var one = Document()
    one.edit(at: stamp(phone)) { _ = $0.set("tasks", of: "b", in: "boards", to: boards) }
    one.schema = Schema(
      collections: [
        "boards": Schema.Collection(fields: ["tasks": .list, "tasks.*.stats.votes": .counter])
      ])
    var other = one
    for place in 0...1 {
      one.edit(at: stamp(phone)) { edit in
        _ = edit.set(
          ["tasks", "a", "stats", "votes"], of: "b", in: "boards", to: .int(2 + Int64(place)))
      }
    }
    other.edit(at: stamp(laptop)) { edit in
      _ = edit.set(["tasks", "a", "stats", "votes"], of: "b", in: "boards", to: 5)
    }
    one.merge(other)
    #expect(
      one.value(of: "tasks", of: "b", in: "boards")
        == [["id": "a", "stats": ["name": "x", "votes": 7]]])
  }

  @Test("a write within an element that is still part of an array makes the list")
  mutating func paths() throws {
    var document = Document()
    try write(
      Board(tasks: [Board.Task(id: "a", title: "a"), Board.Task(id: "b", title: "b")]),
      to: &document, by: phone)
    document.schema = Self.schema
    document.edit(at: stamp(phone)) { edit in
      _ = edit.set(["tasks", "b", "title"], of: "b", in: "boards", to: "B")
    }
    #expect(try titles(document) == ["a", "B"])
  }

  @Test("new stamps leave an order as it is")
  mutating func restamped() throws {
    time = 1_000_000
    var (document, board) = try shopping()
    board.tasks = ["d", "a", "c", "b"].map { Board.Task(id: $0, title: $0) }
    try write(board, to: &document, by: phone)
    let stamp = HybridTimestamp(milliseconds: 20, replica: phone)
    #expect(document.restamp(after: 10 << 16, at: stamp) != nil)
    #expect(try read(document) == board)
  }

  @Test("an array reads as it was written, with doubled identifiers and elements without a place")
  mutating func exactly() throws {
    var (one, board) = try shopping()
    board.tasks.insert(Board.Task(id: "t", title: "tea again"), at: 0)
    try write(board, to: &one, by: phone)
    #expect(try read(one) == board)
    board.tags = ["x", "food", "food", "x"]
    try write(board, to: &one, by: phone)
    var other = one
    var (mine, theirs) = (board, board)
    mine.tags[3] = "y"
    theirs.tags.removeLast()
    try write(mine, changedFrom: board, to: &one, by: phone)
    try write(theirs, changedFrom: board, to: &other, by: laptop)
    one.merge(other)
    var last = try #require(try read(one))
    last.tags = ["food", "y", "n", "food"]
    try write(last, to: &one, by: phone)
    #expect(try read(one) == last)
  }

  @Test("three versions of a file are merged element by element")
  func threeWay() {
    let rules = Schema.Collection(fields: ["tasks": .list, "tags": .list])
    let base: Document.Value = [
      "tasks": [["id": "a", "n": 1], ["id": "b", "n": 2], ["id": "c", "n": 3]],
      "tags": ["x", "y"],
    ]
    let ours: Document.Value = [
      "tasks": [["id": "b", "n": 2], ["id": "c", "n": 4], ["id": "d", "n": 5]],
      "tags": ["x", "new", "y"],
    ]
    let theirs: Document.Value = [
      "tasks": [["id": "c", "n": 3], ["id": "e"], ["id": "a", "n": 1], ["id": "b", "n": 9]],
      "tags": ["y", "z"],
    ]
    let merge = ThreeWayMerge(base: base, ours: ours, theirs: theirs, rules: rules)
    #expect(
      merge.value == [
        "tasks": [["id": "c", "n": 4], ["id": "e"], ["id": "b", "n": 9], ["id": "d", "n": 5]],
        "tags": ["new", "y", "z"],
      ])
    #expect(merge.conflicts.isEmpty)
    let both = ThreeWayMerge(
      base: base, ours: ["tasks": [["id": "a", "n": 5]]], theirs: ["tasks": [["id": "a", "n": 6]]],
      rules: rules)
    #expect(both.conflicts.map(\.path) == [["tasks", "a", "n"]])
  }
}
