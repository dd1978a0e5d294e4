import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("What undoing leaves to others")
struct UndoOwnTests {
  let stores = TestStores()

  private func open(_ path: String = "/store") async throws -> Store {
    try await Store.open(at: path, for: Leaf.self, options: stores.options)
  }

  private let id = Document.RecordID("a", in: Leaf.collection)

  private func omission(_ field: FieldPath?, _ reason: Store.Receipt.Reason)
    -> Store.Receipt.Omission
  {
    Store.Receipt.Omission(record: id, field: field, reason: reason)
  }

  @Test("A nested struct that comes back is changed field by field afterwards")
  func nested() async throws {
    let store = try await open()
    try await store.write { try $0.create(Leaf(id: "a", place: .init(city: "Oslo", zip: 1))) }
    let receipt = try await store.write { try $0.update(Leaf.self, "a") { $0.place = nil } }
    try await store.undo(receipt)
    try await store.write { try $0.update(Leaf.self, "a") { $0.place?.zip = 2 } }
    #expect(try store.get(Leaf.self, "a")?.place == Leaf.Spot(city: "Oslo", zip: 2))
    try await store.close()
  }

  @Test("A commit is undone once, also by a receipt that was kept and another opening")
  func twice() async throws {
    var store = try await open()
    try await store.write { try $0.create(Leaf(id: "a", likes: 6)) }
    let receipt = try await store.write { try $0.update(Leaf.self, "a") { $0.likes += 4 } }
    let text = try JSONEncoder().encode(receipt)
    await #expect(throws: RecordError.undone(try #require(receipt.dot))) {
      try await store.write { tx in
        try tx.undo(receipt)
        try tx.undo(receipt)
      }
    }
    let undoing = try await store.undo(receipt)
    #expect(try store.get(Leaf.self, "a")?.likes == 6)
    await #expect(throws: RecordError.undone(try #require(receipt.dot))) {
      try await store.undo(receipt)
    }
    try await store.close()
    store = try await open()
    let kept = try JSONDecoder().decode(Store.Receipt.self, from: text)
    await #expect(throws: RecordError.undone(try #require(receipt.dot))) {
      try await store.undo(kept)
    }
    // To have it again, the undoing is undone.
    try await store.undo(undoing)
    #expect(try store.get(Leaf.self, "a")?.likes == 10)
    try await store.close()
  }

  @Test("Commits that are older than what is remembered of undos are refused")
  func forgotten() async throws {
    let store = try await open()
    try await store.write { tx in for name in 0..<520 { try tx.create(Leaf(id: "\(name)")) } }
    var receipts: [Store.Receipt] = []
    for name in 0..<520 {
      receipts.append(
        try await store.write(.relaxed) { try $0.update(Leaf.self, "\(name)") { $0.likes = 1 } })
    }
    let all = receipts
    try await store.write { tx in for receipt in all.dropFirst() { try tx.undo(receipt) } }
    for receipt in [all[0], all[1]] {
      await #expect(throws: RecordError.undoForgotten(try #require(receipt.dot))) {
        try await store.undo(receipt)
      }
    }
    await #expect(throws: RecordError.undone(try #require(all[519].dot))) {
      try await store.undo(all[519])
    }
    #expect(store.all(Leaf.self).map(\.likes).reduce(0, +) == 1)
    try await store.close()
  }

  @Test("A value that was written beside it is shown, and its side of a conflict stays")
  func beside() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    try await store.write { try $0.create(Leaf(id: "a", title: "base", body: "base")) }
    try await store.merge(with: other)
    stores.clock.milliseconds += 1
    try await other.write { tx in
      try tx.update(Leaf.self, "a") { ($0.title, $0.body) = ("theirs", "theirs") }
    }
    stores.clock.milliseconds += 1
    let receipt = try await store.write { tx in
      try tx.update(Leaf.self, "a") { ($0.title, $0.body) = ("mine", "mine") }
    }
    try await store.merge(with: other)
    #expect(try store.get(Leaf.self, "a")?.title == "mine")
    #expect(store.conflicts(of: Leaf.self).count == 1)
    let undoing = try await store.undo(receipt)
    #expect(undoing.omissions == [])
    #expect(try store.get(Leaf.self, "a") == Leaf(id: "a", title: "theirs", body: "theirs"))
    #expect(store.conflicts(of: Leaf.self) == [])
    try await store.merge(with: other)
    #expect(try other.get(Leaf.self, "a") == store.get(Leaf.self, "a"))
    // Redone, both are there again.
    try await store.undo(undoing)
    #expect(try store.get(Leaf.self, "a")?.title == "mine")
    #expect(store.conflicts(of: Leaf.self).count == 1)
    try await store.close()
    try await other.close()
  }

  @Test("Two that undo at once what they wrote beside each other come back to the base")
  func atOnce() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    try await store.write { tx in
      try tx.create(Leaf(id: "a", title: "base", place: .init(city: "Oslo")))
    }
    try await store.merge(with: other)
    var receipts: [Store.Receipt] = []
    for (each, title) in [(store, "mine"), (other, "theirs")] {
      stores.clock.milliseconds += 1
      receipts.append(
        try await each.write { tx in
          try tx.update(Leaf.self, "a") { ($0.title, $0.place) = (title, nil) }
        })
    }
    try await store.merge(with: other)
    try await store.undo(receipts[0])
    try await other.undo(receipts[1])
    try await store.merge(with: other)
    for each in [store, other] {
      #expect(
        try each.get(Leaf.self, "a") == Leaf(id: "a", title: "base", place: .init(city: "Oslo")))
      #expect(each.conflicts(of: Leaf.self) == [])
      try await each.close()
    }
  }

  @Test("Who has assigned the same value since has assigned it, and it stays")
  func sameValue() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    try await store.write { try $0.create(Leaf(id: "a", title: "x")) }
    let receipt = try await store.write { try $0.update(Leaf.self, "a") { $0.title = "z" } }
    try await store.merge(with: other)
    for title in ["y", "z"] {
      stores.clock.milliseconds += 1
      try await other.write { try $0.update(Leaf.self, "a") { $0.title = title } }
    }
    try await store.merge(with: other)
    let undoing = try await store.undo(receipt)
    #expect(undoing.dot == nil)
    #expect(undoing.omissions == [omission("title", .changedSince)])
    #expect(try store.get(Leaf.self, "a")?.title == "z")
    try await store.close()
    try await other.close()
  }

  @Test("A draft that is undone shows what came meanwhile")
  func draft() async throws {
    let store = try await open()
    try await store.write { try $0.create(Leaf(id: "a", title: "v1")) }
    var form = try store.draft(Leaf.self, "a")
    form.title = "mine"
    let filled = form
    stores.clock.milliseconds += 1
    try await store.write { try $0.update(Leaf.self, "a") { $0.title = "v2" } }
    stores.clock.milliseconds += 1
    let receipt = try await store.write { try $0.commit(filled) }
    try await store.undo(receipt)
    #expect(try store.get(Leaf.self, "a")?.title == "v2")
    try await store.close()
  }

  @Test("What a commit did twice to a field is undone to before the first")
  func severalChanges() async throws {
    let store = try await open()
    try await store.write { try $0.create(Leaf(id: "a", title: "0", tags: ["x"])) }
    var form = try store.draft(Leaf.self, "a")
    (form.title, form.tags, form.likes) = ("1", ["y"], 1)
    let filled = form
    let receipt = try await store.write { tx in
      try tx.commit(filled)
      try tx.update(Leaf.self, "a") { ($0.title, $0.tags, $0.likes) = ("2", ["z"], 3) }
    }
    let undoing = try await store.undo(receipt)
    #expect(undoing.omissions == [])
    #expect(try store.get(Leaf.self, "a") == Leaf(id: "a", title: "0", tags: ["x"]))
    try await store.undo(undoing)
    #expect(
      try store.get(Leaf.self, "a") == Leaf(id: "a", title: "2", likes: 3, tags: ["z"]))
    try await store.close()
  }

  @Test("A set that a commit has made in several steps comes back whole")
  func madeSet() async throws {
    struct Bag: Codable, Identifiable, Replicated {
      let id: String
      var tags: Set<String>?
      var groups: [String: Set<String>] = [:]
      static let collection = "bags"
      static let rules = Rules([CodingKeys.tags: .set]).with(["groups.*": .set])
    }
    let store = try await Store.open(at: "/store", for: Bag.self, options: stores.options)
    try await store.write { try $0.create(Bag(id: "a")) }
    var form = try store.draft(Bag.self, "a")
    (form.tags, form.groups["g"]) = (["x", "y"], ["x", "y"])
    let filled = form
    let receipt = try await store.write { tx in
      try tx.commit(filled)
      try tx.update(Bag.self, "a") { ($0.tags, $0.groups["g"]) = (["y", "z"], ["y", "z"]) }
    }
    func expect(_ elements: Set<String>?) throws {
      let bag = try store.get(Bag.self, "a")
      #expect(bag?.tags == elements && bag?.groups["g"] == elements)
    }
    let undoing = try await store.undo(receipt)
    try expect(nil)
    let redoing = try await store.undo(undoing)
    try expect(["y", "z"])
    try await store.undo(redoing)
    try expect(nil)
    try await store.close()
  }

  @Test("A record that was made anew under the name is left alone")
  func anew() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    let creating = try await store.write { try $0.create(Leaf(id: "a", tags: ["y"])) }
    let update = try await store.write { tx in
      try tx.update(Leaf.self, "a") { leaf in
        leaf.likes += 5
        leaf.tags = ["x"]
      }
    }
    try await store.merge(with: other)
    try await other.write { try $0.delete(Leaf.self, "a") }
    try await other.write { try $0.create(Leaf(id: "a", likes: 100, tags: ["x"])) }
    try await store.merge(with: other)
    let undoing = try await store.undo(update)
    #expect(Set(undoing.omissions.map(\.reason)) == [.replaced])
    #expect(try await store.undo(creating).omissions == [omission(nil, .changedSince)])
    #expect(try store.get(Leaf.self, "a") == Leaf(id: "a", likes: 100, tags: ["x"]))
    try await store.close()
    try await other.close()
  }

  @Test("What is deleted or purged can't be undone, and the receipt says so")
  func deleted() async throws {
    let store = try await open()
    try await store.write { try $0.create(Leaf(id: "a")) }
    let update = try await store.write { try $0.update(Leaf.self, "a") { $0.likes += 1 } }
    let deleting = try await store.write { try $0.delete(Leaf.self, "a") }
    var undoing = try await store.undo(update)
    #expect(undoing.omissions == [omission(nil, .deleted)] && undoing.dot == nil)
    // Once it can be, it is.
    let restoring = try await store.undo(deleting)
    #expect(restoring.omissions == [])
    try await store.undo(update)
    #expect(try store.get(Leaf.self, "a")?.likes == 0)
    let again = try await store.write { try $0.delete(Leaf.self, "a") }
    stores.clock.milliseconds += 40 * 86_400_000
    try await store.compact()
    undoing = try await store.undo(again)
    #expect(undoing.omissions == [omission(nil, .deleted)] && undoing.dot == nil)
    #expect("\(undoing)" == "no commit: left out a in leaves: it is deleted")
    try await store.close()
  }

  @Test("A struct that a commit has made stays where others have written in it")
  func madeStruct() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    try await store.write { try $0.create(Leaf(id: "a")) }
    let receipt = try await store.write { tx in
      try tx.update(Leaf.self, "a") { leaf in
        leaf.title = "t"
        leaf.place = .init(city: "Oslo")
      }
    }
    try await store.merge(with: other)
    try await other.write { try $0.update(Leaf.self, "a") { $0.place?.zip = 1 } }
    try await store.merge(with: other)
    let undoing = try await store.undo(receipt)
    #expect(undoing.omissions == [omission("place", .changedSince)])
    #expect(try store.get(Leaf.self, "a") == Leaf(id: "a", place: .init(city: "Oslo", zip: 1)))
    try await store.close()
    try await other.close()
  }

  @Test("A form with a part of a struct that others have taken away writes the rest")
  func formOfTakenStruct() async throws {
    let store = try await open()
    try await store.write { try $0.create(Leaf(id: "a", place: .init(city: "Oslo"))) }
    var form = try store.draft(Leaf.self, "a")
    try await store.write { try $0.update(Leaf.self, "a") { $0.place = nil } }
    form.place?.zip = 1
    form.title = "t"
    let filled = form
    let receipt = try await store.write { try $0.commit(filled) }
    #expect(receipt.omissions == [omission("place", .unreadable)])
    #expect(try store.get(Leaf.self, "a") == Leaf(id: "a", title: "t"))
    try await store.close()
  }

  @Test("A record in which others have written isn't deleted by undoing its creation")
  func createdAndShared() async throws {
    let (store, other) = (try await open(), try await open("/other"))
    let receipt = try await store.write { try $0.create(Leaf(id: "a")) }
    try await store.merge(with: other)
    try await other.write { try $0.update(Leaf.self, "a") { $0.body = "an hour's work" } }
    try await store.merge(with: other)
    #expect(try await store.undo(receipt).omissions == [omission(nil, .changedSince)])
    #expect(try store.get(Leaf.self, "a")?.body == "an hour's work")
    try await store.close()
    try await other.close()
  }

  @Test("A counter that was removed since is not counted back")
  func removedCounter() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a", scores: ["p": 1])) }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.scores["p"] = 6 } }
    try await store.write { try $0.update(Card.self, "a") { $0.scores["p"] = nil } }
    try await store.write { try $0.update(Card.self, "a") { $0.scores["p"] = 2 } }
    let undoing = try await store.undo(receipt)
    #expect(undoing.omissions.map(\.reason) == [.changedSince])
    #expect(try store.get(Card.self, "a")?.scores == ["p": 2])
    try await store.close()
  }
}
