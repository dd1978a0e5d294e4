import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Reverting a refused creation deletes the record with what a peer has written in it since.
@Suite("Reverting a refused creation leaves what a peer has written")
struct RevertedCreationTests {
  @Test func creation() async throws {
    let p = try await TwoApps()
    await p.transport.change { $0.server.rejectedFields["title"] = "no" }
    try await p.a.write { try $0.create(SharedDoc(id: "d", title: "x")) }
    try await p.a.merge(with: p.b)
    _ = await p.outA.sync()
    _ = try await p.write(p.b) {
      $0.tags = ["theirs"]
      $0.body = "theirs"
    }
    try await p.a.merge(with: p.b)
    for letter in p.outA.deadLetters {
      _ = try await p.outA.discard(letter.id, revertingChanges: true)
    }
    try await p.a.merge(with: p.b)
    #expect(try p.doc(p.b)?.body == "theirs")
  }
}
