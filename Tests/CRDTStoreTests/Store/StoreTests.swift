import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

@Suite("A store")
struct StoreTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  var path: String { folder.path }

  @Test("What was committed is there after it is opened again")
  func reopening() async throws {
    let store = try await Store.open(at: path)
    try await store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
    #expect(store.document.value(of: "title", of: "n1", in: "notes") == "Moon")
    try await store.edit(.relaxed) { $0.set("title", of: "n2", in: "notes", to: "Sun") }
    #expect(store.document.value(of: "title", of: "n2", in: "notes") == "Sun")
    let document = store.document
    try await store.close()
    let again = try await Store.open(at: path)
    #expect(again.document == document)
    #expect(again.recovery.wasClosed)
    #expect(again.replica == store.replica)
    try await again.compact()
    try await again.edit { $0.set("title", of: "n3", in: "notes", to: "Star") }
    let third = again.document
    try await again.close()
    let last = try await Store.open(at: path)
    #expect(last.document == third)
    #expect(last.recovery.changesReplayed == 1)
    try await last.close()
  }

  @Test("Many writers share what is written, and nothing is lost")
  func manyWriters() async throws {
    let store = try await Store.open(at: path)
    await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<64 {
        group.addTask {
          for number in 0..<20 {
            try await store.edit { $0.set("n", of: "\(writer)-\(number)", in: "c", to: .int(1)) }
          }
        }
      }
    }
    let statistics = store.statistics
    #expect(statistics.commits == 64 * 20)
    #expect(statistics.batchesWritten < 64 * 20)
    try await store.close()
    let again = try await Store.open(at: path)
    #expect(again.document.records(in: "c").count == 64 * 20)
    try await again.close()
  }

  @Test("A body that throws leaves nothing behind")
  func throwingBody() async throws {
    struct Refusal: Error {}
    let store = try await Store.open(at: path)
    try await store.edit { $0.set("a", of: "r", in: "c", to: .int(1)) }
    let before = store.document
    await #expect(throws: Refusal.self) {
      try await store.edit { edit in
        edit.set("a", of: "r", in: "c", to: .int(2))
        throw Refusal()
      }
    }
    #expect(store.document == before)
    try await store.close()
  }
}
