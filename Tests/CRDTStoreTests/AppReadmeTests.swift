import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The app that the README shows, built and run.
@Suite("The README's app")
struct AppReadmeTests {
  // [README]
  struct Note: Replicated, Codable, Identifiable {
    let id: String
    var title: String
    var body = ""
    var tags: Set<String> = []
    var likes = 0

    static let collection = "notes"
    static let rules = Rules(
      [CodingKeys.title: .manual, .body: .text, .tags: .set, .likes: .counter])
  }
  // [end]

  @Test("writes, syncs, settles a conflict and observes")
  func app() async throws {
    let folder = try TemporaryFolder()
    let shared = "\(folder.path)/shared"
    let other = try await Store.open(at: "\(folder.path)/other", for: Note.self)
    let shown = Guarded<[[Int]]>([])
    let task = Task {
      try await run(at: "\(folder.path)/notes", shared) { notes in
        shown.withLock { $0.append(notes.map(\.likes)) }
      }
    }
    while shown.withLock({ $0.isEmpty }) { await Task.yield() }
    task.cancel()
    try await task.value
    #expect(shown.withLock { $0 } == [[1]])
    try await other.sync(with: .folder(shared))
    #expect(try other.get(Note.self, "n1")?.title == "Moon")
  }

  private func run(
    at path: String, _ shared: String, _ show: @escaping @Sendable (Store.Records<Note>) -> Void
  ) async throws {
    // [README]
    let store = try await Store.open(at: path, for: Note.self)
    try await store.write { tx in  // one durable commit, all or nothing
      try tx.create(Note(id: "n1", title: "Moon", body: "There was a lake."))
      try tx.update(Note.self, "n1") { $0.likes += 1 }
    }
    try await store.sync(with: .folder(shared))  // another device uses the same folder

    for conflict in store.conflicts(of: Note.self) {  // two titles, written at the same time
      try await store.resolve(conflict, keeping: conflict.sides[0])
    }
    for await notes in store.observe(Note.self) {  // now, and after each change
      show(notes)
    }
    // [end]
  }
}
