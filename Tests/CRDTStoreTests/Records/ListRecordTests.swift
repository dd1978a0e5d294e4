import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Testing

/// A model with a list that several people change.
private struct Board: Replicated, Codable, Identifiable {
  struct Task: Codable, Equatable, Identifiable {
    let id: String
    var title: String
    var votes = 0
  }

  let id: String
  var tasks: [Task] = []
  var tags: [String] = []

  static let collection = "boards"
  static let rules = Rules([CodingKeys.tasks: .list, CodingKeys.tags: .list])
  static let serverAccess = ServerAccess.queued
}

@Suite("Records with lists")
struct ListRecordTests {
  let stores = TestStores()

  private func open(_ path: String) async throws -> Store {
    try await Store.open(at: path, for: Board.self, options: stores.options)
  }

  private func change(
    _ store: Store, _ body: (inout Board) -> Void
  ) async throws -> Store.Receipt {
    stores.clock.milliseconds += 10
    guard var board = try store.get(Board.self, "b") else { throw RecordMissing() }
    body(&board)
    let changed = board
    return try await store.write { tx in try tx.update(Board.self, "b") { $0 = changed } }
  }

  private struct RecordMissing: Error {}

  private func board(_ store: Store) throws -> Board {
    try store.get(Board.self, "b") ?? Board(id: "none")
  }

  private func titles(_ store: Store) throws -> String {
    try board(store).tasks.map(\.title).joined(separator: " ")
  }

  private func exchange(_ one: Store, _ other: Store) throws {
    for _ in 0..<2 {
      try one.sync(with: .folder("/relay"))
      try other.sync(with: .folder("/relay"))
    }
  }

  private func make(_ titles: [String], _ store: Store) async throws -> Store.Receipt {
    try await store.write {
      try $0.create(
        Board(id: "b", tasks: titles.map { Board.Task(id: $0, title: $0) }, tags: titles))
    }
  }

  @Test("two stores change one list at the same time, also through restarts")
  func together() async throws {
    var (one, other) = (try await open("/one"), try await open("/other"))
    _ = try await make(["a", "b", "c"], one)
    try exchange(one, other)
    _ = try await change(one) { board in
      board.tasks.append(board.tasks.removeFirst())
      board.tags.insert("x", at: 1)
    }
    _ = try await change(other) { board in
      board.tasks[0].title = "A"
      board.tasks.insert(Board.Task(id: "n", title: "n"), at: 2)
      board.tags.removeLast()
    }
    try await one.close()
    one = try await open("/one")
    #expect(try titles(one) == "b c a")
    try exchange(one, other)
    #expect(try titles(one) == "b n c A")
    #expect(try titles(other) == "b n c A")
    #expect(try board(other).tags == ["a", "x", "b"])
    try await other.close()
    other = try await open("/other")
    #expect(try titles(other) == "b n c A")
    try await one.close()
    try await other.close()
  }

  @Test("undoing takes back one's own changes only, and redoing makes them again, after restarts")
  func undo() async throws {
    var (one, other) = (try await open("/one"), try await open("/other"))
    _ = try await make(["a", "b", "c", "d"], one)
    try exchange(one, other)
    let receipt = try await change(one) { board in
      board.tasks.remove(at: 1)
      board.tasks.append(Board.Task(id: "n", title: "n"))
      board.tasks.insert(board.tasks.remove(at: 0), at: 2)
      board.tasks[0].title = "C"
    }
    #expect(try titles(one) == "C d a n")
    try exchange(one, other)
    _ = try await change(other) { board in
      board.tasks[1].title = "D"
      board.tasks.append(Board.Task(id: "o", title: "o"))
    }
    try exchange(one, other)
    try await one.close()
    one = try await open("/one")
    let undone = try await one.undo(receipt)
    #expect(try titles(one) == "a b c D o")
    try await one.close()
    one = try await open("/one")
    try await one.undo(undone)
    #expect(try titles(one) == "C D a n o")
    try await other.close()
    other = try await open("/other")
    try exchange(one, other)
    #expect(try titles(other) == "C D a n o")
    try await one.close()
    try await other.close()
  }

  @Test("two undos take back two steps, also of what another store has made")
  func steps() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    _ = try await make(["a", "b"], one)
    try exchange(one, other)
    let moved = try await change(other) { $0.tasks.swapAt(0, 1) }
    #expect(try titles(other) == "b a")
    try await other.undo(moved)
    #expect(try titles(other) == "a b")
    let inserted = try await change(other) { $0.tags.append("x") }
    let removed = try await change(other) { $0.tags.removeLast() }
    try await other.undo(removed)
    #expect(try board(other).tags == ["a", "b", "x"])
    try await other.undo(inserted)
    #expect(try board(other).tags == ["a", "b"])
    try await one.close()
    try await other.close()
  }

  @Test("what a server inserts is there once, whatever waits here")
  func waiting() async throws {
    let store = try await open("/one")
    let server = FakeServer()
    let outbox = store.outbox(over: server)
    _ = try await make(["a", "b"], store)
    await outbox.sync(upon: .user)
    let id = Document.RecordID("b", in: "boards")
    await server.reject("tags", because: "no")
    _ = try await change(store) { $0.tags.append("m") }
    for tags in [["a", "o", "b"], ["a", "o", "p", "b"]] as [[Document.Value]] {
      await server.edit(id, ["tags": .array(tags)])
      await outbox.sync(upon: .user)
    }
    #expect(try board(store).tags == ["a", "o", "p", "b", "m"])
    try await store.close()
  }

  @Test("an inserted element in which others have written stays, and so does a list")
  func written() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    _ = try await make(["a"], one)
    try exchange(one, other)
    let receipt = try await change(one) { $0.tasks.append(Board.Task(id: "n", title: "n")) }
    try exchange(one, other)
    _ = try await change(other) { $0.tasks[1].votes = 3 }
    try exchange(one, other)
    try await one.undo(receipt)
    #expect(try board(one).tasks.map(\.votes) == [0, 3])
    try await one.close()
    try await other.close()
  }

  @Test("a draft keeps what others have changed since")
  func draft() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    let server = FakeServer()
    _ = try await make(["a", "b"], one)
    await one.outbox(over: server).sync(upon: .user)
    try exchange(one, other)
    var draft = try one.draft(Board.self, "b")
    draft.model.tasks[1].title = "B"
    draft.model.tasks.append(Board.Task(id: "d", title: "d"))
    _ = try await change(other) { board in
      board.tasks.insert(Board.Task(id: "o", title: "o"), at: 1)
      board.tasks[0].title = "A"
    }
    try exchange(one, other)
    let form = draft
    try await one.write { try $0.commit(form) }
    #expect(try titles(one) == "A o B d")
    // The server is told what the list holds, with what others have changed.
    await one.outbox(over: server).sync(upon: .user)
    let told = await server.record(Document.RecordID("b", in: "boards"))?.fields["tasks"]
    guard case .array(let tasks)? = told else { throw RecordMissing() }
    let sent = tasks.map { task -> Document.Value? in
      if case .object(let fields) = task { fields["title"] } else { nil }
    }
    #expect(sent == ["A", "o", "B", "d"])
    try await one.close()
    try await other.close()
  }

  @Test("a server is told the whole list, and what it says is taken in once by two stores")
  func server() async throws {
    let (one, other) = (try await open("/one"), try await open("/other"))
    let server = FakeServer()
    let (first, second) = (one.outbox(over: server), other.outbox(over: server))
    _ = try await make(["a", "b"], one)
    await first.sync(upon: .user)
    try exchange(one, other)
    await second.sync(upon: .user)
    let id = Document.RecordID("b", in: "boards")
    let task = { (id: String, title: String) -> Document.Value in
      ["id": .string(id), "title": .string(title), "votes": 0]
    }
    await server.edit(
      id,
      [
        "tasks": .array([task("s", "s"), task("b", "B"), task("a", "a")]),
        "tags": ["a", "s", "b", "a"],
      ])
    _ = try await change(one) { $0.tasks.append(Board.Task(id: "n", title: "n")) }
    await first.sync(upon: .user)
    await first.sync(upon: .user)
    await second.sync(upon: .user)
    #expect(try titles(one) == "s B a n" || titles(one) == "s B n a")
    try exchange(one, other)
    #expect(try titles(one) == titles(other))
    #expect(try board(one).tasks.map(\.id).sorted() == ["a", "b", "n", "s"])
    #expect(try board(one).tags == ["a", "s", "b", "a"])
    #expect(try board(other).tags == ["a", "s", "b", "a"])
    let told = await server.record(id)?.fields["tasks"]
    guard case .array(let elements)? = told else {
      Issue.record("no array at the server: \(String(describing: told))")
      return
    }
    #expect(elements.count == 4)
    try await one.close()
    try await other.close()
  }
}
