import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A model with a text that stores, peers and a server's users write in.
protocol ServerPage: Replicated where ID == String {
  var body: String { get set }

  init(id: String, body: String)
}

extension ServerPage {
  static var record: Document.RecordID { Document.RecordID("p", in: collection) }
}

/// A model of which the server is sent the whole text.
struct WholePage: ServerPage {
  let id: String
  var body = ""

  static let collection = "pages"
  static let rules = Rules([CodingKeys.body: .text])
  static let serverAccess = ServerAccess.queued
}

/// A model of which the server is told the edits of the text.
struct EditedPage: ServerPage {
  let id: String
  var body = ""

  static let collection = "pages"
  static let rules = Rules([CodingKeys.body: .text])
  static let serverAccess = ServerAccess.queuedAsEdits
}

/// Stores that are peers and have a server, whose users write in the same text.
struct ServerTextWorld<Page: ServerPage> {
  let stores: TestStores
  let server = FakeServer()
  var open: [Store] = []

  /// Stores that all know a text that the server has, and no more.
  ///
  /// The first has made it. The others have it from the first, and from the server as well if
  /// they are in sync.
  init(
    _ count: Int, _ stores: TestStores = TestStores(), text: String, areInSync: Bool = true
  ) async throws {
    self.stores = stores
    for side in 0..<count { open.append(try await store(side)) }
    try await open[0].write { try $0.create(Page(id: "p", body: text)) }
    await sync(0)
    for side in 1..<count {
      try meet(0, side)
      if areInSync { await sync(side) }
    }
    if areInSync { await sync(0) }
  }

  private func store(_ side: Int) async throws -> Store {
    try await Store.open(at: "/store\(side)", for: Page.self, options: stores.options)
  }

  mutating func reopen(_ side: Int, compacting: Bool = false) async throws {
    if compacting { try await open[side].compact() }
    try await open[side].close()
    open[side] = try await store(side)
  }

  func pull(_ side: Int) async {
    stores.clock.milliseconds += 600_000
    _ = await open[side].outbox(over: server).pull()
  }

  func sync(_ side: Int) async {
    stores.clock.milliseconds += 600_000
    await open[side].outbox(over: server).sync(upon: .user)
  }

  func meet(_ one: Int, _ other: Int) throws {
    try open[one].sync(with: .store(open[other]))
  }

  func body(_ side: Int) throws -> String {
    try open[side].get(Page.self, "p")?.body ?? ""
  }

  /// A user of a store writes.
  func write(_ side: Int, _ change: @escaping @Sendable (String) -> String) async throws {
    stores.clock.milliseconds += 5_000
    try await open[side].write { tx in
      try tx.update(Page.self, "p") { $0.body = change($0.body) }
    }
  }

  var serverText: String {
    get async {
      guard case .string(let text)? = await server.record(Page.record)?.fields["body"] else {
        return ""
      }
      return text
    }
  }

  /// A user of the server writes.
  func writeAtServer(_ change: (String) -> String) async {
    await server.edit(Page.record, ["body": .string(change(await serverText))])
  }

  func close() async throws {
    for store in open { try await store.close() }
  }
}
