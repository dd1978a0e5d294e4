import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

struct Spot: Codable, Hashable, Sendable {
  var city: String
  var zip: Int?
}

struct SharedDoc: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var title = ""
  var body = ""
  var note: String?
  var tags: Set<String> = []
  var place: Spot?
  var parts: [String: Spot] = [:]

  static let collection = "docs"
  static let serverAccess = ServerAccess.queued
  static let rules = Rules([CodingKeys.body: .manual])
}

/// Two apps of one user or of two, and one server.
final class TwoApps: Sendable {
  let stores = TestStores()
  let transport = FakeServer()
  let a: Store
  let b: Store
  let outA: Outbox
  let outB: Outbox

  init(_ times: ReferenceServer.Times = .none, over other: (any Outbox.Transport)? = nil)
    async throws
  {
    a = try await Store.open(at: "/a", for: SharedDoc.self, options: stores.options)
    b = try await Store.open(at: "/b", for: SharedDoc.self, options: stores.options)
    outA = a.outbox(over: other ?? transport)
    outB = b.outbox(over: other ?? transport)
    await transport.change { $0.server.times = times }
    await transport.keepTime(by: stores.clock)
  }

  /// A record that both apps and the server have.
  func start(_ doc: SharedDoc = SharedDoc(id: "d")) async throws {
    try await a.write { try $0.create(doc) }
    await sync()
  }

  func pass(_ milliseconds: UInt64 = 10) { stores.clock.milliseconds += milliseconds }

  /// Both apps send and fetch until nothing is left to be done.
  func sync() async {
    for _ in 0..<3 {
      pass(60_000)
      for out in [outA, outB] {
        out.retryWaiting()
        _ = await out.sync()
      }
    }
  }

  func write(_ store: Store, _ body: @escaping @Sendable (inout SharedDoc) -> Void) async throws
    -> Store.Receipt
  {
    pass()
    return try await store.write { try $0.update(SharedDoc.self, "d", body) }
  }

  func doc(_ store: Store) throws -> SharedDoc? { try store.get(SharedDoc.self, "d") }

  var server: [String: Document.Value] {
    get async {
      await transport.service.server.record(Document.RecordID("d", in: "docs"))?.fields ?? [:]
    }
  }

  func serverEdits(_ fields: [String: Document.Value]) async {
    pass()
    await transport.change { $0.server.edit(Document.RecordID("d", in: "docs"), fields) }
  }
}
