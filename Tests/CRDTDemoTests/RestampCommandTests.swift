import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo store restamp")
struct RestampCommandTests {
  private struct ShiftedClock: WallClock {
    /// How far it is ahead of that of the machine, or behind.
    let shift: Int64

    var milliseconds: UInt64 { UInt64(Int64(SystemClock().milliseconds) + shift) }
  }

  private static let day: Int64 = 86_400_000

  /// Writes a field while the clock is off by some days.
  private func put(_ value: String, in store: StoreRun, offBy days: Int64) throws {
    var options = Store.Options.standard
    options.clock = ShiftedClock(shift: days * Self.day)
    let open = try Store.open(at: store.path, options: options)
    try open.edit { $0.set("title", of: "n", in: "notes", to: .string(value)) }
    try open.close()
  }

  @Test("warns where stamps are ahead, writes anew, and then a peer takes it in")
  func ahead() throws {
    let (store, peer) = (try StoreRun(), try TemporaryFolder())
    let other = "\(peer.path)/peer"
    #expect(try DemoRun.run("store", "init", other).status == 0)
    try put("Moon", in: store, offBy: 3_653)
    let warned = try store.run("put", "notes", "n", "n=1")
    #expect(warned.status == 0 && warned.output == "")
    // As many days, or one less as the clock goes on.
    #expect(warned.errors.contains("warning: what was written here is stamped 365"))
    #expect(warned.errors.contains("days ahead of the clock"))
    #expect(warned.errors.contains("crdt-demo store restamp"))
    let refused = try store.run("sync", "--with", other)
    #expect(refused.status == 2 && refused.errors.contains("ahead of the clock"))
    let done = try store.run("restamp")
    #expect(done.output == "wrote 3 values of 1 record with stamps of now\n")
    #expect(done.status == 0 && done.errors == "")
    #expect(try store.output("restamp").hasPrefix("no stamp is ahead"))
    #expect(try store.run("sync", "--with", other).status == 0)
    let taken = try DemoRun.run("store", "get", other, "notes", "n")
    #expect(taken.output == "{\n  \"n\": 1,\n  \"title\": \"Moon\"\n}\n")
  }

  @Test("warns where a store was not used for longer than half a year, and not before")
  func absence() throws {
    let store = try StoreRun()
    try put("Moon", in: store, offBy: -180)
    #expect(try store.run("put", "notes", "n", "n=1").errors == "")
    let older = try StoreRun()
    try put("Moon", in: older, offBy: -365)
    let warned = try older.run("put", "notes", "n", "n=1")
    #expect(warned.status == 0)
    #expect(warned.errors.contains("warning: the clock has jumped ahead by 365 days"))
    #expect(try older.run("put", "notes", "n", "n=2").errors == "")
  }
}
