import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Records that are kept here alone")
struct LocalRecordTests {
  let stores = TestStores()

  @Test("They are read as others, survive a restart and compaction, and nothing of them is sent")
  func keeping() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.createLocally(Card(id: "a")) }
    try await store.write { try $0.update(Card.self, "a") { $0.likes += 2 } }
    #expect(store.document == Document(schema: store.document.schema))
    #expect(store.status(of: Card.self, "a").isLocalOnly)
    try await store.compact()
    try await store.write { try $0.update(Card.self, "a") { $0.tags = ["x"] } }
    try await store.close()
    let again = try await stores.openCards()
    #expect(Array(again.all(Card.self)) == [Card(id: "a", tags: ["x"], likes: 2)])
    #expect(again.document.version == [:])
    try await again.write { try $0.publish(Card.self, "a") }
    #expect(again.document.records(in: "cards") == ["a"])
    #expect(!again.status(of: Card.self, "a").isLocalOnly)
    #expect(try again.get(Card.self, "a") == Card(id: "a", tags: ["x"], likes: 2))
    try await again.close()
  }

  @Test("What an older version of the app doesn't know of them stays")
  func unknownFields() async throws {
    let store = try await stores.openCards()
    let card = Card(
      id: "a", body: "body", color: "red", stars: 4, best: 9, place: .init(city: "Oslo"),
      scores: ["p": 2], shape: .circle(radius: 1))
    try await store.write { try $0.createLocally(card) }
    let draft = try store.draft(OldCard.self, "a")
    try await store.write { tx in
      try tx.update(OldCard.self, "a") { $0.title = "old" }
      #expect(try tx.get(Card.self, "a")?.body == "body")
      var form = draft
      form.likes = 3
      try tx.commit(form)
    }
    var expected = card
    expected.title = "old"
    expected.likes = 3
    #expect(try store.get(Card.self, "a") == expected)
    try await store.write { tx in
      try tx.publish(OldCard.self, "a")
      #expect(try tx.get(Card.self, "a") == expected)
    }
    #expect(try store.get(Card.self, "a") == expected)
    #expect(store.document.records(in: "cards") == ["a"])
    try await store.close()
  }

  @Test("One that others have made under the same name is shown, and changed, instead")
  func sameName() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.createLocally(Card(id: "a", title: "mine")) }
    try await other.write { try $0.create(Card(id: "a", title: "theirs")) }
    try await store.take(from: other)
    #expect(try store.get(Card.self, "a")?.title == "theirs")
    #expect(!store.status(of: Card.self, "a").isLocalOnly)
    try await store.write { tx in
      try tx.update(Card.self, "a") { $0.likes += 1 }
      #expect(throws: RecordError.alreadyExists(Card.id("a"))) { try tx.publish(Card.self, "a") }
    }
    #expect(try store.get(Card.self, "a") == Card(id: "a", title: "theirs", likes: 1))
    #expect(store.document.value(of: "likes", of: "a", in: "cards") == 1)
    // When the others have deleted theirs, it is there as before.
    try await other.take(from: store)
    try await other.write { try $0.delete(Card.self, "a") }
    try await store.take(from: other)
    #expect(try store.get(Card.self, "a") == Card(id: "a", title: "mine"))
    try await store.close()
    try await other.close()
  }

  @Test("They are seen when the commit is, and not before")
  func visibility() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.createLocally(Card(id: "a")) }
    stores.files.schedule(DiskFault(.fails(5), kind: .synchronize, isForever: true))
    await #expect(throws: StoreError.self) {
      try await store.write { tx in
        try tx.publish(Card.self, "a")
        try tx.createLocally(Card(id: "b"))
      }
    }
    // What the disk refused isn't seen: neither what went nor what came.
    #expect(Array(store.all(Card.self)) == [Card(id: "a")])
    await #expect(throws: StoreError.self) { try await store.close() }
    stores.files.clearFaults()
  }

  @Test("They are kept as these bytes, for ever")
  func format() {
    let record = Card.id("a/é")
    let fields: [String: Document.Value] = ["n": 1, "o": ["t": "x"], "s": ["y"], "u": nil]
    let bytes: [UInt8] = [
      5, 99, 97, 114, 100, 115, 4, 97, 47, 195, 169,  // cards, a/é
      8, 4, 1, 110, 25, 1, 111, 8, 1, 1, 116, 65, 120, 1, 115, 7, 1, 65, 121, 1, 117, 0,
    ]
    let change = LocalRecords.change(record, fields)
    #expect(change.key == "local/5/cards/a/é")
    #expect(change.value == bytes)
    #expect(LocalRecords([change.key: bytes])[record] == fields)
    #expect(LocalRecords.change(record, nil) == LocalChange(key: change.key, value: nil))
    // What is damaged is left out, whatever is left of it.
    for count in bytes.indices {
      #expect(LocalRecords([change.key: Array(bytes[..<count])]).all.isEmpty)
    }
  }
}
