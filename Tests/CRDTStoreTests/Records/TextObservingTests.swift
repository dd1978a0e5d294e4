import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A model with a text and a list that several people write in.
struct Sheet: Codable, Hashable, Identifiable, Replicated {
  let id: String
  var title = ""
  var body = ""
  var lines: [String] = []

  static let collection = "sheets"
  static let rules = Rules([CodingKeys.body: .text, .lines: .list], renamed: [.body: "content"])
  static let serverAccess = ServerAccess.queuedAsEdits
}

extension Sheet {
  /// Makes a random change.
  mutating func change(_ number: Int, using random: inout SeededGenerator) {
    var text = Array(body)
    let place = Int.random(in: 0...text.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: text.insert(contentsOf: "👍\(number)é", at: place)
    case 2: text.removeSubrange(place..<min(place + 3, text.count))
    case 3: title = "\(number)"
    case 4: lines.insert("l\(number)", at: Int.random(in: 0...lines.count, using: &random))
    default:
      guard !lines.isEmpty else { return }
      let line = lines.remove(at: Int.random(in: lines.indices, using: &random))
      if number % 3 != 0 { lines.insert(line, at: lines.count / 2) }
    }
    body = String(text)
  }
}

@Suite("Observing texts and lists")
struct TextObservingTests {
  let stores = TestStores()

  private func open(_ path: String) async throws -> Store {
    try await Store.open(at: path, for: Sheet.self, options: stores.options)
  }

  /// A view that makes what changes of the text and the list of a sheet.
  private struct View {
    var units: [UInt16] = []
    var names: [String] = []
    var text: Document.Text?
    var list: Document.List?

    mutating func show(_ body: Document.Text) {
      for change in body.changes(since: text) {
        units.replaceSubrange(change.replaced, with: Array(change.inserted.utf16))
      }
      text = body
    }

    mutating func show(_ lines: Document.List) {
      names = names.applying(lines.changes(since: list)) ?? ["the changes don't fit"]
      list = lines
    }
  }

  @Test(
    "views that make the changes show what the store has: own edits, peers', the server's",
    arguments: 1...4 as ClosedRange<UInt64>)
  func schedules(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let server = FakeServer()
    let id = Document.RecordID("s", in: "sheets")
    var (one, other) = (try await open("/one"), try await open("/other"))
    try await one.write { try $0.create(Sheet(id: "s")) }
    _ = await one.outbox(over: server).sync(upon: .user)
    _ = try await one.sync(with: .folder("/relay"))
    var view = View()
    var texts = one.observe(Sheet.self, "s", text: "body").makeAsyncIterator()
    var lists = one.observe(Sheet.self, "s", list: "lines").makeAsyncIterator()
    for number in 1...30 {
      stores.clock.milliseconds += 60_000
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        let generator = random
        try await one.write { tx in
          var generator = generator
          try tx.update(Sheet.self, "s") { $0.change(number, using: &generator) }
        }
        _ = random.next()
      case 3, 4:
        _ = try await other.sync(with: .folder("/relay"))
        let generator = random
        try await other.write { tx in
          var generator = generator
          try tx.update(Sheet.self, "s") { $0.change(number, using: &generator) }
        }
        _ = try await other.sync(with: .folder("/relay"))
        _ = try await one.sync(with: .folder("/relay"))
      case 5:
        let known = await server.record(id)?.fields["content"]
        guard case .string(let text)? = known else { break }
        await server.edit(id, ["content": .string("s\(number)" + text)])
        _ = await one.outbox(over: server).sync(upon: .user)
      case 6: _ = await one.outbox(over: server).sync(upon: .user)
      default:
        try await one.close()
        one = try await open("/one")
        texts = one.observe(Sheet.self, "s", text: "body").makeAsyncIterator()
        lists = one.observe(Sheet.self, "s", list: "lines").makeAsyncIterator()
      }
      if number % 3 == 1 { continue }
      let sheet = try #require(try one.get(Sheet.self, "s"))
      // Each is awaited only where there is something new, as a view's loop does.
      if view.text == nil || !sheet.body.utf16.elementsEqual(view.units) {
        view.show(try #require(await texts.next() ?? nil))
      }
      if view.list == nil || view.list?.elements != sheet.lines.map({ .string($0) }) {
        view.show(try #require(await lists.next() ?? nil))
      }
      #expect(String(decoding: view.units, as: UTF16.self) == sheet.body, "step \(number)")
      #expect(view.names == view.list?.names, "step \(number)")
      #expect(view.list?.elements == sheet.lines.map { .string($0) }, "step \(number)")
    }
    try await one.close()
    try await other.close()
  }

  @Test("a text is told when it changes, and not when another field or record does")
  func once() async throws {
    let store = try await open("/one")
    var texts = store.values(ofText: "content", of: "s", in: "sheets").makeAsyncIterator()
    var lists = store.values(ofList: "lines", of: "s", in: "sheets").makeAsyncIterator()
    #expect(await texts.next() == .some(nil))
    #expect(await lists.next() == .some(nil))
    try await store.write { try $0.create(Sheet(id: "s", body: "a", lines: ["x"])) }
    let first = try #require(await texts.next() ?? nil)
    #expect(String(first) == "a")
    #expect(await lists.next()??.elements == ["x"])
    try await store.write { try $0.update(Sheet.self, "s") { $0.title = "t" } }
    try await store.write { try $0.create(Sheet(id: "r", body: "b")) }
    try await store.write { try $0.update(Sheet.self, "s") { $0.body = "ab" } }
    let second = try #require(await texts.next() ?? nil)
    let inserted = second.changes(since: first)
    #expect(inserted.map(\.replaced) == [1..<1])
    #expect(inserted.map(\.inserted) == ["b"])
    try await store.write { try $0.delete(Sheet.self, "s") }
    #expect(await texts.next() == .some(nil))
    #expect(await lists.next() == .some(nil))
    try await store.close()
    #expect(await texts.next() == nil)
  }
}
