import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Transactions of records")
struct TransactionTests {
  let stores = TestStores()
  private struct Stop: Error {}

  @Test("A body that throws changes nothing: no record, no setting, nothing kept here alone")
  func allOrNothing() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a", title: "A")) }
    let (document, commits) = (store.document, store.statistics.commits)
    await #expect(throws: Stop.self) {
      try await store.write { tx in
        try tx.update(Card.self, "a") { $0.likes += 1 }
        try tx.create(Card(id: "b"))
        try tx.createLocally(Card(id: "c"))
        try tx.delete(Card.self, "a")
        try tx.set(setting: "theme", to: "dark")
        throw Stop()
      }
    }
    #expect(store.document == document)
    #expect(store.statistics.commits == commits)
    #expect(try store.get(Card.self, "c") == nil)
    #expect(store.setting("theme") == nil)
    #expect(Array(store.all(Card.self)) == [Card(id: "a", title: "A")])
    // The indexes that the body made are those of the document still.
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.likes += 1 } }
    #expect(receipt.dot?.counter == document.version[store.replica] + 1)
    try await store.close()
  }

  @Test("A verb that throws changes nothing of what the transaction did before")
  func refusedVerbs() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "gone")) }
    try await store.write { try $0.delete(Card.self, "gone") }
    let receipt = try await store.write { tx in
      try tx.create(Card(id: "a", title: "A"))
      #expect(throws: RecordError.alreadyExists(Card.id("a"))) { try tx.create(Card(id: "a")) }
      #expect(throws: Card.Refusal.self) { try tx.create(Card(id: "b", title: "refused")) }
      #expect(throws: Card.Refusal.self) {
        try tx.createLocally(Card(id: "b", title: "refused"))
      }
      #expect(throws: Card.Refusal.self) {
        try tx.update(Card.self, "a") { $0.title = "refused" }
      }
      #expect(throws: Stop.self) {
        try tx.update(Card.self, "a") { card in
          card.title = "B"
          throw Stop()
        }
      }
      #expect(throws: RecordError.renamed(Card.id("a"), to: "b")) {
        try tx.update(Card.self, "a") { $0.id = "b" }
      }
      #expect(throws: RecordError.notFound(Card.id("gone"))) {
        try tx.update(Card.self, "gone") { $0.title = "B" }
      }
      #expect(throws: RecordError.notFound(Card.id("gone"))) {
        try tx.delete(Card.self, "gone")
      }
      #expect(throws: RecordError.notFound(Card.id("a"))) { try tx.restore(Card.self, "a") }
      #expect(throws: RecordError.notFound(Card.id("a"))) { try tx.publish(Card.self, "a") }
      #expect(try tx.get(Card.self, "a") == Card(id: "a", title: "A"))
      #expect(try tx.all(Card.self).count == 1)
    }
    #expect(receipt.records == [Card.id("a")])
    #expect(Array(store.all(Card.self)) == [Card(id: "a", title: "A")])
    try await store.close()
  }

  @Test("Several updates of a record in a transaction are one")
  func severalUpdates() async throws {
    for seed in 0..<UInt64(30) {
      let (one, many) = (
        try await TestStores().openCards(), try await TestStores().openCards()
      )
      var random = SeededGenerator(seed: seed)
      var card = Card(id: "a")
      for _ in 0..<6 { card.change(&random) }
      let first = card
      for store in [one, many] { try await store.write { try $0.create(first) } }
      var steps: [Card] = []
      for _ in 0..<5 {
        var next = card
        next.change(&random)
        card = card.updated(to: next)
        steps.append(card)
      }
      let last = card
      try await one.write { try $0.update(Card.self, "a") { $0 = last } }
      try await many.write { tx in
        for step in steps { try tx.update(Card.self, "a") { $0 = step } }
      }
      #expect(try one.get(Card.self, "a") == last, "seed \(seed)")
      #expect(one.document == many.document, "seed \(seed): \(steps)")
      try await one.close()
      try await many.close()
    }
  }

  @Test("What was changed before a record was deleted and restored is seen, and stays")
  func changedDeletedRestored() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    try await store.write { tx in
      try tx.update(Card.self, "a") { $0.title = "changed" }
      try tx.delete(Card.self, "a")
      try tx.restore(Card.self, "a")
      #expect(try tx.get(Card.self, "a")?.title == "changed")
      try tx.update(Card.self, "a") { $0.likes += 1 }
      try tx.create(Card(id: "b", title: "new"))
      try tx.delete(Card.self, "b")
      try tx.restore(Card.self, "b")
      #expect(try tx.get(Card.self, "b")?.title == "new")
    }
    #expect(try store.get(Card.self, "a") == Card(id: "a", title: "changed", likes: 1))
    #expect(try store.get(Card.self, "b") == Card(id: "b", title: "new"))
    try await store.write { try $0.delete(Card.self, "a") }
    try await store.write { tx in
      try tx.restore(Card.self, "a")
      try tx.update(Card.self, "a") { $0.likes += 1 }
      try tx.delete(Card.self, "a")
      try tx.restore(Card.self, "a")
      #expect(try tx.get(Card.self, "a")?.likes == 2)
    }
    #expect(try store.get(Card.self, "a")?.likes == 2)
    try await store.close()
  }

  @Test("Changes around an undoing are not made twice")
  func aroundUndoing() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.likes += 2 } }
    try await store.write { tx in
      try tx.update(Card.self, "a") { $0.likes += 10 }
      try tx.undo(receipt)
      #expect(try tx.get(Card.self, "a")?.likes == 10)
      try tx.update(Card.self, "a") { $0.likes += 100 }
      #expect(try tx.get(Card.self, "a")?.likes == 110)
    }
    #expect(try store.get(Card.self, "a")?.likes == 110)
    try await store.close()
  }

  @Test("A record that two types name is changed through both, each by its fields")
  func twoTypes() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a", body: "body", color: "red", likes: 5)) }
    try await store.write { tx in
      try tx.update(OldCard.self, "a") { $0.likes += 1 }
      #expect(try tx.get(Card.self, "a")?.body == "body")
      try tx.update(Card.self, "a") { $0.likes += 1 }
      try tx.update(OldCard.self, "a") { $0.title = "old" }
      #expect(
        try tx.get(Card.self, "a")
          == Card(id: "a", title: "old", body: "body", color: "red", likes: 7))
    }
    #expect(
      try store.get(Card.self, "a")
        == Card(id: "a", title: "old", body: "body", color: "red", likes: 7))
    try await store.close()
  }

  @Test("A draft and a resolution in a transaction are read as they come to be")
  func committedDraftIsRead() async throws {
    let store = try await stores.openCards()
    let other = try await stores.openCards("/other")
    try await store.write { try $0.create(Card(id: "a", best: 3)) }
    try await store.merge(with: other)
    var draft = try store.draft(Card.self, "a")
    draft.best = 5
    draft.origin = "mine"
    draft.likes += 1
    stores.clock.milliseconds += 10
    try await other.write { tx in
      try tx.update(Card.self, "a") { card in
        card.best = 9
        card.origin = "theirs"
        card.likes += 1
      }
    }
    try await store.take(from: other)
    stores.clock.milliseconds += 10
    let form = draft
    try await store.write { tx in
      try tx.commit(form)
      let seen = try tx.get(Card.self, "a")
      #expect(seen?.best == 9)
      #expect(seen?.origin == "theirs")
      #expect(seen?.likes == 2)
      try tx.update(Card.self, "a") { $0.best = 7 }
    }
    #expect(try store.get(Card.self, "a")?.best == 9)
    try await store.close()
    try await other.close()
  }

  @Test("A resolution is validated as other changes are")
  func validatedResolution() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.create(Card(id: "a", body: "0")) }
    try await store.merge(with: other)
    try await store.write { try $0.update(Card.self, "a") { $0.body = "1" } }
    try await other.write { try $0.update(Card.self, "a") { $0.body = "2" } }
    try await store.merge(with: other)
    let conflict = try #require(store.conflicts(of: Card.self).first)
    await #expect(throws: DecodingError.self) { try await store.resolve(conflict, with: 7) }
    #expect(store.conflicts(of: Card.self).count == 1)
    var deep: Document.Value = "x"
    for _ in 0..<40 { deep = .array([deep]) }
    let tooDeep = deep
    await #expect(throws: (any Error).self) {
      try await store.resolve(conflict, with: tooDeep)
    }
    try await store.resolve(conflict, with: "both")
    await #expect(throws: RecordError.noConflict(Card.id("a"), ["body"])) {
      try await store.resolve(conflict, with: "again")
    }
    try await other.take(from: store)
    #expect(other.conflicts(of: Card.self).isEmpty)
    #expect(try other.get(Card.self, "a")?.body == "both")
    try await store.close()
    try await other.close()
  }
}

extension Card {
  static func id(_ record: String) -> Document.RecordID {
    Document.RecordID(record, in: collection)
  }
}
