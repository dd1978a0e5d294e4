import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Queries, and what merges break")
struct QueryTests {
  let stores = TestStores()

  private func query(_ title: Document.Value) -> Store.Query<Card> {
    Card.titled(title) { $0.mood == .calm }
  }

  @Test("By an index or without, the same is found, after whatever comes")
  func indexes() async throws {
    for seed in 0..<UInt64(isLongRun ? 300 : 12) {
      var random = SeededGenerator(seed: seed)
      let (store, other) = (
        try await stores.openCards("/store\(seed)"), try await stores.openCards("/other\(seed)")
      )
      var watched = store.observe(Card.self, where: query("a")).makeAsyncIterator()
      _ = await watched.next()
      for step in 0..<30 {
        let verbs = (0..<3).map { _ in CardVerb.random(&random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          try await other.write { tx in for verb in verbs { _ = try verb.perform(in: &tx) } }
        case 1: try await store.take(from: other)
        case 2: try await store.merge(with: other)
        case 3 where step % 4 == 0:
          // More records than are listed one by one, and among them one that is looked up.
          try await store.edit(.relaxed) { edit in
            for number in 0..<Store.Change.maximumRecords { edit.create("\(number)", in: "others") }
            edit.set("title", of: "a", in: "others", to: "a")
            for name in ["a", "b"] where edit.contains(name, in: "cards") {
              edit.set("title", of: name, in: "cards", to: "c")
            }
          }
        default:
          try await store.write(Bool.random(using: &random) ? .full : .relaxed) { tx in
            for verb in verbs { _ = try verb.perform(in: &tx) }
          }
        }
        guard Bool.random(using: &random) else { continue }
        for title in ["", "a", "b", "c", "none"] {
          let found = Array(store.all(Card.self, where: query(.string(title))))
          let scanned = Array(
            store.all(Card.self) { $0.title == title && $0.mood == .calm })
          #expect(found == scanned, "seed \(seed), step \(step), title \(title)")
        }
      }
      // The observer of a query ends with what the query finds.
      try await store.write { tx in
        try tx.create(Card(id: "last", title: "a"))
      }
      let last = try #require(await watched.next())
      #expect(last == store.all(Card.self, where: query("a")), "seed \(seed)")
      #expect(last[id: "last"] != nil)
      try await store.close()
      try await other.close()
    }
  }

  @Test("Duplicates, broken invariants and fields that can't be read are found after a merge")
  func violations() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { tx in
      try tx.create(Card(id: "a", color: "red"))
      try tx.create(Card(id: "b"))
      try tx.create(Card(id: "c"))
    }
    #expect(store.violations(in: Card.self) == [])
    try await other.take(from: store)
    try await other.write { tx in
      try tx.create(Card(id: "d", color: "red"))
      try tx.create(Card(id: "e", color: "blue"))
      try tx.update(OldCard.self, "b") { $0.title = "refused" }
    }
    try await other.edit { $0.set("mood", of: "c", in: "cards", to: "mad") }
    try await store.write { try $0.createLocally(Card(id: "f", color: "blue")) }
    try await store.merge(with: other)
    let violations = store.violations(in: Card.self)
    #expect(violations.contains(.duplicate(field: "color", records: ["a", "d"])))
    #expect(violations.contains(.duplicate(field: "color", records: ["e", "f"])))
    #expect(
      violations.contains { if case .invalid("b", _) = $0 { true } else { false } })
    #expect(
      violations.contains { if case .unreadable("c", _) = $0 { true } else { false } })
    #expect(violations.count == 4)
    #expect(store.all(Card.self).unreadable == ["c"])
    #expect(throws: DecodingError.self) { try store.get(Card.self, "c") }
    // What can't be read can be deleted, and what is invalid mended.
    try await store.write { tx in
      try tx.delete(Card.self, "c")
      try tx.update(Card.self, "b") { $0.title = "fine" }
      try tx.delete(Card.self, "d")
      try tx.delete(Card.self, "f")
    }
    #expect(store.violations(in: Card.self) == [])
    try await store.close()
    try await other.close()
  }

  @Test("Settings stay, whatever their name and value, and are not sent")
  func settings() async throws {
    let store = try await stores.openCards()
    let values: [String: Document.Value] = [
      "": 1, "a/b": "text", "\0": .null, "é": [1, [2, ["x": nil]]], "double": 0.5,
      "bytes": .bytes([0, 255]),
    ]
    for (name, value) in values { try await store.set(setting: name, to: value) }
    try await store.set(setting: "gone", to: true)
    try await store.set(setting: "gone", to: nil)
    try await store.compact()
    try await store.write { tx in try tx.set(setting: "late", to: 1) }
    try await store.close()
    let again = try await stores.openCards()
    for (name, value) in values { #expect(again.setting(name) == value) }
    #expect(again.setting("e\u{301}") == values["é"])
    #expect(again.setting("gone") == nil)
    #expect(again.setting("late") == 1)
    #expect(again.document.version == [:])
    try await again.close()
  }

  @Test("A setting whose name or value no store could read again is refused")
  func settingBounds() async throws {
    let store = try await stores.openCards()
    let name = String(repeating: "é", count: 512)
    try await store.set(setting: name, to: 1)
    #expect(store.setting(name) == 1)
    await #expect(throws: RecordError.nameTooLong(bytes: 1_025)) {
      try await store.set(setting: name + "a", to: 1)
    }
    var deep: Document.Value = 1
    for _ in 0..<Document.Value.maximumDepth { deep = [deep] }
    let value = deep
    try await store.set(setting: "deep", to: value)
    #expect(store.setting("deep") == value)
    await #expect(throws: Document.UnstorableValue.self) {
      try await store.set(setting: "deeper", to: [value])
    }
    #expect(store.setting("deeper") == nil)
    try await store.close()
  }
}
