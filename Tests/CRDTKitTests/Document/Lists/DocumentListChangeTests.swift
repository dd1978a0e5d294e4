import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// What a view shows that makes the changes of a document's list.
private struct ListView {
  var rows: [(name: String, value: Document.Value?)] = []
  var shown: Document.List?

  mutating func show(_ list: Document.List) {
    for change in list.changes(since: shown) {
      switch change {
      case .remove(let offset, _, _): rows.remove(at: offset)
      case .insert(let offset, let name, _): rows.insert((name, nil), at: offset)
      }
    }
    let edited = Set(list.edited(since: shown))
    let values = Dictionary(uniqueKeysWithValues: zip(list.names, list.elements))
    for place in rows.indices where rows[place].value == nil || edited.contains(rows[place].name) {
      rows[place].value = values[rows[place].name]
    }
    shown = list
  }
}

@Suite("The changes of lists in documents")
struct DocumentListChangeTests {
  private static let schema = Schema(
    collections: [
      "boards": Schema.Collection(fields: ["tasks": .list, "tasks.*.votes": .counter])
    ])

  private static func stamp(_ number: Int, _ replica: Int) -> HybridTimestamp {
    HybridTimestamp(milliseconds: UInt64(number) + 1, replica: ReplicaID(UInt64(replica) + 1))
  }

  @Test("views that make the changes show the list, whenever they look and whoever has written")
  func schedules() {
    for seed: UInt64 in 1...40 {
      if let problem = failure(seed, 40) {
        let least = (1...40).first { failure(seed, $0) != nil } ?? 40
        Issue.record("seed \(seed), \(least) steps: \(failure(seed, least) ?? problem)")
      }
    }
  }

  private func failure(_ seed: UInt64, _ steps: Int) -> String? {
    var random = SeededGenerator(seed: seed)
    var documents = Array(repeating: Document(schema: Self.schema), count: 3)
    if seed.isMultiple(of: 3) {
      // What was an array before the field had the rule.
      var former = Document()
      former.edit(at: Self.stamp(0, 7)) {
        $0.set("tasks", of: "b", in: "boards", to: ["x", "y", "x", ["id": "i"]])
      }
      documents[0].merge(former)
    }
    var views = Array(repeating: ListView(), count: 3)
    for number in 1...steps {
      let acting = Int.random(in: 0..<3, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        documents[acting].merge(documents[Int.random(in: 0..<3, using: &random)])
      } else {
        var elements: [Document.Value] = []
        if case .array(let known)? = documents[acting].value(of: "tasks", of: "b", in: "boards") {
          elements = known
        }
        change(&elements, number, &random)
        documents[acting].edit(at: Self.stamp(number, acting)) {
          $0.set("tasks", of: "b", in: "boards", to: .array(elements))
        }
      }
      let looks = Int.random(in: 0..<3, using: &random) != 0
      guard looks, let list = documents[acting].list(of: "tasks", of: "b", in: "boards") else {
        continue
      }
      views[acting].show(list)
      let value = documents[acting].value(of: "tasks", of: "b", in: "boards")
      if value != .array(views[acting].rows.map { $0.value ?? .null }) {
        return "step \(number): shows \(views[acting].rows), not \(String(describing: value))"
      }
      if views[acting].rows.map(\.name) != list.names { return "step \(number): other names" }
    }
    return nil
  }

  private func change(
    _ elements: inout [Document.Value], _ number: Int, _ random: inout SeededGenerator
  ) {
    let place = elements.isEmpty ? 0 : Int.random(in: elements.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 1 where !elements.isEmpty: elements.remove(at: place)
    case 2 where !elements.isEmpty:
      let moved = elements.remove(at: place)
      elements.insert(moved, at: Int.random(in: 0...elements.count, using: &random))
    case 3 where !elements.isEmpty:
      guard case .object(var fields) = elements[place] else {
        elements[place] = .string("e\(number)")
        return
      }
      fields["title"] = .string("t\(number)")
      fields["votes"] = .int(Int64(number))
      elements[place] = .object(fields)
    case 4: elements.insert("a", at: place)
    default: elements.insert(["id": .string("i\(number)"), "title": "new"], at: place)
    }
  }

  @Test("a moved element is removed and inserted, and the two name each other")
  func moves() throws {
    var document = Document(schema: Self.schema)
    let (one, two, three): (Document.Value, Document.Value, Document.Value) =
      (["id": "1"], ["id": "2"], ["id": "3"])
    document.edit(at: Self.stamp(1, 1)) {
      $0.set("tasks", of: "b", in: "boards", to: [one, two, three])
    }
    let before = try #require(document.list(of: "tasks", of: "b", in: "boards"))
    #expect(before.names == ["1", "2", "3"])
    #expect(before.edited(since: nil).isEmpty)
    document.edit(at: Self.stamp(2, 1)) {
      $0.set("tasks", of: "b", in: "boards", to: [["id": "3", "title": "x"], one, two])
    }
    let after = try #require(document.list(of: "tasks", of: "b", in: "boards"))
    let changes = Array(after.changes(since: before))
    #expect(
      changes == [
        .remove(offset: 2, element: "3", associatedWith: 0),
        .insert(offset: 0, element: "3", associatedWith: 2),
      ])
    #expect(after.edited(since: before) == ["3"])
    #expect(before.names.applying(after.changes(since: before)) == after.names)
    document.edit(at: Self.stamp(3, 1)) { $0.set("tasks", of: "b", in: "boards", to: 7) }
    #expect(document.list(of: "tasks", of: "b", in: "boards") == nil)
  }
}
