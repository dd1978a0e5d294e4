import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// "The later of two" with the times of fields: the server's later change is overlooked where
/// it sets the value that the server had when this app last heard of it.
@Suite("The later of two stands, also if it is the value from before")
struct RewrittenFieldTests {
  private struct Task: Codable, Identifiable, Replicated {
    let id: String
    var isDone = false
    static let collection = "chores"
    static let serverAccess = ServerAccess.queued
    static let rules = Rules()
  }
  @Test func flag() async throws {
    let (stores, transport) = (TestStores(), FakeServer())
    await transport.change { $0.server.times = .ofFields }
    await transport.keepTime(by: stores.clock)
    let a = try await Store.open(at: "/a", for: Task.self, options: stores.options)
    let b = try await Store.open(at: "/b", for: Task.self, options: stores.options)
    let (outA, outB) = (a.outbox(over: transport), b.outbox(over: transport))
    try await a.write { try $0.create(Task(id: "t")) }
    _ = await outA.sync()
    _ = await outB.sync()
    stores.clock.milliseconds += 10
    try await a.write { try $0.update(Task.self, "t") { $0.isDone = true } }  // offline, 10
    for isDone in [true, false] {  // at 20, and at 30
      stores.clock.milliseconds += 10
      try await b.write { try $0.update(Task.self, "t") { $0.isDone = isDone } }
      _ = await outB.sync()
    }
    for out in [outA, outB, outA, outB] {
      stores.clock.milliseconds += 60_000
      _ = await out.sync()
    }
    #expect(try a.get(Task.self, "t")?.isDone == false)
    #expect(try b.get(Task.self, "t")?.isDone == false)
  }
}
