import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A model with a text that a server's users write in as well.
private struct Page: Replicated, Codable, Identifiable {
  let id: String
  var body = ""

  static let collection = "pages"
  static let rules = Rules([CodingKeys.body: .text])
  static let serverAccess = ServerAccess.queued
  static let record = Document.RecordID("p", in: collection)
}

/// Stores that have each received the same text from a server, and that are opened again before
/// they meet, or afterwards, or after a crash while they do.
///
/// What is expected is what the server's user wrote, and never what another store shows.
@Suite("What two stores receive from a server, through restarts and crashes")
struct RepeatedTextTests {
  /// Three stores and their server.
  private struct World {
    let stores: TestStores
    let server = FakeServer()
    var open: [Store] = []

    /// Stores that all know a text that the server has, and no more.
    init(_ stores: TestStores = TestStores(), text: String) async throws {
      self.stores = stores
      for side in 0..<3 { open.append(try await store(side)) }
      try await open[0].write { try $0.create(Page(id: "p", body: text)) }
      await open[0].outbox(over: server).sync(upon: .user)
      for side in 1..<3 { try meet(0, side) }
    }

    func store(_ side: Int) async throws -> Store {
      try await Store.open(at: "/store\(side)", for: Page.self, options: stores.options)
    }

    /// Closes a store and opens it again, as its log left it or as a snapshot.
    mutating func reopen(_ side: Int, compacting: Bool) async throws {
      if compacting { try await open[side].compact() }
      try await open[side].close()
      open[side] = try await store(side)
    }

    func pull(_ side: Int) async { _ = await open[side].outbox(over: server).pull() }

    func sync(_ side: Int) async { await open[side].outbox(over: server).sync(upon: .user) }

    func meet(_ one: Int, _ other: Int, inFolder: Bool = false) throws {
      guard inFolder else {
        try open[one].sync(with: .store(open[other]))
        return
      }
      for side in [one, other, one] { try open[side].sync(with: .folder("/relay")) }
    }

    func body(_ side: Int) throws -> String? { try open[side].get(Page.self, "p")?.body }

    /// Inserts a string into the text at an offset, as the store's user.
    func type(_ string: String, at offset: Int, _ side: Int) async throws {
      stores.clock.milliseconds += 10
      try await open[side].write { tx in
        try tx.update(Page.self, "p") { page in
          page.body.insert(
            contentsOf: string, at: page.body.index(page.body.startIndex, offsetBy: offset))
        }
      }
    }

    func serverText() async -> String? {
      guard case .string(let text)? = await server.record(Page.record)?.fields["body"] else {
        return nil
      }
      return text
    }

    func close() async throws {
      for store in open { try await store.close() }
    }
  }

  /// Whether the stores are opened again before they meet, and afterwards.
  private enum Restart: CaseIterable {
    case before, after, both

    var isBefore: Bool { self != .after }
    var isAfter: Bool { self != .before }
  }

  @Test("it is there once, whenever the stores are opened again", arguments: [false, true])
  func reopened(compacting: Bool) async throws {
    for restart in Restart.allCases {
      var world = try await World(text: "one two")
      let sent = await world.server.applied.count
      await world.server.edit(Page.record, ["body": "one new two"])
      for side in 0..<2 { await world.pull(side) }
      if restart.isBefore {
        for side in 0..<2 { try await world.reopen(side, compacting: compacting) }
      }
      try world.meet(0, 1)
      for side in 0..<2 {
        #expect(try world.body(side) == "one new two", "\(restart), store \(side)")
      }
      if restart.isAfter {
        for side in 0..<2 { try await world.reopen(side, compacting: compacting) }
      }
      try world.meet(2, 1)
      try world.meet(0, 2)
      for side in 0..<3 {
        #expect(try world.body(side) == "one new two", "\(restart), store \(side)")
        await world.sync(side)
        #expect(world.open[side].outbox(over: world.server).pending.isEmpty)
      }
      // Nobody has anything to tell the server.
      #expect(await world.server.applied.count == sent)
      #expect(await world.serverText() == "one new two")
      try await world.close()
    }
  }

  @Test(
    "it is there once though users have typed since they received it", arguments: [false, true])
  func typed(inFolder: Bool) async throws {
    for reopens in [false, true] {
      var world = try await World(text: "one two")
      await world.server.edit(Page.record, ["body": "one new two"])
      for side in 0..<2 { await world.pull(side) }
      try await world.type("left ", at: 0, 0)
      try await world.type(" right", at: 11, 1)
      if reopens { for side in 0..<2 { try await world.reopen(side, compacting: false) } }
      try world.meet(0, 1, inFolder: inFolder)
      try world.meet(1, 2, inFolder: inFolder)
      for side in 0..<3 { #expect(try world.body(side) == "left one new two right") }
      for _ in 0..<2 {
        for side in 0..<3 { await world.sync(side) }
        for (one, other) in [(0, 1), (1, 2), (0, 1)] { try world.meet(one, other) }
      }
      for side in 0..<3 { #expect(try world.body(side) == "left one new two right") }
      #expect(await world.serverText() == "left one new two right")
      try await world.close()
    }
  }

  @Test("what is received in parts and at once, in whatever order it was typed, is there once")
  func parts() async throws {
    let histories = [
      ["c ", "b c ", "a b c "], ["ac ", "abc ", "abbc "], ["b ", "b c ", "a b c ", "a b c d "],
      ["a b ", "a x b ", "a x y b ", "w a x y b "],
    ]
    for history in histories {
      for reopens in [false, true] {
        var world = try await World(text: "one two")
        for part in history {
          await world.server.edit(Page.record, ["body": .string("one \(part)two")])
          await world.pull(0)
          if part != history.first { await world.pull(2) }
        }
        await world.pull(1)
        if reopens { for side in 0..<3 { try await world.reopen(side, compacting: false) } }
        for (one, other) in [(0, 1), (1, 2), (0, 1)] { try world.meet(one, other) }
        for side in 0..<3 {
          #expect(try world.body(side) == "one \(history[history.count - 1])two", "\(history)")
        }
        try await world.close()
      }
    }
  }

  /// A random history of a text to whose first part the server's users add characters, while the
  /// user of one store adds some to its end.
  ///
  /// Each character is written once, so that it is known where each stands.
  private struct Run {
    var world: World
    var random: SeededGenerator
    /// What the server has.
    var told: [Character] = ["a", "|"]
    /// What it hasn't been told of.
    var typed: [Character] = []
    /// The store whose user types until the server is told.
    var typist = 0
    var next: UInt32 = 0x4E00
    var history: [String] = []
    var wrong: String?

    init(seed: UInt64) async throws {
      random = SeededGenerator(seed: seed)
      world = try await World(text: "a|")
    }

    mutating func step() async throws {
      let side = random.below(3)
      switch random.below(10) {
      case 0..<2:
        let place = random.below((told.firstIndex(of: "|") ?? 0) + 1)
        told.insert(contentsOf: characters(), at: place)
        history.append("the server has \(String(told))")
        await world.server.edit(Page.record, ["body": .string(String(told))])
      case 2..<7:
        history.append("\(side) pulls")
        await world.pull(side)
      default:
        let compacting = random.below(3) == 0
        history.append("\(side) is opened again\(compacting ? ", compacted" : "")")
        try await world.reopen(side, compacting: compacting)
      }
    }

    /// Characters that were not written before.
    private mutating func characters() -> [Character] {
      (0..<random.below(3) + 1).compactMap { _ in
        next += 1
        return Unicode.Scalar(next).map { Character($0) }
      }
    }

    /// Lets all receive what the server has, and one type.
    ///
    /// Nothing more is received before the server is told: what a store typed before it was opened
    /// again may have been sent, so the text isn't taken in until that is known.
    mutating func receive() async throws {
      history.append("all pull")
      for side in 0..<3 { await world.pull(side) }
      guard random.below(2) == 0 else { return }
      typed = characters()
      history.append("\(typist) types \(String(typed)), and is opened again")
      try await world.type(String(typed), at: try world.body(typist)?.count ?? 0, typist)
      try await world.reopen(typist, compacting: random.below(2) == 0)
    }

    mutating func meet() throws {
      history.append("all meet")
      for (one, other) in [(0, 1), (1, 2), (0, 1)] { try world.meet(one, other) }
      try check()
    }

    /// Tells the server what the store's user has typed.
    mutating func tell() async throws {
      history.append("the server is told")
      for _ in 0..<2 {
        for side in 0..<3 { await world.sync((typist + side) % 3) }
        for (one, other) in [(0, 1), (1, 2), (0, 1)] { try world.meet(one, other) }
      }
      try check()
      (told, typed, typist) = (told + typed, [], random.below(3))
      let text = await world.serverText() ?? ""
      if text != String(told) {
        wrong = wrong ?? "the server has \(text) instead of \(String(told))"
      }
    }

    private mutating func check() throws {
      let expected = String(told + typed)
      for side in 0..<3 {
        let shown = try world.body(side) ?? ""
        if shown != expected { wrong = wrong ?? "\(side) shows \(shown) instead of \(expected)" }
      }
    }
  }

  @Test("random histories with restarts: each character is there once, in the server's order")
  func histories() async throws {
    for seed in seeds(9, long: 1_000) {
      var run = try await Run(seed: seed)
      for _ in 0..<4 where run.wrong == nil {
        for _ in 0..<8 { try await run.step() }
        try await run.receive()
        try run.meet()
        try await run.tell()
      }
      try await run.world.close()
      guard let wrong = run.wrong else { continue }
      Issue.record("seed \(seed): \(wrong)\n\(run.history.joined(separator: "\n"))")
      return
    }
  }

  @Test("it is there once after a crash at any moment while the stores meet")
  func crashes() async {
    let explorer = CrashExplorer(choices: .few, seed: 3)
    let found = await explorer.explore { files, recorder in
      let world = try await World(TestStores(files), text: "one two")
      await world.server.edit(Page.record, ["body": "one new two"])
      for side in 0..<2 {
        await world.pull(side)
        try await world.open[side].flush()
      }
      recorder.start()
      try world.meet(0, 1)
      try await world.close()
    } check: { image, _ in
      await Self.discrepancy(image)
    }
    #expect(found.failures == [])
    #expect(found.caseCount > 10)
  }

  private static func discrepancy(_ image: DiskImage) async -> String? {
    do {
      var open: [Store] = []
      let stores = TestStores(SimulatedFileSystem(image), replicasAfter: 100)
      for side in 0..<3 {
        open.append(
          try await Store.open(at: "/store\(side)", for: Page.self, options: stores.options))
      }
      // Both have received it before they met, so no moment shows it twice or not at all.
      for _ in 0..<2 {
        for (side, store) in open.enumerated().dropLast() {
          let body = try store.get(Page.self, "p")?.body
          if body != "one new two" { return "store \(side) shows \(body ?? "nothing")" }
        }
        try await open[1].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[2]))
        try await open[0].sync(with: .store(open[1]))
      }
      let body = try open[2].get(Page.self, "p")?.body
      for store in open { try await store.close() }
      return body == "one new two" ? nil : "the third store shows \(body ?? "nothing")"
    } catch {
      return "\(error)"
    }
  }
}
