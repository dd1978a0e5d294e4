import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Worlds of stores, their server and its users, and a plain model of the words that they write.
@Suite("Texts that peers and a server's users write in")
struct ServerTextTests {
  /// What a plain model knows of a world's words; it never looks at a store.
  private struct Words {
    var count = 0
    /// What nobody has deleted.
    var living: Set<String> = []
    var deleted: Set<String> = []
    /// What each store has received, from whomever.
    var received: [Set<String>]
    /// What each store has received from the server.
    var shown: [Set<String>]

    init(_ stores: Int) {
      received = Array(repeating: [], count: stores)
      shown = received
    }

    /// A new word.
    ///
    /// Where words are deleted, no two have a character in common: the difference of two texts
    /// makes one word of parts of another.
    mutating func next(isDistinct: Bool) -> String {
      count += 1
      let scalars = (0..<3).compactMap { UnicodeScalar(0x4E00 + 3 * count + $0) }
      let word =
        isDistinct
        ? String(String.UnicodeScalarView(scalars)) : "k\(String(1_000 + count).dropFirst())"
      living.insert(word)
      return word
    }

    mutating func delete(_ word: String) {
      living.remove(word)
      deleted.insert(word)
    }

    mutating func meet(_ one: Int, _ other: Int) {
      received[one].formUnion(received[other])
      received[other] = received[one]
    }

    mutating func receive(_ text: String, at side: Int) {
      let words = Set(text.split(separator: " ").map(String.init))
      received[side].formUnion(words)
      shown[side].formUnion(words)
    }

    /// The words that all stores know the server to have.
    var settled: [String] {
      living.filter { word in shown.allSatisfy { $0.contains(word) } }.sorted()
    }
  }

  /// A world and what is known of it.
  private struct Play<Page: ServerPage> {
    var world: ServerTextWorld<Page>
    var words: Words
    var random: SeededGenerator
    /// Whether users delete words.
    let isDeleting: Bool
    /// Stores that can't tell, since they were opened again, whether the server has what they wrote.
    var doubting: Set<Int> = []
    var writing: Set<Int> = []
    var log: [String] = []

    init(seed: UInt64, isDeleting: Bool) async throws {
      self.isDeleting = isDeleting
      random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...3, using: &random)
      world = try await ServerTextWorld(count, text: "begin end")
      words = Words(count)
    }

    var sides: Range<Int> { world.open.indices }

    /// A text with a word more, between two others.
    mutating func adding(_ word: String) -> @Sendable (String) -> String {
      let place = UInt64.random(in: 0...UInt64.max, using: &random)
      return { text in
        var words = text.split(separator: " ", omittingEmptySubsequences: false)
        words.insert(Substring(word), at: Int(place % UInt64(words.count + 1)))
        return words.joined(separator: " ")
      }
    }

    static func removing(_ word: String) -> @Sendable (String) -> String {
      { $0.split(separator: " ").filter { $0 != word }.joined(separator: " ") }
    }

    mutating func meet(_ one: Int, _ other: Int) throws {
      try world.meet(one, other)
      words.meet(one, other)
    }

    /// A store talks to the server, after it has received what its peers know.
    ///
    /// What stores receive from the server first, they may have twice when they meet.
    mutating func talk(_ side: Int, isPull: Bool = false) async throws {
      for other in sides where other != side { try meet(side, other) }
      // Of a record with an operation in doubt, a pull takes in nothing.
      if isPull, doubting.contains(side) { return }
      words.receive(await world.serverText, at: side)
      if isPull { return await world.pull(side) }
      await world.sync(side)
      words.receive(await world.serverText, at: side)
      writing.remove(side)
      doubting.remove(side)
    }

    mutating func step() async throws {
      let side = Int.random(in: sides, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2:
        let word = words.next(isDistinct: isDeleting)
        words.received[side].insert(word)
        log.append("store \(side) writes \(word)")
        writing.insert(side)
        try await world.write(side, adding(word))
      case 3, 4:
        let word = words.next(isDistinct: isDeleting)
        log.append("the server writes \(word)")
        await world.writeAtServer(adding(word))
      case 5:
        guard isDeleting, let word = words.settled.randomElement(using: &random) else { return }
        log.append("the server deletes \(word)")
        words.delete(word)
        await world.writeAtServer(Self.removing(word))
      case 6:
        guard isDeleting, let word = words.settled.randomElement(using: &random) else { return }
        log.append("store \(side) deletes \(word)")
        words.delete(word)
        try await world.write(side, Self.removing(word))
        try await talk(side)
      case 7, 8:
        let other = Int.random(in: sides, using: &random)
        if other == side { return }
        log.append("stores \(side) and \(other) meet")
        try meet(side, other)
      case 9:
        log.append("store \(side) pulls")
        try await talk(side, isPull: true)
      case 10:
        log.append("store \(side) syncs")
        try await talk(side)
      default:
        log.append("store \(side) is opened again")
        if writing.contains(side) { doubting.insert(side) }
        try await world.reopen(side, compacting: Bool.random(using: &random))
      }
    }

    /// Notes what everyone has.
    private mutating func noteTexts() async throws {
      let texts = try sides.map(world.body)
      log.append("  \(texts) \(await world.serverText)")
    }

    /// What is missing of what stores have received.
    func problem() async throws -> String? {
      for side in sides {
        let text = try world.body(side)
        for word in words.received[side].intersection(words.living).sorted()
        where !text.contains(word) {
          return "store \(side) lacks \(word): \(text)"
        }
      }
      return nil
    }

    mutating func end() async throws -> String? {
      var texts: Set<String> = []
      for _ in 0..<12 {
        for side in sides {
          try await talk(side)
          log.append("store \(side) talks")
          try await noteTexts()
        }
        for one in sides {
          for other in sides where one < other { try meet(one, other) }
        }
        if let problem = try await problem() { return problem }
        texts = Set(try sides.map(world.body) + [await world.serverText])
        if texts.count == 1 { break }
      }
      guard let text = texts.first, texts.count == 1 else { return "\(texts.sorted())" }
      for word in words.living.sorted() {
        // What is inserted beside a word may stand there without a space.
        let count = text.indices.count { text[$0...].hasPrefix(word) }
        if count != 1 { return "\(word) \(count) times: \(text)" }
      }
      let deleted = words.deleted.sorted().filter { text.contains($0) }
      if !deleted.isEmpty { return "\(deleted) deleted: \(text)" }
      return nil
    }

    mutating func run(steps: Int) async throws -> String? {
      for _ in 0..<steps {
        try await step()
        try await noteTexts()
        if let problem = try await problem() { return problem }
      }
      let problem = try await end()
      try await world.close()
      return problem
    }
  }

  private func play<Page: ServerPage>(_ page: Page.Type, _ seed: UInt64) async throws {
    for isDeleting in [false, true] {
      var play = try await Play<Page>(seed: seed, isDeleting: isDeleting)
      if let problem = try await play.run(steps: 40) {
        let name = "seed \(seed), \(Page.self), \(isDeleting)"
        Issue.record("\(name): \(problem)\n\(play.log.joined(separator: "\n"))")
      }
    }
  }

  @Test("each word is there once, whoever writes", arguments: 1...40 as ClosedRange<UInt64>)
  func words(seed: UInt64) async throws {
    try await play(WholePage.self, seed)
    try await play(EditedPage.self, seed)
  }

  @Test("what a peer hasn't sent yet stays whole beside what the server's users write")
  func unsent() async throws {
    var world = try await ServerTextWorld<WholePage>(2, text: "Hello world")
    try await world.write(1) { _ in "Hello big world" }
    try world.meet(0, 1)
    await world.writeAtServer { _ in "Hello wide world" }
    await world.pull(0)
    #expect(try world.body(0) == "Hello big wide world")
    // Nor does it go after the store was opened again, before the peer has sent it.
    try await world.reopen(0)
    await world.writeAtServer { $0 + "!" }
    await world.pull(0)
    #expect(try world.body(0) == "Hello big wide world!")
    for side in [1, 0, 1] {
      try world.meet(0, 1)
      await world.sync(side)
    }
    for side in 0..<2 { #expect(try world.body(side) == "Hello big wide world!") }
    #expect(await world.serverText == "Hello big wide world!")
    try await world.close()
  }

  @Test("what the server has shown of a peer's words its users can remove, also later")
  func shown() async throws {
    for isSentByPeer in [false, true] {
      var world = try await ServerTextWorld<EditedPage>(2, text: "Hello world")
      try await world.write(1) { _ in "Hello big world" }
      try world.meet(0, 1)
      if isSentByPeer {
        await world.sync(1)
        await world.pull(0)
      } else {
        try await world.write(0) { $0 + "!" }
        await world.sync(0)
      }
      try await world.reopen(0, compacting: true)
      try await world.write(1) { $0.replacing("world", with: "round world") }
      try world.meet(0, 1)
      await world.writeAtServer { $0.replacing("big ", with: "") }
      await world.pull(0)
      let text = try world.body(0)
      #expect(!text.contains("big") && text.contains("Hello round world"), "\(text)")
      try await world.close()
    }
  }

  @Test("what a peer sent through another store is sent once")
  func sentByAnother() async throws {
    let world = try await ServerTextWorld<WholePage>(2, text: "Hello world")
    try await world.write(1) { _ in "Hello big world" }
    try world.meet(0, 1)
    try await world.write(0) { $0 + "!" }
    await world.sync(0)
    await world.sync(1)
    #expect(try world.body(1) == "Hello big world!")
    #expect(await world.serverText == "Hello big world!")
    try await world.close()
  }

  @Test("what came from the server before it came from the peer is there once after a pull")
  func copies() async throws {
    let world = try await ServerTextWorld<WholePage>(2, text: "Hello world")
    try await world.write(1) { _ in "Hello big world" }
    await world.sync(1)
    await world.pull(0)
    try world.meet(0, 1)
    await world.writeAtServer { $0 + "!" }
    for side in 0..<2 { await world.pull(side) }
    try world.meet(0, 1)
    for side in 0..<2 { #expect(try world.body(side) == "Hello big world!") }
    try await world.close()
  }
}
