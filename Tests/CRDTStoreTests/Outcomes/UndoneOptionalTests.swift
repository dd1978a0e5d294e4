import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// An undo of the first value of an optional field is told as null.
///
/// The server's
/// record then lacks the field, and other apps never notice: `takeIn` skips missing fields.
@Suite("An optional that was undone is gone in other apps too")
struct UndoneOptionalTests {
  @Test func staysForEver() async throws {
    let p = try await TwoApps()
    try await p.start()
    let receipt = try await p.write(p.a) { $0.note = "secret" }
    await p.sync()
    try await p.a.undo(receipt)
    await p.sync()
    #expect(await p.server["note"] ?? .null == .null)
    #expect(try p.doc(p.a)?.note == nil)
    #expect(try p.doc(p.b)?.note == nil)
  }
  @Test func thenUnreadableEverywhere() async throws {
    let p = try await TwoApps()
    try await p.start(SharedDoc(id: "d", place: Spot(city: "p")))
    _ = try await p.write(p.b) { $0.place = nil }
    await p.sync()
    let receipt = try await p.write(p.b) { $0.place = Spot(city: "q") }
    await p.sync()
    try await p.b.undo(receipt)
    await p.sync()
    #expect(try p.doc(p.a)?.place == nil)
    _ = try await p.write(p.a) { $0.place?.zip = 22 }
    await p.sync()
    #expect(throws: Never.self) { _ = try p.doc(p.b) }  // place is {zip: 22}: no city
    #expect(throws: Never.self) { _ = try p.doc(p.a) }
  }
}
