import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Stores that have each received the same text from a server, and that are opened again before
/// they meet, or afterwards, or after a crash while they do.
///
/// What is expected is what the server's user wrote, and never what another store shows.
@Suite("What two stores receive from a server, through restarts and crashes")
struct RepeatedTextTests {
  private typealias World = ServerTextWorld<WholePage>

  /// Whether the stores are opened again before they meet, and afterwards.
  private enum Restart: CaseIterable {
    case before, after, both

    var isBefore: Bool { self != .after }
    var isAfter: Bool { self != .before }
  }

  @Test("it is there once, whenever the stores are opened again", arguments: [false, true])
  func reopened(compacting: Bool) async throws {
    for restart in Restart.allCases {
      var world = try await World(3, text: "one two", areInSync: false)
      let sent = await world.server.applied.count
      await world.server.edit(WholePage.record, ["body": "one new two"])
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
      #expect(await world.serverText == "one new two")
      try await world.close()
    }
  }

  @Test("it is there once after a crash at any moment while the stores meet")
  func crashes() async {
    let explorer = CrashExplorer(choices: .few, seed: 3)
    let found = await explorer.explore { files, recorder in
      let world = try await World(3, TestStores(files), text: "one two", areInSync: false)
      await world.server.edit(WholePage.record, ["body": "one new two"])
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
      // Later than all that they have stored.
      stores.clock.milliseconds += 3_600_000
      for side in 0..<3 {
        open.append(
          try await Store.open(at: "/store\(side)", for: WholePage.self, options: stores.options))
      }
      // Both have received it before they met, so no moment shows it twice or not at all.
      for _ in 0..<2 {
        for (side, store) in open.enumerated().dropLast() {
          let body = try store.get(WholePage.self, "p")?.body
          if body != "one new two" { return "store \(side) shows \(body ?? "nothing")" }
        }
        try await open[1].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[1]))
      }
      let body = try open[2].get(WholePage.self, "p")?.body
      for store in open { try await store.close() }
      return body == "one new two" ? nil : "the third store shows \(body ?? "nothing")"
    } catch {
      return "\(error)"
    }
  }
}
