import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A nested `nil` that waits is lost where an undo puts the struct back without that name: the
/// app shows no zip, the server and everybody else keep it.
@Suite("A nested nil that waits is told beside an undo")
struct NestedNilTests {
  @Test func nested() async throws {
    let p = try await TwoApps()
    try await p.start(SharedDoc(id: "d", place: Spot(city: "p", zip: 8)))
    _ = try await p.write(p.a) { $0.place?.zip = nil }
    await p.serverEdits(["title": "x"])
    let receipt = try await p.write(p.a) { $0.place = nil }
    try await p.a.undo(receipt)
    await p.sync()
    #expect(try p.doc(p.a)?.place == Spot(city: "p"))
    #expect(try p.doc(p.b)?.place == Spot(city: "p"))
  }
}
