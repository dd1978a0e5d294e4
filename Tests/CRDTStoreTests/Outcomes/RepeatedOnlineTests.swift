import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

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
    let (stores, transport) = (TestStores(), FakeServer())
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
    let (stores, transport) = (TestStores(), FakeServer())
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

  /// What was sent is read back from the store's files, and not made anew.
  @Test(arguments: [false, true]) func afterRestart(_ isPulled: Bool) async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    let store = try await Store.open(at: "/s", for: Account.self, options: stores.options)
    try await store.outbox(over: transport).performOnline { try $0.create(Account(id: "p")) }
    await transport.change { $0.answersToLose = 1 }
    let pay: @Sendable (inout Store.Transaction) throws -> Void = {
      try $0.update(Account.self, "p") {
        $0.visits += 1
        $0.cents += 5
      }
    }
    await #expect(throws: RemoteError.self) {
      try await store.outbox(over: transport).performOnline(idempotencyKey: "k", pay)
    }
    try await store.close()
    let again = try await Store.open(at: "/s", for: Account.self, options: stores.options)
    let outbox = again.outbox(over: transport)
    if isPulled { _ = await outbox.pull() }
    try await outbox.performOnline(idempotencyKey: "k", pay)
    let record = await transport.service.server.record(Document.RecordID("p", in: "accounts"))
    #expect(record?.fields["cents"] == 5 && record?.fields["visits"] == 1)
    let account = try again.get(Account.self, "p")
    #expect(account?.visits == 1 && account?.cents == 5)
    // The attempt is answered, so the key's next use is another one.
    try await again.close()
    let last = try await Store.open(at: "/s", for: Account.self, options: stores.options)
    #expect(!last.core.local.keys.contains { $0.hasPrefix("online/") })
  }
}
