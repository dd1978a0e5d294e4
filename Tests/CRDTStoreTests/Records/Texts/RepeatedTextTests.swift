import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A model with a text that a server's users write in as well.
private struct Page: Replicated, Codable, Identifiable {
  let id: String
  var body = ""

  static let collection = "pages"
  static let rules = Rules([CodingKeys.body: .text])
  static let serverAccess = ServerAccess.queued
  static let record = Document.RecordID("p", in: collection)
}

/// Stores that have each received the same text from a server, and that are opened again before
/// they meet, or afterwards, or after a crash while they do.
///
/// What is expected is what the server's user wrote, and never what another store shows.
@Suite("What two stores receive from a server, through restarts and crashes")
struct RepeatedTextTests {
  /// Three stores and their server.
  private struct World {
    let stores: TestStores
    let server = FakeServer()
    var open: [Store] = []

    /// Stores that all know a text that the server has, and no more.
    init(_ stores: TestStores = TestStores(), text: String) async throws {
      self.stores = stores
      for side in 0..<3 { open.append(try await store(side)) }
      try await open[0].write { try $0.create(Page(id: "p", body: text)) }
      await open[0].outbox(over: server).sync(upon: .user)
      for side in 1..<3 { try meet(0, side) }
    }

    func store(_ side: Int) async throws -> Store {
      try await Store.open(at: "/store\(side)", for: Page.self, options: stores.options)
    }

    /// Closes a store and opens it again, as its log left it or as a snapshot.
    mutating func reopen(_ side: Int, compacting: Bool) async throws {
      if compacting { try await open[side].compact() }
      try await open[side].close()
      open[side] = try await store(side)
    }

    func pull(_ side: Int) async { _ = await open[side].outbox(over: server).pull() }

    func sync(_ side: Int) async { await open[side].outbox(over: server).sync(upon: .user) }

    func meet(_ one: Int, _ other: Int) throws {
      try open[one].sync(with: .store(open[other]))
    }

    func body(_ side: Int) throws -> String? { try open[side].get(Page.self, "p")?.body }

    func serverText() async -> String? {
      guard case .string(let text)? = await server.record(Page.record)?.fields["body"] else {
        return nil
      }
      return text
    }

    func close() async throws {
      for store in open { try await store.close() }
    }
  }

  /// Whether the stores are opened again before they meet, and afterwards.
  private enum Restart: CaseIterable {
    case before, after, both

    var isBefore: Bool { self != .after }
    var isAfter: Bool { self != .before }
  }

  @Test("it is there once, whenever the stores are opened again", arguments: [false, true])
  func reopened(compacting: Bool) async throws {
    for restart in Restart.allCases {
      var world = try await World(text: "one two")
      let sent = await world.server.applied.count
      await world.server.edit(Page.record, ["body": "one new two"])
      for side in 0..<2 { await world.pull(side) }
      if restart.isBefore {
        for side in 0..<2 { try await world.reopen(side, compacting: compacting) }
      }
      try world.meet(0, 1)
      for side in 0..<2 {
        #expect(try world.body(side) == "one new two", "\(restart), store \(side)")
      }
      if restart.isAfter {
        for side in 0..<2 { try await world.reopen(side, compacting: compacting) }
      }
      try world.meet(2, 1)
      try world.meet(0, 2)
      for side in 0..<3 {
        #expect(try world.body(side) == "one new two", "\(restart), store \(side)")
        await world.sync(side)
        #expect(world.open[side].outbox(over: world.server).pending.isEmpty)
      }
      // Nobody has anything to tell the server.
      #expect(await world.server.applied.count == sent)
      #expect(await world.serverText() == "one new two")
      try await world.close()
    }
  }

  @Test("it is there once after a crash at any moment while the stores meet")
  func crashes() async {
    let explorer = CrashExplorer(choices: .few, seed: 3)
    let found = await explorer.explore { files, recorder in
      let world = try await World(TestStores(files), text: "one two")
      await world.server.edit(Page.record, ["body": "one new two"])
      for side in 0..<2 {
        await world.pull(side)
        try await world.open[side].flush()
      }
      recorder.start()
      try world.meet(0, 1)
      try await world.close()
    } check: { image, _ in
      await Self.discrepancy(image)
    }
    #expect(found.failures == [])
    #expect(found.caseCount > 10)
  }

  private static func discrepancy(_ image: DiskImage) async -> String? {
    do {
      var open: [Store] = []
      let stores = TestStores(SimulatedFileSystem(image), replicasAfter: 100)
      for side in 0..<3 {
        open.append(
          try await Store.open(at: "/store\(side)", for: Page.self, options: stores.options))
      }
      // Both have received it before they met, so no moment shows it twice or not at all.
      for _ in 0..<2 {
        for (side, store) in open.enumerated().dropLast() {
          let body = try store.get(Page.self, "p")?.body
          if body != "one new two" { return "store \(side) shows \(body ?? "nothing")" }
        }
        try await open[1].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[1]))
      }
      let body = try open[2].get(Page.self, "p")?.body
      for store in open { try await store.close() }
      return body == "one new two" ? nil : "the third store shows \(body ?? "nothing")"
    } catch {
      return "\(error)"
    }
  }
}
