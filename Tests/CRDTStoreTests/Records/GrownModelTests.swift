import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

/// Models of two versions of an app, on two devices that sync.
@Suite("Models that have grown")
struct GrownModelTests {
  private struct Old: Replicated, Equatable {
    let id: String
    var title = ""
    var note = ""
    var tags: Set<String> = []

    static let collection = "items"
    static let rules = Rules([CodingKeys.tags: .lastWriterWins])
  }

  private struct New: Replicated, Equatable {
    let id: String
    var title = ""
    /// It was `note`.
    var details = ""
    var tags: Set<String> = []
    var priority = 0
    var lines: [Line] = []

    struct Line: Codable, Hashable {
      var name = ""
      var count = 0
    }

    static let collection = "items"
    static let rules = Rules(
      [CodingKeys.details: .manual], indexed: [.priority],
      defaults: [.priority: 3, .lines: []], renamed: [.details: "note"]
    ).with(defaults: ["lines.*.count": 1])

    static func urgent() -> Store.Query<New> { Store.Query(CodingKeys.priority, equals: 3) }
  }

  private struct Strict: Replicated {
    let id: String
    var title = ""
    var priority = 0

    static let collection = "items"
  }

  private let stores = TestStores()

  private func open<Model: Replicated>(
    _ type: Model.Type, _ path: String, events: Guarded<[Store.Event]> = Guarded([])
  ) async throws -> Store {
    var options = stores.options
    options.onEvent = { event in events.withLock { $0.append(event) } }
    return try await Store.open(at: path, for: type, options: options)
  }

  @Test("A list shows old records after an update: fields that they lack have their defaults")
  func defaults() async throws {
    let events = Guarded<[Store.Event]>([])
    let before = try await open(Old.self, "/store")
    try await before.write { tx in
      try tx.create(Old(id: "a", title: "A", note: "n", tags: ["x"]))
      try tx.createLocally(Old(id: "b", title: "B"))
    }
    try await before.close()

    let store = try await open(New.self, "/store", events: events)
    let a = New(id: "a", title: "A", details: "n", tags: ["x"], priority: 3)
    let b = New(id: "b", title: "B", details: "", priority: 3)
    #expect(Array(store.all(New.self)) == [a, b])
    #expect(Array(store.all(New.self, where: New.urgent())) == [a, b])
    #expect(store.all(New.self).unreadable.isEmpty)
    #expect(try store.draft(New.self, "a").model == a)
    let version = store.document.version
    let receipt = try await store.write { tx in
      try tx.update(New.self, "a") { $0.title = "A!" }
    }
    // What is read by default isn't written by a change of something else.
    let names = store.document.fields(of: "a", in: "items")?.keys.sorted()
    #expect(names == ["id", "note", "tags", "title"])
    try await store.undo(receipt)
    #expect(try store.get(New.self, "a") == a)
    try await store.write { try $0.delete(New.self, "a") }
    #expect(Array(store.deleted(New.self)) == [a])
    #expect(store.document.version != version)
    #expect(events.withLock { $0.isEmpty })
  }

  @Test("A default leads into the elements of arrays and dictionaries, where they are")
  func deepDefaults() async throws {
    let store = try await open(New.self, "/store")
    try await store.edit { edit in
      edit.set("title", of: "a", in: "items", to: "A")
      edit.set("id", of: "a", in: "items", to: "a")
      edit.set("note", of: "a", in: "items", to: "")
      edit.set("tags", of: "a", in: "items", to: [])
      edit.set("lines", of: "a", in: "items", to: [["name": "x"], ["name": "y", "count": 5]])
    }
    #expect(
      try store.get(New.self, "a")?.lines
        == [New.Line(name: "x", count: 1), New.Line(name: "y", count: 5)])
  }

  @Test("Old and new versions see each other's edits of a field that was renamed")
  func renamed() async throws {
    let (old, new) = (try await open(Old.self, "/old"), try await open(New.self, "/new"))
    try await old.write { try $0.create(Old(id: "a", note: "one")) }
    try await new.sync(with: .store(old))
    #expect(try new.get(New.self, "a")?.details == "one")
    try await new.write { tx in
      try tx.update(New.self, "a") { $0.details = "two" }
      try tx.create(New(id: "b", details: "mine"))
    }
    try await new.sync(with: .store(old))
    #expect(try old.get(Old.self, "a")?.note == "two")
    #expect(try old.get(Old.self, "b")?.note == "mine")
    // At the same time: the rule is that of the field, under its old name.
    try await old.write { try $0.update(Old.self, "a") { $0.note = "old" } }
    try await new.write { try $0.update(New.self, "a") { $0.details = "new" } }
    try await new.sync(with: .store(old))
    let conflict = try #require(new.conflicts(of: New.self).first)
    #expect(conflict.path == ["note"])
    #expect(new.explain(New.self, "a", "details")?.rule == .manual)
    try await new.resolve(conflict, with: "both")
    try await new.sync(with: .store(old))
    #expect(try old.get(Old.self, "a")?.note == "both")
    #expect(try new.get(New.self, "a")?.details == "both")
  }

  @Test("What was written under the new name alone is read, until there is something under the old")
  func newNameAlone() async throws {
    let store = try await open(New.self, "/store")
    try await store.write { try $0.create(New(id: "a", details: "x")) }
    try await store.edit { edit in
      edit.remove("note", of: "a", in: "items")
      edit.set("details", of: "a", in: "items", to: "under the new name")
    }
    #expect(try store.get(New.self, "a")?.details == "under the new name")
    try await store.write { try $0.update(New.self, "a") { $0.details = "changed" } }
    #expect(try store.get(New.self, "a")?.details == "changed")
    #expect(store.document.value(of: "note", of: "a", in: "items") == "changed")
  }

  @Test("A record that can't be read is told of once, with its field")
  func unreadable() async throws {
    let before = try await open(Old.self, "/store")
    try await before.write { tx in
      for number in 0..<3 { try tx.create(Old(id: "r\(number)")) }
    }
    try await before.close()
    let events = Guarded<[Store.Event]>([])
    let store = try await open(Strict.self, "/store", events: events)
    for _ in 0..<3 { #expect(store.all(Strict.self).unreadable == ["r0", "r1", "r2"]) }
    for await records in store.observe(Strict.self) {
      #expect(records.isEmpty)
      break
    }
    #expect(await Scenario.until { events.withLock { $0.count >= 3 } })
    try await store.close()
    let told = events.withLock { events in
      events.compactMap { event -> String? in
        guard case .recordUnreadable(let record, field: let field, reason: let reason) = event
        else { return nil }
        #expect(reason.contains("default"))
        return "\(record.collection)/\(record.record) \(field)"
      }
    }
    #expect(told.sorted() == (0..<3).map { "items/r\($0) priority" })
  }

  @Test("Rules with defaults and names are read again from their JSON")
  func schema() throws {
    let schema = Schema([New.self])
    #expect(schema.collections["items"]?.fields == ["note": .manual])
    let decoded = try Schema(canonical: schema)
    #expect(decoded == schema)
    #expect(decoded.collections["items"]?.keptNames == ["details": "note"])
  }

  @Test("A model's set is one in drafts, when it is undone, and for a server")
  func sets() async throws {
    let (one, two) = (try await open(New.self, "/one"), try await open(New.self, "/two"))
    try await one.write { try $0.create(New(id: "a", tags: ["a"])) }
    try await two.sync(with: .store(one))
    var form = try one.draft(New.self, "a")
    form.tags.insert("b")
    let receipt = try await two.write { tx in
      try tx.update(New.self, "a") { _ = $0.tags.insert("c") }
    }
    try await two.sync(with: .store(one))
    try await one.write { try $0.commit(form) }
    try await two.sync(with: .store(one))
    #expect(try one.get(New.self, "a")?.tags == ["a", "b", "c"])
    #expect(try two.get(New.self, "a")?.tags == ["a", "b", "c"])
    try await two.undo(receipt)
    try await two.sync(with: .store(one))
    #expect(try one.get(New.self, "a")?.tags == ["a", "b"])
  }
}

extension Schema {
  /// The schema that another comes to in its canonical form.
  fileprivate init(canonical schema: Schema) throws {
    var writer = ByteWriter()
    schema.encode(to: &writer)
    var reader = ByteReader(writer.finish())
    try self.init(from: &reader)
  }
}
