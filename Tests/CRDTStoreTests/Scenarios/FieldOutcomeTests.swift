import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What stands of two writes that were made apart, here and at the server, under each rule:
/// said from when they were made and what is less and greater, by nothing that decides it.
@Suite("What stands of a write here and one at the server")
struct FieldOutcomeTests {
  /// A record with a field under each rule that chooses one of several values.
  struct Ruled: Codable, Identifiable, Sendable, Replicated {
    let id: String
    var last: Int?
    var first: Int?
    var greatest: Int?
    var least: Int?
    var theirs: Int?
    var mine: Int?

    static let collection = "ruled"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules([
      CodingKeys.first: .firstWriterWins, .greatest: .max, .least: .min,
      .theirs: .preferring([.authority(named: "server")]),
      .mine: .preferringOthers(than: [.authority(named: "server")]),
    ])
  }

  /// What was written here and at the server, which of it later, and how they met.
  struct Race: CustomTestStringConvertible, Sendable {
    let here: Int
    let there: Int
    let isLaterHere: Bool
    let times: ReferenceServer.Times
    let isPulled: Bool

    /// What waits counts as the later one where the server doesn't say.
    var isHereLast: Bool { times == .none || isLaterHere }

    var winners: [String: Int] {
      [
        "last": isHereLast ? here : there, "first": isHereLast ? there : here,
        "greatest": max(here, there), "least": min(here, there), "theirs": there, "mine": here,
      ]
    }

    var testDescription: String {
      "\(here) here, \(there) there, \(isLaterHere ? "here" : "there") last, \(times), "
        + (isPulled ? "pulled" : "in conflict")
    }

    static let all: [Race] = [(3, 5), (5, 3)].flatMap { here, there in
      [true, false].flatMap { isLaterHere in
        ReferenceServer.Times.allCases.flatMap { times in
          [true, false].map { isPulled in
            Race(
              here: here, there: there, isLaterHere: isLaterHere, times: times,
              isPulled: isPulled)
          }
        }
      }
    }
  }

  @Test("Each rule chooses what it says, here and at the server", arguments: Race.all)
  func rules(_ race: Race) async throws {
    let stores = TestStores()
    let transport = FakeServer()
    await transport.keepTime(by: stores.clock)
    await transport.change { $0.server.times = race.times }
    let store = try await Store.open(at: "/store", for: Ruled.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await store.write { try $0.create(Ruled(id: "r")) }
    #expect(await outbox.sync().isComplete)
    let names = ["last", "first", "greatest", "least", "theirs", "mine"]
    let there = Dictionary(names.map { ($0, Document.Value.int(Int64(race.there))) }) { $1 }
    let writeThere = { @Sendable () async in
      stores.clock.milliseconds += 1_000
      await transport.change {
        $0.server.edit(Document.RecordID("r", in: "ruled"), there)
      }
    }
    if race.isLaterHere { await writeThere() }
    stores.clock.milliseconds += 1_000
    let receipt = try await store.write {
      try $0.update(Ruled.self, "r") { ruled in
        ruled.last = race.here
        ruled.first = race.here
        ruled.greatest = race.here
        ruled.least = race.here
        ruled.theirs = race.here
        ruled.mine = race.here
      }
    }
    if !race.isLaterHere { await writeThere() }
    stores.clock.milliseconds += 1_000
    if race.isPulled { _ = await outbox.pull() }
    #expect(await outbox.sync().isComplete)
    let service = await transport.service
    let remote = service.server.record(Document.RecordID("r", in: "ruled"))?.fields
    let local = store.document.fields(of: "r", in: "ruled")
    for (name, value) in race.winners {
      #expect(local?[name] == .int(Int64(value)), "\(name) here")
      #expect(remote?[name] == .int(Int64(value)), "\(name) at the server")
    }
    // Whatever happens, the server's stands under its own rule.
    #expect(store.delivery(of: receipt, to: .server) == .superseded)
    try await store.close()
  }
}
