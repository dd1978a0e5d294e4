import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@Suite("Receipts of commits")
struct ReceiptTests {
  let stores = TestStores()

  @Test("A commit is delivered to a peer when the peer has said so, and not before")
  func peers() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    let receipt = try await store.write { try $0.create(Card(id: "a")) }
    let peer = Recipient.peer(other.replica)
    #expect(store.delivery(of: receipt, to: peer) == .pending)
    let waiting = Task { await store.delivered(receipt, to: peer) }
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
    let inVain = Task { await store.delivered(later, to: peer) }
    try await store.close()
    // It may have begun to wait only when the news was gone.
    #expect(await waiting.value == .delivered)
    #expect(await inVain.value == .pending)
    try await other.close()
  }
}
