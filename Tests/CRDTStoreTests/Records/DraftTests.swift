import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Drafts of records")
struct DraftTests {
  let stores = TestStores()

  @Test("A draft writes what its user changed, over whatever came in, and nothing else")
  func random() async throws {
    for seed in 0..<UInt64(isLongRun ? 2_000 : 30) {
      var random = SeededGenerator(seed: seed)
      let (store, other) = (
        try await stores.openCards("/store\(seed)"), try await stores.openCards("/other\(seed)")
      )
      var card = Card(id: "a")
      for _ in 0..<6 { card.change(&random) }
      let created = card
      try await store.write { try $0.create(created) }
      try await store.merge(with: other)
      var draft = try store.draft(Card.self, "a")
      #expect(try draft.changes().isEmpty)
      stores.clock.milliseconds += 10
      for _ in 0..<4 {
        let seed = random.next()
        try await other.write { tx in
          try tx.update(Card.self, "a") { card in
            var random = SeededGenerator(seed: seed)
            card.change(&random)
          }
        }
      }
      try await store.merge(with: other)
      let before = try #require(store.fields("a"))
      for _ in 0..<3 { draft.model.change(&random) }
      let (form, changes) = (draft, try draft.changes())
      stores.clock.milliseconds += 10
      try await store.write { try $0.commit(form) }
      var expected = before
      let rules = Card.rules.collection
      expected.apply(
        changes.filter { change in
          guard case .assign(let value, _) = change.change,
            let shown = before.value(at: change.path)
          else { return true }
          return rules.rule(of: change.path).admits(value, over: shown)
        })
      var fields = try #require(store.fields("a"))
      // A count beside a nil that its author hasn't seen is hidden by that, as any is.
      if before["stars"] == .null { (fields["stars"], expected["stars"]) = (nil, nil) }
      #expect(
        try Document.model(Card.self, from: fields) == Document.model(Card.self, from: expected),
        "seed \(seed): \(changes) over \(before)")
      try await store.merge(with: other)
      #expect(store.document == other.document, "seed \(seed)")
      #expect(store.conflicts(of: Card.self) == other.conflicts(of: Card.self))
      try await store.close()
      try await other.close()
    }
  }

  @Test("A manual field that both changed is a conflict, which every replica lists alike")
  func conflict() async throws {
    let (store, other) = (try await stores.openCards(), try await stores.openCards("/other"))
    try await store.write { try $0.create(Card(id: "a", body: "0")) }
    try await store.merge(with: other)
    var form = try store.draft(Card.self, "a")
    try await other.write { try $0.update(Card.self, "a") { $0.body = "theirs" } }
    try await store.merge(with: other)
    form.body = "mine"
    let filled = form
    try await store.write { try $0.commit(filled) }
    try await store.merge(with: other)
    let conflicts = store.conflicts(of: Card.self)
    #expect(conflicts == other.conflicts(of: Card.self))
    #expect(Set(conflicts.first?.sides.map(\.value) ?? []) == ["mine", "theirs"])
    #expect(store.status(of: Card.self, "a").syncStatus == .conflict)
    // The user's own change of the field is no conflict with the form that shows it.
    try await other.resolve(try #require(conflicts.first), with: "both")
    try await store.merge(with: other)
    #expect(store.conflicts(of: Card.self).isEmpty)
    #expect(try store.get(Card.self, "a")?.body == "both")
    try await store.close()
    try await other.close()
  }

  @Test("A draft that was committed is refused, and what it counts is counted once")
  func twice() async throws {
    let store = try await stores.openCards()
    let refusal = RecordError.draftCommitted(Card.id("a"))
    for isLocal in [true, false] {
      try await store.write { tx in
        let card = Card(id: "a", body: "0")
        if isLocal { try tx.createLocally(card) } else { try tx.create(card) }
      }
      var form = try store.draft(Card.self, "a")
      // What isn't committed in the end doesn't count.
      form.likes = 1
      let early = form
      await #expect(throws: Card.Refusal.self) {
        try await store.write { tx in
          try tx.commit(early)
          throw Card.Refusal()
        }
      }
      form.body = "1"
      form.likes = 2
      form.tags.insert("x")
      let filled = form
      await #expect(throws: refusal) {
        try await store.write { tx in
          try tx.commit(filled)
          try tx.commit(early)
        }
      }
      try await store.write { try $0.commit(filled) }
      form.title = "more"
      let later = form
      for copy in [filled, early, later] {
        await #expect(throws: refusal) { try await store.write { try $0.commit(copy) } }
      }
      #expect(store.conflicts(of: Card.self).isEmpty)
      #expect(try store.get(Card.self, "a") == Card(id: "a", body: "1", tags: ["x"], likes: 2))
      try await store.write { try $0.delete(Card.self, "a") }
    }
    try await store.close()
  }

  @Test("A draft of a record that was deleted is refused; restored, it is committed")
  func deleted() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a")) }
    var form = try store.draft(Card.self, "a")
    form.title = "t"
    let filled = form
    try await store.write { try $0.delete(Card.self, "a") }
    await #expect(throws: RecordError.notFound(Card.id("a"))) {
      try await store.write { try $0.commit(filled) }
    }
    #expect(throws: RecordError.notFound(Card.id("a"))) { try store.draft(Card.self, "a") }
    try await store.write { tx in
      try tx.restore(Card.self, "a")
      try tx.commit(filled)
    }
    #expect(try store.get(Card.self, "a") == Card(id: "a", title: "t"))
    form = try store.draft(Card.self, "a")
    form.title = "refused"
    let refused = form
    await #expect(throws: Card.Refusal.self) {
      try await store.write { try $0.commit(refused) }
    }
    form.model.id = "b"
    let renamed = form
    await #expect(throws: RecordError.renamed(Card.id("a"), to: "b")) {
      try await store.write { try $0.commit(renamed) }
    }
    // An unchanged one is no commit at all.
    let untouched = try store.draft(Card.self, "a")
    #expect(try await store.write { try $0.commit(untouched) }.dot == nil)
    try await store.close()
  }
}
