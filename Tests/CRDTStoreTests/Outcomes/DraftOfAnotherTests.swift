import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A draft is committed into another record that was made under its name.
@Suite("A draft is not committed into another record of its name")
struct DraftOfAnotherTests {
  @Test func madeAnew() async throws {
    let p = try await TwoApps()
    try await p.start(SharedDoc(id: "d", title: "old", tags: ["o"]))
    var form = try p.a.draft(SharedDoc.self, "d")
    form.title = "form"
    let filled = form
    try await p.a.write { try $0.delete(SharedDoc.self, "d") }
    try await p.a.write { try $0.create(SharedDoc(id: "d", title: "another record")) }
    _ = try? await p.a.write { try $0.commit(filled) }
    #expect(try p.doc(p.a)?.title == "another record")
  }
}
