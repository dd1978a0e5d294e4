import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// `performOnline` tried again with its key, after a pull has brought what the server did.
@Suite("A change online that is repeated under its key counts once")
struct RepeatedOnlineTests {
  private struct Account: Codable, Identifiable, Replicated {
    let id: String
    var cents = 0
    var visits = 0
    static let collection = "accounts"
    static let serverAccess = ServerAccess.onlineOnly
    static let rules = Rules([CodingKeys.visits: .counter])
  }
  @Test func change() async throws {
    let (stores, transport) = (TestStores(), FakeTransport())
    let store = try await Store.open(at: "/s", for: Account.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await outbox.performOnline { try $0.create(Account(id: "p")) }
    await transport.change { $0.answersToLose = 1 }
    let pay: @Sendable (inout Store.Transaction) throws -> Void = {
      try $0.update(Account.self, "p") {
        $0.visits += 1
        $0.cents += 5
      }
    }
    await #expect(throws: RemoteError.self) {
      try await outbox.performOnline(idempotencyKey: "k", pay)
    }
    _ = await outbox.pull()  // or `run()` meanwhile
    try await outbox.performOnline(idempotencyKey: "k", pay)  // the server did nothing more
    _ = await outbox.pull()
    let record = await transport.service.server.record(Document.RecordID("p", in: "accounts"))
    #expect(record?.fields["cents"] == 5 && record?.fields["visits"] == 1)
    #expect(try store.get(Account.self, "p")?.visits == 1)
    #expect(try store.get(Account.self, "p")?.cents == 5)
  }
  @Test func creation() async throws {
    let (stores, transport) = (TestStores(), FakeTransport())
    let store = try await Store.open(at: "/s", for: Account.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    await transport.change { $0.answersToLose = 1 }
    let make: @Sendable (inout Store.Transaction) throws -> Void = {
      try $0.create(Account(id: "p", cents: 3))
    }
    await #expect(throws: RemoteError.self) {
      try await outbox.performOnline(idempotencyKey: "k", make)
    }
    _ = await outbox.pull()
    // The documented way to try again: throws `alreadyExists`, and the server isn't asked.
    await #expect(throws: Never.self) { try await outbox.performOnline(idempotencyKey: "k", make) }
  }
}
