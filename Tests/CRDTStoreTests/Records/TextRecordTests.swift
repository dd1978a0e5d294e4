import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Testing

/// A model with a text that several people write in.
private struct Page: Replicated, Codable, Identifiable {
  let id: String
  var title = ""
  var body = ""

  static let collection = "pages"
  static let rules = Rules([CodingKeys.body: .text])
  static let serverAccess = ServerAccess.queued
}

/// A model whose text may be absent.
private struct Memo: Replicated, Codable, Identifiable {
  let id: String
  var body: String?

  static let collection = "memos"
  static let rules = Rules([CodingKeys.body: .text])
}

@Suite("Records with texts")
struct TextRecordTests {
  let stores = TestStores()

  private func open(_ path: String) async throws -> Store {
    try await Store.open(at: path, for: Page.self, options: stores.options)
  }

  private func set(_ body: String, _ store: Store) async throws -> Store.Receipt {
    stores.clock.milliseconds += 10
    return try await store.write { tx in try tx.update(Page.self, "p") { $0.body = body } }
  }

  private func body(_ store: Store) throws -> String? { try store.get(Page.self, "p")?.body }

  private func exchange(_ one: Store, _ other: Store) throws {
    for _ in 0..<2 {
      try one.sync(with: .folder("/relay"))
      try other.sync(with: .folder("/relay"))
    }
  }

  @Test("two stores write in one text at the same time, also through restarts")
  func together() async throws {
    var (one, other) = (try await open("/one"), try await open("/other"))
    try await one.write { try $0.create(Page(id: "p", body: "one two three")) }
    try exchange(one, other)
    _ = try await set("zero one two three", one)
    _ = try await set("one two three four", other)
    try await one.close()
    one = try await open("/one")
    #expect(try body(one) == "zero one two three")
    try exchange(one, other)
    #expect(try body(one) == "zero one two three four")
    #expect(try body(other) == "zero one two three four")
    try await other.close()
    other = try await open("/other")
    #expect(try body(other) == "zero one two three four")
    try await one.close()
    try await other.close()
  }

  @Test("a draft keeps what others have written since")
  func draft() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    try await one.write { try $0.create(Page(id: "p", body: "a b c")) }
    try exchange(one, other)
    var draft = try one.draft(Page.self, "p")
    draft.model.body = "a b c d"
    _ = try await set("a B c", other)
    try exchange(one, other)
    let form = draft
    try await one.write { try $0.commit(form) }
    #expect(try body(one) == "a B c d")
    try await one.close()
    try await other.close()
  }

  @Test("undoing takes one's own characters only, and redoing brings them back")
  func undo() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    try await one.write { try $0.create(Page(id: "p", body: "the end")) }
    try exchange(one, other)
    let inserted = try await set("the good end", one)
    try exchange(one, other)
    _ = try await set("the very good end!", other)
    try exchange(one, other)
    #expect(try body(one) == "the very good end!")
    let undone = try await one.undo(inserted)
    #expect(try body(one) == "the very end!")
    try await one.undo(undone)
    #expect(try body(one) == "the very good end!")
    // What was removed stands again where it stood.
    let removed = try await set("good end!", one)
    try exchange(one, other)
    _ = try await set("good end!?", other)
    try exchange(one, other)
    try await one.undo(removed)
    #expect(try body(one) == "the very good end!?")
    try exchange(one, other)
    #expect(try body(other) == "the very good end!?")
    try await one.close()
    try await other.close()
  }

  @Test("a text that is removed, or not made, comes back with its anchors")
  func removed() async throws {
    let options = stores.options
    let one = try await Store.open(at: "/one", for: Memo.self, options: options)
    let other = try await Store.open(at: "/other", for: Memo.self, options: stores.options)
    func body(_ store: Store) -> Document.Text? {
      store.document.text(of: "body", of: "m", in: "memos")
    }
    try await one.write { try $0.create(Memo(id: "m")) }
    let made = try await one.write { try $0.update(Memo.self, "m") { $0.body = "word" } }
    let text = try #require(body(one))
    let anchor = text.anchor(at: text.index(2, in: .unicodeScalars), .after)
    let removed = try await one.write { try $0.update(Memo.self, "m") { $0.body = nil } }
    #expect(try one.get(Memo.self, "m")?.body == nil)
    try await one.undo(removed)
    let undone = try await one.undo(made)
    #expect(undone.omissions == [])
    #expect(try one.get(Memo.self, "m")?.body == nil)
    try await one.undo(undone)
    try await one.sync(with: .store(other))
    for store in [one, other] {
      #expect(try store.get(Memo.self, "m")?.body == "word")
      let text = try #require(body(store))
      let index = try #require(text.index(of: anchor))
      #expect(text.offset(of: index, in: .unicodeScalars) == 2)
      try await store.close()
    }
  }

  @Test("undoing gives what was there, whatever the difference was", arguments: ["ba", "cab", ""])
  func exactly(_ string: String) async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    try await one.write { try $0.create(Page(id: "p", body: "ab")) }
    try exchange(one, other)
    let receipt = try await set(string, other)
    try await other.undo(receipt)
    #expect(try body(other) == "ab")
    try await one.close()
    try await other.close()
  }

  @Test("a record in which others have written isn't taken back")
  func written() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    let made = try await one.write { try $0.create(Page(id: "p", body: "x")) }
    try exchange(one, other)
    _ = try await set("xy", other)
    try exchange(one, other)
    _ = try await set("xyz", one)
    let receipt = try await one.undo(made)
    #expect(!receipt.omissions.isEmpty)
    #expect(try body(one) == "xyz")
    try await one.close()
    try await other.close()
  }

  @Test("a server is told the whole text, and its edits meet those that it hasn't heard of")
  func server() async throws {
    let store = try await open("/one")
    let server = FakeServer()
    let outbox = store.outbox(over: server)
    try await store.write { try $0.create(Page(id: "p", body: "one two")) }
    await outbox.sync(upon: .user)
    let id = Document.RecordID("p", in: "pages")
    #expect(await server.record(id)?.fields["body"] == "one two")
    await server.edit(id, ["body": "one TWO"])
    _ = try await set("zero one two", store)
    await outbox.sync(upon: .user)
    await outbox.sync(upon: .user)
    #expect(try body(store) == "zero one TWO")
    #expect(await server.record(id)?.fields["body"] == "zero one TWO")
    try await store.close()
  }

  @Test("what two stores receive from a server before they meet is there once", arguments: 0..<12)
  func receivedTwice(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let stores = [try await open("/one"), try await open("/two"), try await open("/three")]
    let server = FakeServer()
    try await stores[0].write { try $0.create(Page(id: "p", body: "one two")) }
    await stores[0].outbox(over: server).sync(upon: .user)
    try exchange(stores[0], stores[1])
    try exchange(stores[0], stores[2])
    // What a peer wrote, a server's user removes once the store has received it from the server.
    for store in stores { await store.outbox(over: server).sync(upon: .user) }
    let id = Document.RecordID("p", in: "pages")
    var expected = "one two"
    for step in 0..<6 {
      var words = expected.split(separator: " ").map(String.init)
      let place = Int.random(in: 0...words.count, using: &random)
      words.insert("new\(step)", at: place)
      if Bool.random(using: &random) {
        words.remove(at: Int.random(in: 0..<words.count, using: &random))
      }
      expected = words.joined(separator: " ")
      await server.edit(id, ["body": .string(expected)])
      for store in stores.shuffled(using: &random).dropLast(Int.random(in: 0...1, using: &random)) {
        await store.outbox(over: server).sync(upon: .user)
      }
      for _ in 0..<3 {
        let pair = stores.shuffled(using: &random)
        try exchange(pair[0], pair[1])
      }
      try exchange(stores[0], stores[1])
      try exchange(stores[1], stores[2])
      try exchange(stores[0], stores[1])
      for store in stores { #expect(try body(store) == expected, "seed \(seed), step \(step)") }
    }
    for store in stores { try await store.close() }
  }

  @Test(
    "what a server's user types is there once in stores that ask at different times",
    arguments: 0..<12)
  func receivedAtDifferentTimes(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let stores = [try await open("/one"), try await open("/two"), try await open("/three")]
    let server = FakeServer()
    try await stores[0].write { try $0.create(Page(id: "p", body: "one two")) }
    await stores[0].outbox(over: server).sync(upon: .user)
    for store in stores.dropFirst() { try exchange(stores[0], store) }
    let (id, place) = (Document.RecordID("p", in: "pages"), Int.random(in: 0...7, using: &random))
    var typed = ""
    var expected: String { "one two".prefix(place) + typed + "one two".dropFirst(place) }
    for step in 0..<5 {
      typed += String(repeating: "\(step)", count: .random(in: 1...3, using: &random))
      await server.edit(id, ["body": .string(expected)])
      for store in stores where Bool.random(using: &random) {
        await store.outbox(over: server).sync(upon: .user)
      }
    }
    for store in stores.shuffled(using: &random) {
      await store.outbox(over: server).sync(upon: .user)
    }
    for (one, other) in [(0, 1), (1, 2), (0, 1)] { try exchange(stores[one], stores[other]) }
    for store in stores { #expect(try body(store) == expected, "seed \(seed)") }
    for store in stores { try await store.close() }
  }

  @Test("a record that is deleted while another store finds what is repeated stays deleted")
  func deletedMeanwhile() async throws {
    let stores = [try await open("/one"), try await open("/two")]
    let server = FakeServer()
    try await stores[0].write { try $0.create(Page(id: "p", body: "one")) }
    await stores[0].outbox(over: server).sync(upon: .user)
    try exchange(stores[0], stores[1])
    await server.edit(Document.RecordID("p", in: "pages"), ["body": .string("one two")])
    for store in stores { await store.outbox(over: server).sync(upon: .user) }
    let versions = stores.map { $0.document.version }
    let deltas = zip(stores, versions.reversed()).map { $0.document.delta(since: $1) }
    for (store, delta) in zip(stores, deltas.reversed()) { try await store.apply(delta) }
    #expect(try body(stores[0]) == "one two" && body(stores[1]) == "one two")
    try await stores[1].write { try $0.delete(Page.self, "p") }
    try exchange(stores[0], stores[1])
    for store in stores { #expect(!store.document.contains("p", in: "pages")) }
    for store in stores { try await store.close() }
  }

  @Test("a rule that no string fits is refused")
  func unsuitable() async throws {
    struct Wrong: Replicated, Codable, Identifiable {
      let id: String
      var body = 1

      static let collection = "wrong"
      static let rules = Rules([CodingKeys.body: .text])
    }
    let store = try await Store.open(at: "/wrong", for: Wrong.self, options: stores.options)
    await #expect(throws: RecordError.self) {
      try await store.write { try $0.create(Wrong(id: "p")) }
    }
    try await store.close()
  }
}
