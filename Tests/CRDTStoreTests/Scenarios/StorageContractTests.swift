import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

/// What a database and a key-value store promise, kept by a store of records.
@Suite("A store as a database and as a key-value store")
struct StorageContractTests {
  private struct Failure: Error {}

  @Test("R140: what a body did before it throws is not there, nor is it queued")
  func atomic() async throws {
    let app = try await Scenario()
    await #expect(throws: Failure.self) {
      try await app.store.write { tx in
        try tx.create(ScenarioNote(id: "a"))
        try tx.set(setting: "last", to: "a")
        throw Failure()
      }
    }
    #expect(app.store.all(ScenarioNote.self).isEmpty)
    #expect(app.outbox.pending.isEmpty && app.store.setting("last") == nil)
    #expect(app.store.document.records(in: "notes").isEmpty)
    let again = try await app.killed()
    #expect(again.store.all(ScenarioNote.self).isEmpty && again.outbox.pending.isEmpty)
  }

  @Test("R140: a refused change rolls back those before it")
  func rollback() async throws {
    let app = try await Scenario()
    try await app.syncedNote()
    await #expect(throws: ScenarioNote.Invalid.self) {
      try await app.store.write { tx in
        try tx.update(ScenarioNote.self, "n1") { $0.likes += 1 }
        try tx.delete(ScenarioNote.self, "n1")
        try tx.create(ScenarioNote(id: "n2", title: "forbidden"))
      }
    }
    #expect(try app.store.get(ScenarioNote.self, "n1") == ScenarioNote(id: "n1", title: "Moon"))
    #expect(app.outbox.pending.isEmpty)
  }

  @Test("R140: a body reads what it wrote, and nobody else does before the commit")
  func readYourWrites() async throws {
    let app = try await Scenario()
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "a"))
      #expect(try tx.get(ScenarioNote.self, "a") != nil)
      #expect(try tx.all(ScenarioNote.self).count == 1)
      try tx.delete(ScenarioNote.self, "a")
      #expect(try tx.get(ScenarioNote.self, "a") == nil)
    }
    #expect(app.outbox.pending.isEmpty)
  }

  @Test("R140: readers at the same time see whole commits")
  func concurrentReads() async throws {
    let app = try await Scenario()
    try await app.store.write { tx in
      try tx.create(ScenarioNote(id: "a"))
      try tx.create(ScenarioNote(id: "b"))
    }
    let store = app.store
    let torn = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var torn = 0
          for _ in 0..<200 {
            let notes = store.all(ScenarioNote.self)
            if Set(notes.map(\.likes)).count != 1 { torn += 1 }
            await Task.yield()
          }
          return torn
        }
      }
      for _ in 0..<50 {
        _ = try? await store.write(.relaxed) { tx in
          try tx.update(ScenarioNote.self, "a") { $0.likes += 1 }
          try tx.update(ScenarioNote.self, "b") { $0.likes += 1 }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(torn == 0)
    #expect(store.all(ScenarioNote.self).map(\.likes) == [50, 50])
  }

  @Test("R141: settings survive a restart, and are removed")
  func keyValue() async throws {
    let app = try await Scenario()
    try await app.store.set(setting: "theme", to: "dark")
    try await app.store.set(setting: "size", to: .int(12))
    try await app.store.set(setting: "size", to: nil)
    try await app.store.write { tx in
      try tx.set(setting: "shown", to: ["n1", "n2"])
      try tx.create(ScenarioNote(id: "n1"))
    }
    let again = try await app.killed()
    #expect(again.store.setting("theme") == "dark")
    #expect(again.store.setting("size") == nil)
    #expect(again.store.setting("shown") == ["n1", "n2"])
    #expect(again.store.setting("none") == nil)
  }
}
