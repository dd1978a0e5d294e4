import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Records that writes and undos make unreadable, beside a server.
@Suite("Counts and refused parts leave records readable")
struct ReadableRecordTests {
  private struct Table: Codable, Identifiable, Replicated {
    struct Line: Codable, Sendable {
      var views = 0
      var label = ""
    }
    let id: String
    var lines: [String: Line] = [:]
    static let collection = "tables"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules([CodingKeys: Schema.FieldRule]()).with(["lines.*.views": .counter])
  }
  /// A count waits in an entry that the server has removed: it is sent, and makes the
  /// record unreadable at the server and for everybody. (Between peers it isn't shown.)
  @Test func countInRemovedEntry() async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    let store = try await Store.open(at: "/s", for: Table.self, options: stores.options)
    let outbox = store.outbox(over: transport)
    try await store.write {
      try $0.create(Table(id: "r", lines: ["x": .init(views: 1, label: "x")]))
    }
    _ = await outbox.sync()
    let id = Document.RecordID("r", in: "tables")
    try await store.write { try $0.update(Table.self, "r") { $0.lines["x"]?.views += 5 } }
    await transport.change { $0.server.edit(id, ["lines": [:]]) }
    _ = await outbox.sync()
    #expect(throws: Never.self) { _ = try store.get(Table.self, "r") }
    #expect(await transport.service.server.record(id)?.fields["lines"] == [:])
  }
  /// Two apps make the same entry, and both undo that.
  @Test func bothUndo() async throws {
    let p = try await TwoApps()
    try await p.start()
    let receiptA = try await p.write(p.a) { $0.parts["k"] = Spot(city: "A", zip: 11) }
    let receiptB = try await p.write(p.b) { $0.parts["k"] = Spot(city: "B", zip: 10) }
    _ = await p.outB.sync()
    _ = await p.outA.pull()
    try await p.b.undo(receiptB)
    _ = await p.outB.sync()
    try await p.a.undo(receiptA)
    await p.sync()
    #expect(try p.doc(p.b)?.parts == [:])
    #expect(throws: Never.self) { _ = try p.doc(p.a) }  // parts.k is {}: no city
  }
  /// The same between peers, in either order.
  @Test(arguments: [false, true]) func bothUndoBetweenPeers(_ isFirst: Bool) async throws {
    let p = try await TwoApps()
    try await p.a.write { try $0.create(SharedDoc(id: "d")) }
    try await p.a.merge(with: p.b)
    let receiptA = try await p.write(p.a) { $0.parts["k"] = Spot(city: "A", zip: 11) }
    let receiptB = try await p.write(p.b) { $0.parts["k"] = Spot(city: "B", zip: 10) }
    try await p.a.merge(with: p.b)
    if isFirst { try await p.a.undo(receiptA) } else { try await p.b.undo(receiptB) }
    try await p.a.merge(with: p.b)
    #expect(try p.doc(p.a)?.parts["k"]?.city == (isFirst ? "B" : "A"))
    if isFirst { try await p.b.undo(receiptB) } else { try await p.a.undo(receiptA) }
    try await p.a.merge(with: p.b)
    #expect(try p.doc(p.a)?.parts == [:] && p.doc(p.b)?.parts == [:])
  }
  /// A struct whose making was refused, and which is changed in part since.
  @Test func partOfRefused() async throws {
    let p = try await TwoApps()
    try await p.start()
    await p.transport.change { $0.server.rejectedFields["place.city"] = "no" }
    _ = try await p.write(p.a) { $0.place = Spot(city: "A", zip: 1) }
    _ = await p.outA.sync()
    await p.transport.change { $0.server.rejectedFields = [:] }
    _ = try await p.write(p.a) { $0.place?.zip = 2 }
    await p.sync()
    #expect(throws: Never.self) { _ = try p.doc(p.b) }  // place is {zip: 2}, at the server too
  }
}
