import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A part of a waiting operation that the server already has is dropped from it at a pull,
/// but still counts as not seen by the server: its next change loses, for ever, and the
/// receipt says `delivered`. (Servers without times.)
@Suite("A part that a pull has dropped from an operation doesn't come back")
struct DroppedPartTests {
  @Test func value() async throws {
    let p = try await TwoApps(.none)
    try await p.start(SharedDoc(id: "d", title: "open"))
    let receipt = try await p.write(p.a) {
      $0.title = "closed"
      $0.tags = ["x"]
    }
    _ = try await p.write(p.b) { $0.title = "closed" }
    _ = await p.outB.sync()
    _ = await p.outA.pull()  // drops the title; the tags still wait
    _ = try await p.write(p.b) { $0.title = "open again" }  // having seen "closed"
    _ = await p.outB.sync()
    await p.sync()
    #expect(p.outA.pending.isEmpty)
    #expect(await p.server["title"] == "open again")
    #expect(try p.doc(p.b)?.title == "open again")
    #expect(try p.doc(p.a)?.title == "open again")
    #expect(p.a.delivery(of: receipt, to: .server) == .delivered)
  }
  /// The same with a part that lost: it was said to be superseded, and comes back.
  @Test func supersededComesBack() async throws {
    let p = try await TwoApps(.none)
    try await p.start(SharedDoc(id: "d", place: Spot(city: "p")))
    _ = try await p.write(p.a) { $0.place = nil }
    _ = try await p.write(p.b) {
      $0.place?.zip = 7
      $0.tags = ["x"]
    }
    _ = await p.outA.sync()
    _ = await p.outB.pull()  // the zip is superseded; the tags still wait
    #expect(try p.doc(p.b)?.place == nil)
    _ = try await p.write(p.a) { $0.place = Spot(city: "new", zip: 68) }
    await p.sync()
    #expect(await p.server["place"] == ["city": "new", "zip": 68])
    #expect(try p.doc(p.a)?.place == Spot(city: "new", zip: 68))
    #expect(try p.doc(p.b)?.place == Spot(city: "new", zip: 68))
  }
}
