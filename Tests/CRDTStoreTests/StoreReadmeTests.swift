import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The README's note.
private struct Note: Codable {
  var title: String
  var body = ""
  var tags: Set<String> = []
  var likes = 0
}

/// What the README shows of the store, built and run.
@Suite("The README's store")
struct StoreReadmeTests {
  @Test("does what it says")
  func store() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/notes.crdt"
    let schema = Schema(collections: [
      "notes": Schema.Collection(fields: ["tags": .set, "likes": .counter])
    ])
    let shown = Guarded<[[String]]>([])

    let task = Task {
      try await use(path, schema: schema) { notes in shown.withLock { $0.append(notes) } }
    }
    while shown.withLock({ $0.isEmpty }) { await Task.yield() }
    task.cancel()
    try await task.value

    #expect(shown.withLock { $0 } == [["n1"]])
    let again = try await Self.openWhenClosed(path)
    #expect(again.document.value(of: "draft", of: "n1", in: "notes") == "There was")
    #expect(again.document.value(of: "likes", of: "n1", in: "notes") == 1)
  }

  @Test("takes models, and syncs")
  func modelsAndSync() async throws {
    let stores = TestStores()
    let (store, peer) = (
      try await stores.openForTasks("/a"), try await stores.openForTasks("/b")
    )

    // [README]
    try await store.edit { edit in
      let asRead = try edit.read(Note.self, "n2", in: "notes")
      var note = asRead ?? Note(title: "Sun")
      note.body = "It shone."
      try edit.write(note, changedFrom: asRead, to: "n2", in: "notes")
    }
    let sun = try store.document.read(Note.self, "n2", in: "notes")
    // [end]

    #expect(sun?.body == "It shone." && sun?.title == "Sun")
    let (incoming, line) = AsyncStream.makeStream(of: [UInt8].self)
    let (toPeer, peerLine) = AsyncStream.makeStream(of: [UInt8].self)
    let there = Task { try await peer.session().run(receiving: toPeer) { line.yield($0) } }
    let here = Task { try await sync(store, incoming) { peerLine.yield($0) } }
    for await notes in peer.values({ $0.records(in: "notes") }) where notes == ["n2"] { break }
    here.cancel()
    there.cancel()
    _ = try await (here.value, there.value)
  }

  @Test("syncs by way of a folder, and with another store")
  func folders() async throws {
    let stores = TestStores()
    let (store, other) = (
      try await stores.openForTasks("/a"), try await stores.openForTasks("/b")
    )
    try await store.edit { $0.create("n1", in: "notes") }
    for path in ["/Volumes", "/Volumes/Shared"] { try stores.files.makeFolder(at: path) }

    // [README]
    let report = try await store.sync(with: .folder("/Volumes/Shared/notes"))
    try await store.sync(with: .store(other))
    // [end]

    #expect(report.isSynchronized && other.document == store.document)
  }

  private func sync(
    _ store: Store, _ incoming: AsyncStream<[UInt8]>,
    _ send: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    // [README]
    try await store.session().run(receiving: incoming) { bytes in
      try await send(bytes)
    }
    // [end]
  }

  /// Opens a store that nobody refers to any more, and that closes by itself.
  private static func openWhenClosed(_ path: String) async throws -> Store {
    while true {
      do throws(StoreError) {
        return try await Store.open(at: path)
      } catch {
        guard error == .locked(path: path) else { throw error }
        await Task.yield()
      }
    }
  }

  private func use(
    _ path: String, schema: Schema, _ show: @escaping @Sendable ([String]) -> Void
  ) async throws {
    // [README]
    let store = try await Store.open(at: path, schema: schema)
    try await store.edit { edit in
      edit.set("title", of: "n1", in: "notes", to: "Moon")
      edit.insert("story", into: "tags", of: "n1", in: "notes")
    }
    let title = store.document.value(of: "title", of: "n1", in: "notes")

    // Quicker, and on disk a moment later: for what may be lost with the power.
    try await store.edit(.relaxed) { $0.set("draft", of: "n1", in: "notes", to: "There was") }

    // A body that throws changes nothing.
    try await store.edit { try $0.increment("likes", of: "n1", in: "notes") }

    // What is read, now and whenever it comes to be something else.
    for await notes in store.values({ $0.records(in: "notes") }) {
      show(notes)
    }
    // [end]
    #expect(title == "Moon")
  }
}
