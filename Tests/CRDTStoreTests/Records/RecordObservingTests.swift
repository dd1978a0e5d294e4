import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Observing records")
struct RecordObservingTests {
  let stores = TestStores()

  @Test("The first value comes at once, others when there are, and none twice")
  func once() async throws {
    let store = try await stores.openCards()
    var card = store.observe(Card.self, "a").makeAsyncIterator()
    var cards = store.observe(Card.self).makeAsyncIterator()
    // What is committed before the first look is in the first value, and told once.
    try await store.write { try $0.create(Card(id: "a")) }
    #expect(await card.next() == .some(Card(id: "a")))
    #expect(await cards.next()?.count == 1)
    for number in 1...5 {
      try await store.write(.relaxed) { try $0.update(Card.self, "a") { $0.likes = number } }
    }
    #expect(await card.next() == .some(Card(id: "a", likes: 5)))
    #expect(await cards.next()?.first == Card(id: "a", likes: 5))
    // Other collections' records, other records and settings are nothing to them.
    try await store.edit { $0.set("x", of: "a", in: "others", to: 1) }
    try await store.set(setting: "s", to: 1)
    try await store.write { try $0.createLocally(Card(id: "b")) }
    try await store.write { try $0.delete(Card.self, "a") }
    #expect(await card.next() == .some(nil))
    #expect(await cards.next()?.map(\.id) == ["b"])
    try await store.write { try $0.restore(Card.self, "a") }
    #expect(await card.next() == .some(Card(id: "a", likes: 5)))
    #expect(await cards.next()?.map(\.id) == ["a", "b"])
    try await store.write { try $0.publish(Card.self, "b") }
    #expect(await cards.next()?.map(\.id) == ["a", "b"])
    // One that can't be read any more goes, and is named.
    try await store.edit { $0.set("mood", of: "b", in: "cards", to: "mad") }
    let left = await cards.next()
    #expect(left?.map(\.id) == ["a"])
    #expect(left?.unreadable == ["b"])
    try await store.edit { $0.create("c", in: "cards") }
    #expect(await cards.next()?.unreadable == ["b", "c"])
    try await store.edit { $0.set("mood", of: "b", in: "cards", to: "wild") }
    #expect(await cards.next()?.map(\.id) == ["a", "b"])
    try await store.close()
    #expect(await card.next() == nil)
    #expect(await cards.next() == nil)
  }

  @Test("Loops end when they are left, cancelled, or the store is closed")
  func ending() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    for await card in store.observe(Card.self, "a") {
      #expect(card == Card(id: "a"))
      break
    }
    let tasks = (0..<3).map { number in
      Task {
        var count = 0
        switch number {
        case 0: for await _ in store.observe(Card.self, "a") { count += 1 }
        case 1: for await _ in store.observe(Card.self) { count += 1 }
        default: for await _ in store.statusUpdates(of: Card.self, "a") { count += 1 }
        }
        return count
      }
    }
    let closing = Task {
      var last: Store.Records<Card>?
      for await cards in store.observe(Card.self) { last = cards }
      return last?.count
    }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value <= 2) }
    try await store.write { try $0.create(Card(id: "b")) }
    try await store.close()
    #expect(await closing.value ?? 2 <= 2)
  }

  @Test("Many observers under many writers end with what is committed")
  func load() async throws {
    let store = try await stores.openCards()
    let query = Card.titled("a")
    let end = Card(id: "end", title: "a")
    let observers = (0..<12).map { number in
      Task { () -> (Store.Records<Card>?, isGrowing: Bool) in
        var (last, isGrowing): (Store.Records<Card>?, Bool) = (nil, true)
        var seen = 0
        for await cards in store.observe(Card.self, where: number % 2 == 0 ? .all : query) {
          // What one writer counts up is never seen to go back.
          let counted = cards[id: "w0"]?.likes ?? seen
          if counted < seen { isGrowing = false }
          (last, seen) = (cards, counted)
          if cards[id: end.id] != nil { break }
        }
        return (last, isGrowing)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(writer))
          for step in 0..<60 {
            let verbs = (0..<2).map { _ in CardVerb.random(&random) }
            let durability: Store.Durability = Bool.random(using: &random) ? .full : .relaxed
            try await store.write(durability) { tx in
              let name = "w\(writer)"
              if step == 0 { try tx.create(Card(id: name, title: "a")) }
              try tx.update(Card.self, name) { $0.likes += 1 }
              for verb in verbs { _ = try verb.perform(in: &tx) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.write { try $0.create(end) }
    for (number, observer) in observers.enumerated() {
      let (last, isGrowing) = await observer.value
      #expect(last == (number % 2 == 0 ? store.all(Card.self) : store.all(Card.self, where: query)))
      #expect(isGrowing)
    }
    for writer in 0..<4 { #expect(try store.get(Card.self, "w\(writer)")?.likes == 60) }
    try await store.close()
  }
}
