import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

@Suite("What records are made of")
struct RecordShapeTests {
  let stores = TestStores()

  @Test("What an older version doesn't know stays when it changes a record")
  func unknownFields() async throws {
    let store = try await stores.openCards()
    let card = Card(
      id: "a", body: "body", color: "red", tags: ["x"], likes: 1, stars: 4, best: 9,
      origin: "here", place: .init(city: "Oslo", floor: 3), scores: ["p": 2],
      rooms: ["r": .init()], mood: .wild, shape: .circle(radius: 1))
    try await store.write { try $0.create(card) }
    var draft = try store.draft(OldCard.self, "a")
    try await store.write { tx in
      try tx.update(OldCard.self, "a") { old in
        old.title = "old"
        old.likes += 2
      }
    }
    draft.likes += 4
    let form = draft
    try await store.write { try $0.commit(form) }
    var expected = card
    expected.title = "old"
    expected.likes = 7
    #expect(try store.get(Card.self, "a") == expected)
    try await store.close()
  }

  @Test("A rule that can't merge a field's type is refused when the field is written")
  func unsuitableRules() async throws {
    let store = try await Store.open(at: "/", for: Misruled.self, options: stores.options)
    func expectRefusal(
      of field: FieldPath, _ rule: Schema.FieldRule,
      _ body: (inout Store.Transaction) throws -> Void
    ) {
      let record = Document.RecordID("a", in: Misruled.collection)
      #expect(throws: RecordError.unsuitableRule(record, field, rule)) {
        try store.write { try body(&$0) }
      }
    }
    let misruled = Misruled(id: "a", count: "1")
    expectRefusal(of: "count", .counter) { try $0.create(misruled) }
    try await store.write { try $0.create(Misruled(id: "a")) }
    expectRefusal(of: "tags", .set) { tx in
      try tx.update(Misruled.self, "a") { $0.tags = "x" }
    }
    var draft = try store.draft(Misruled.self, "a")
    draft.scores = ["p": 1]
    let form = draft
    expectRefusal(of: "scores", .counter) { try $0.commit(form) }
    #expect(try store.get(Misruled.self, "a") == Misruled(id: "a"))
    try await store.close()
  }

  @Test("Fields go to nil and back, whatever their rule")
  func nils() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.create(Card(id: "a", color: "red", stars: 5)) }
    try await store.write { tx in
      try tx.update(Card.self, "a") { card in
        card.color = nil
        card.stars = nil
        card.place.floor = 1
      }
    }
    #expect(try store.get(Card.self, "a") == Card(id: "a", place: .init(floor: 1)))
    try await store.merge(with: other)
    #expect(try other.get(Card.self, "a") == Card(id: "a", place: .init(floor: 1)))
    try await other.write { tx in
      try tx.update(Card.self, "a") { card in
        card.color = "blue"
        card.stars = 3
        card.place.floor = nil
      }
    }
    #expect(try other.get(Card.self, "a") == Card(id: "a", color: "blue", stars: 3))
    try await store.merge(with: other)
    #expect(try store.get(Card.self, "a") == Card(id: "a", color: "blue", stars: 3))
    try await store.close()
    try await other.close()
  }

  @Test("Nested fields, entries, elements and counts of two replicas come together")
  func fieldwise() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    let card = Card(id: "a", tags: ["x", "y"], likes: 10, scores: ["p": 1, "q": 1])
    try await store.write { try $0.create(card) }
    try await store.merge(with: other)
    try await store.write { tx in
      try tx.update(Card.self, "a") { card in
        card.place.city = "Oslo"
        card.tags = ["x", "z"]
        card.likes -= 3
        card.scores["p"] = 5
        card.rooms["r"] = .init(city: "hall")
      }
    }
    try await other.write { tx in
      try tx.update(Card.self, "a") { card in
        card.place.floor = 2
        card.tags.insert("w")
        card.likes += 5
        card.scores["p"] = 3
        card.scores["q"] = nil
        card.rooms["s"] = .init(floor: 0)
      }
    }
    try await store.merge(with: other)
    let expected = Card(
      id: "a", tags: ["x", "z", "w"], likes: 12, place: .init(city: "Oslo", floor: 2),
      scores: ["p": 7], rooms: ["r": .init(city: "hall"), "s": .init(floor: 0)])
    #expect(try store.get(Card.self, "a") == expected)
    #expect(try other.get(Card.self, "a") == expected)
    try await store.close()
    try await other.close()
  }

  /// A record with an identifier of any kind.
  private struct Item<ID: Codable & Hashable & Sendable & CustomStringConvertible>:
    Replicated, Hashable
  {
    var id: ID
    var number = 0

    static var collection: String { "items" }
  }

  private func check<ID>(_ ids: [ID], _ type: Item<ID>.Type, at path: String) async throws {
    let options = stores.options
    var store = try await Store.open(at: path, for: type, options: options)
    for (place, id) in ids.enumerated() {
      try await store.write { try $0.create(Item(id: id, number: place)) }
    }
    for isShared in [true, false] {
      try await store.close()
      store = try await Store.open(at: path, for: type, options: options)
      for (place, id) in ids.enumerated() {
        #expect(try store.get(type, id) == Item(id: id, number: place))
        #expect(store.all(type)[id: id]?.number == place)
      }
      #expect(store.all(type).count == ids.count)
      guard isShared else { break }
      // The same, kept here alone.
      for (place, id) in ids.enumerated() {
        try await store.write { tx in
          try tx.delete(type, id)
          try tx.createLocally(Item(id: id, number: place))
        }
      }
      #expect(store.document.records(in: "items") == [])
    }
    try await store.close()
  }

  @Test("Identifiers of all kinds are kept apart, here alone and shared")
  func identifiers() async throws {
    let texts = [
      "", "a", "A", "a/b", "/", "../x", "a\0b", "a\0", "1/a", "é", "𝄞", "a.b", "*", " ",
      String(repeating: "n", count: Document.Value.maximumNameLength),
    ]
    try await check(texts, Item<String>.self, at: "/texts")
    try await check([0, -1, .max, .min], Item<Int>.self, at: "/numbers")
    try await check((0..<4).map { _ in UUID() }, Item<UUID>.self, at: "/uuids")
  }

  @Test("A model that the store was not opened for is refused, and nothing is written")
  func unknownModel() async throws {
    let store = try await stores.openCards()
    await #expect(throws: RecordError.unknownModel(collection: Stranger.collection)) {
      try await store.write { tx in
        try tx.create(Card(id: "a"))
        try tx.create(Stranger(id: "s"))
      }
    }
    #expect(store.document.collections.isEmpty)
    try await store.close()
  }

  private struct Stranger: Codable, Identifiable, Sendable, Replicated {
    static let collection = "strangers"
    var id: String
  }

  @Test("Names that are too long are refused, everywhere")
  func longNames() async throws {
    let store = try await stores.openCards()
    let long = String(repeating: "n", count: Document.Value.maximumNameLength + 1)
    let error = RecordError.nameTooLong(bytes: long.utf8.count)
    await #expect(throws: error) { try await store.write { try $0.create(Card(id: long)) } }
    await #expect(throws: error) {
      try await store.write { try $0.createLocally(Card(id: long)) }
    }
    await #expect(throws: error) {
      try await store.write { try $0.update(Card.self, long) { $0.title = "" } }
    }
    #expect(try store.get(Card.self, long) == nil)
    await #expect(throws: EncodingError.self) {
      try await store.write { try $0.create(Card(id: "a", scores: [long: 1])) }
    }
    await #expect(throws: EncodingError.self) {
      try await store.write { try $0.createLocally(Card(id: "a", scores: [long: 1])) }
    }
    try await store.close()
  }

  @Test("An identifier spelled in two ways is one, wherever it is asked for")
  func spellings() async throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.create(Card(id: composed, title: "t")) }
    try await other.write { try $0.create(Card(id: decomposed, likes: 1)) }
    for each in [store, other] {
      await #expect(throws: RecordError.self) {
        try await each.write { try $0.create(Card(id: decomposed)) }
      }
    }
    var mine = store.observe(Card.self).makeAsyncIterator()
    var theirs = other.observe(Card.self).makeAsyncIterator()
    #expect(await mine.next()?.count == 1)
    #expect(await theirs.next()?.count == 1)
    try await store.merge(with: other)
    for each in [store, other] {
      #expect(each.all(Card.self).count == 1)
      #expect(each.all(Card.self)[id: composed]?.likes == 1)
      #expect(each.all(Card.self)[id: decomposed]?.likes == 1)
      #expect(try each.get(Card.self, composed)?.likes == 1)
    }
    try await store.write { try $0.update(Card.self, decomposed) { $0.likes += 1 } }
    try await store.merge(with: other)
    #expect(store.document == other.document)
    for watched in [await mine.next(), await theirs.next()] {
      #expect(watched?.count == 1)
      #expect(watched?[id: composed]?.likes == 2)
      #expect(watched?[id: decomposed]?.likes == 2)
    }
    try await other.write { try $0.delete(Card.self, composed) }
    #expect(await theirs.next()?.isEmpty == true)
    // One that is kept here alone as well.
    try await other.write { try $0.createLocally(Card(id: composed + "2")) }
    try await other.write { try $0.update(Card.self, decomposed + "2") { $0.likes += 1 } }
    #expect(await theirs.next()?[id: decomposed + "2"]?.likes == 1)
    try await other.write { try $0.publish(Card.self, decomposed + "2") }
    #expect(other.all(Card.self).count == 1)
    #expect(await theirs.next()?.count == 1)
    try await store.close()
    try await other.close()
  }
}

/// A model with rules that fit none of its fields.
private struct Misruled: Hashable, Codable, Identifiable, Replicated {
  let id: String
  var count: String?
  var tags: String?
  var scores: [String: Int]?

  static let collection = "misruled"
  static var rules: Rules {
    Rules([CodingKeys.count: .counter, .tags: .set, .scores: .counter])
  }
}
