import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A server whose JSON has one kind of number.
@Suite("Kinds of numbers at a server")
struct NumberKindTests {
  private struct Reading: Codable, Hashable, Identifiable, Replicated {
    let id: String
    var degrees = 1.0
    var floor = 1
    var place: [String: Double] = ["height": 1]

    static let collection = "readings"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules([CodingKeys.degrees: .manual, .floor: .manual])
  }

  @Test("A number that the server has in another kind is neither in conflict nor sent again")
  func conflict() async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    let store = try await Store.open(at: "/store", for: Reading.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await store.write { try $0.create(Reading(id: "r")) }
    #expect(await outbox.sync().isComplete)
    let changed = Reading(id: "r", degrees: 2, floor: 3, place: ["height": 4])
    try await store.write { try $0.update(Reading.self, "r") { $0 = changed } }
    let record = Document.RecordID("r", in: "readings")
    await transport.change {
      $0.server.edit(
        record, ["degrees": 2, "floor": .double(3), "place": .object(["height": 4])])
    }
    let report = await outbox.sync()
    #expect(report.conflicts == 1 && report.isComplete)
    #expect(store.document.conflicts.isEmpty)
    #expect(try store.get(Reading.self, "r") == changed)
    #expect(await transport.service.server.effects.count == 1)
    #expect(outbox.pending.isEmpty && outbox.deadLetters.isEmpty)
    try await store.close()
  }
}
