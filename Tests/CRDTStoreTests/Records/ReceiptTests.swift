import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

@Suite("Receipts of commits")
struct ReceiptTests {
  let stores = TestStores()

  @Test("A commit is delivered to a peer when the peer has said so, and not before")
  func peers() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    let receipt = try await store.write { try $0.create(Card(id: "a")) }
    let peer = Store.Recipient.peer(other.replica)
    #expect(store.delivery(of: receipt, to: peer) == .pending)
    let waiting = Task { await store.waitForDelivery(of: receipt, to: peer) }
    let (left, right) = (store.session(), other.session())
    var toRight = try await left.connect()
    var toLeft = try await right.connect()
    while !toRight.bytes.isEmpty || !toLeft.bytes.isEmpty {
      let (forRight, forLeft) = (toRight.bytes, toLeft.bytes)
      toRight = forLeft.isEmpty ? [] : try await left.receive(forLeft)
      toLeft = forRight.isEmpty ? [] : try await right.receive(forRight)
    }
    #expect(store.delivery(of: receipt, to: peer) == .delivered)
    #expect(store.delivery(of: receipt, to: .peer(ReplicaID(99))) == .pending)
    let later = try await store.write { try $0.update(Card.self, "a") { $0.likes += 1 } }
    #expect(store.delivery(of: later, to: peer) == .pending)
    #expect(receipt.isContained(in: other.document.version))
    #expect(!later.isContained(in: other.document.version))
    // Whoever waits in vain is told so when the store closes.
    let inVain = Task { await store.waitForDelivery(of: later, to: peer) }
    #expect(await waiting.value == .delivered)
    try await store.close()
    #expect(await inVain.value == .pending)
    try await other.close()
  }

  @Test("A receipt that was kept while the app didn't run tells who has the commit, and undoes it")
  func kept() async throws {
    let store = try await stores.openCards()
    try await store.write { tx in
      try tx.create(Card(id: "a", title: "t"))
      try tx.create(Card(id: "b"))
      try tx.create(Card(id: "c"))
      try tx.delete(Card.self, "c")
    }
    var form = try store.draft(Card.self, "b")
    form.likes = 5
    form.place.floor = 2
    form.rooms["r"] = Card.Place(city: "c")
    let filled = form
    let before = store.document
    let receipt = try await store.write { tx in
      try tx.update(Card.self, "a") { card in
        card.title = "u"
        card.color = "red"
        card.tags = ["x"]
        card.scores = ["p": 2]
      }
      try tx.commit(filled)
      try tx.restore(Card.self, "c")
      try tx.create(Card(id: "d", likes: 1))
    }
    let bytes = try JSONEncoder().encode(receipt)
    try await store.close()

    let again = try await stores.openCards()
    let kept = try JSONDecoder().decode(Store.Receipt.self, from: bytes)
    #expect(kept == receipt && kept.records == receipt.records)
    let other = try await stores.openCards("/other")
    let peer = Store.Recipient.peer(other.replica)
    #expect(again.delivery(of: kept, to: peer) == .pending)
    let waiting = Task { await again.waitForDelivery(of: kept, to: peer) }
    try await again.sync(with: .store(other))
    #expect(again.delivery(of: kept, to: peer) == .delivered)
    #expect(await waiting.value == .delivered)
    #expect(try other.get(Card.self, "b") == filled.model)
    try await again.undo(kept)
    for name in ["a", "b", "c", "d"] {
      #expect(again.fields(name) == before.fields(of: name, in: "cards"), "\(name)")
    }
    // A store without the commit knows nothing of it.
    let stranger = try await stores.openCards("/stranger")
    #expect(stranger.delivery(of: kept, to: .server) == .pending)
    try await again.close()
  }

  @Test("A receipt of the version before, without removed text, undoes its commit")
  func versionThree() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.title = "t" } }
    let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(receipt))
    var bytes = Array(try #require(Data(base64Encoded: text)))
    #expect(bytes[0] == 4 && bytes.last == 0)
    bytes[0] = 3
    bytes.removeLast()
    let older = try JSONDecoder().decode(
      Store.Receipt.self, from: JSONEncoder().encode(Data(bytes).base64EncodedString()))
    #expect(older == receipt)
    try await store.undo(older)
    #expect(try store.get(Card.self, "a")?.title == Card(id: "a").title)
    try await store.close()
  }

  @Test("A receipt that is cut short or changed anywhere is refused or is another one")
  func damaged() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    let receipt = try await store.write { try $0.update(Card.self, "a") { $0.title = "t" } }
    try await store.close()
    let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(receipt))
    let bytes = Array(try #require(Data(base64Encoded: text)))
    func decode(_ bytes: [UInt8]) throws -> Store.Receipt {
      try JSONDecoder().decode(
        Store.Receipt.self, from: JSONEncoder().encode(Data(bytes).base64EncodedString()))
    }
    #expect(try decode(bytes) == receipt)
    for count in 0..<bytes.count {
      #expect(throws: DecodingError.self) { try decode(Array(bytes.prefix(count))) }
    }
    #expect(throws: DecodingError.self) { try decode(bytes + [0]) }
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        #expect((try? decode(changed)) != receipt)
      }
    }
  }
}
