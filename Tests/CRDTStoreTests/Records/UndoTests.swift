import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Undoing commits")
struct UndoTests {
  let stores = TestStores()

  @Test("Others' later changes stay; counts and elements are taken back from whatever there is")
  func laterChanges() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.create(Card(id: "a", title: "0", tags: ["x"])) }
    try await store.merge(with: other)
    let receipt = try await store.write { tx in
      try tx.update(Card.self, "a") { card in
        card.title = "1"
        card.color = "red"
        card.likes += 5
        card.tags = ["y"]
        card.rooms["r"] = .init(city: "hall", floor: 1)
      }
    }
    try await store.merge(with: other)
    stores.clock.milliseconds += 10
    try await other.write { tx in
      try tx.update(Card.self, "a") { card in
        card.title = "2"
        card.likes += 7
        card.tags.insert("z")
      }
    }
    try await store.merge(with: other)
    let undoing = try await store.undo(receipt)
    #expect(
      try store.get(Card.self, "a") == Card(id: "a", title: "2", tags: ["x", "z"], likes: 7))
    try await store.merge(with: other)
    #expect(try other.get(Card.self, "a") == store.get(Card.self, "a"))
    try await store.undo(undoing)
    #expect(
      try store.get(Card.self, "a")
        == Card(
          id: "a", title: "2", color: "red", tags: ["y", "z"], likes: 12,
          rooms: ["r": .init(city: "hall", floor: 1)]))
    try await store.close()
    try await other.close()
  }

  @Test("An entry that comes back is merged by its fields as before")
  func entryThatComesBack() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write {
      try $0.create(Card(id: "a", rooms: ["r": .init(city: "hall", floor: 1)]))
    }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.rooms["r"] = nil } }
    try await store.undo(receipt)
    try await store.merge(with: other)
    try await store.write { try $0.update(Card.self, "a") { $0.rooms["r"]?.city = "loft" } }
    try await other.write { try $0.update(Card.self, "a") { $0.rooms["r"]?.floor = 9 } }
    try await store.merge(with: other)
    #expect(try store.get(Card.self, "a")?.rooms == ["r": .init(city: "loft", floor: 9)])
    #expect(try other.get(Card.self, "a")?.rooms == ["r": .init(city: "loft", floor: 9)])
    try await store.close()
    try await other.close()
  }

  @Test("An undoing that is refused midway leaves nothing of it in the transaction")
  func refusedMidway() async throws {
    let store = try await stores.openCards()
    try await store.write { tx in
      try tx.create(Card(id: "a", title: "refused?"))
      try tx.create(Card(id: "b"))
    }
    // Another model of the same records, which refuses nothing, writes what is invalid.
    try await store.write { tx in
      try tx.update(OldCard.self, "a") { $0.title = "refused" }
    }
    let receipt = try await store.write { tx in
      try tx.update(Card.self, "a") { $0.title = "fine" }
      try tx.update(Card.self, "b") { $0.likes = 1 }
    }
    try await store.write { tx in
      #expect(throws: Card.Refusal.self) { try tx.undo(receipt) }
      let kept = try tx.get(Card.self, "b")
      #expect(kept?.likes == 1)
    }
    #expect(try store.get(Card.self, "b")?.likes == 1)
    await #expect(throws: Card.Refusal.self) { try await store.undo(receipt) }
    try await store.close()
  }

  @Test("Counts that have no room are refused, and not lost")
  func overflow() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.likes = -1 } }
    let draft = try store.draft(Card.self, "a")
    try await store.write { try $0.update(Card.self, "a") { $0.likes = .max } }
    let refusal = RecordError.counterOverflow(Card.id("a"), ["likes"])
    await #expect(throws: refusal) { try await store.undo(receipt) }
    var form = draft
    form.likes += 1
    let filled = form
    await #expect(throws: refusal) { try await store.write { try $0.commit(filled) } }
    #expect(try store.get(Card.self, "a")?.likes == .max)
    // Back and forth, until the running totals are full.
    var refusals = 0
    for turn in 0..<8 {
      let (before, wanted) = (try store.get(Card.self, "a")?.likes, turn % 2 == 0 ? 0 : Int.max)
      do {
        try await store.write { try $0.update(Card.self, "a") { $0.likes = wanted } }
        #expect(try store.get(Card.self, "a")?.likes == wanted)
      } catch let error as RecordError {
        #expect(error == refusal)
        refusals += 1
        #expect(try store.get(Card.self, "a")?.likes == before)
      }
    }
    #expect(refusals > 0)
    try await store.write { tx in
      try tx.update(Card.self, "a") { $0.title = "goes on" }
    }
    #expect(try store.get(Card.self, "a")?.title == "goes on")
    try await store.close()
  }
}
