import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// A model with two texts and a number.
private struct TwoTexts: Replicated, Codable, Identifiable {
  let id: String
  var body = ""
  var title = ""
  var count = 0

  static let collection = "twoTexts"
  static let rules = Rules([CodingKeys.body: .text, CodingKeys.title: .text])
  static let paths: [FieldPath] = ["body", "title"]

  /// The texts, in the order of the paths.
  var texts: [String] {
    get { [body, title] }
    set { (body, title) = (newValue[0], newValue[1]) }
  }
}

/// Random programs in which each character is written once, so that a character tells which one
/// it is.
@Suite("Random programs of undoing texts in stores")
struct TextUndoProgramTests {
  private typealias Characters = Set<Character>

  /// What a commit inserted into each text and removed from it.
  private struct Made {
    var receipt: Store.Receipt
    var inserted: [Characters]
    var removed: [Characters]
  }

  private struct Kept {
    let field: Int
    let character: Character
    let anchors: [(at: ReplicatedText.Anchor, distance: Int)]
  }

  private struct Run {
    let stores = TestStores()
    var random: SeededGenerator
    var open: [Store] = []
    var made: [[Made]] = [[], [], []]
    var kept: [Kept] = []
    var next: UInt32 = 0x4E00
    /// Which stores have removed a character.
    ///
    /// If two have, it may stand there twice.
    var removers: [Character: Set<Int>] = [:]
    /// The characters after each one, as each store has shown them since it has met another.
    ///
    /// What others have put back may stand on another side of what was inserted meanwhile.
    var followers: [[Character: Characters]] = [[:], [:], [:]]
    var history: [String] = []
    var wrong: String?
    /// Whether all stores know everything.
    var haveMet = false

    init(seed: UInt64) async throws {
      random = SeededGenerator(seed: seed)
      for side in 0..<3 { open.append(try await store(side)) }
      let first = TwoTexts(id: "p", body: string(8), title: string(8))
      try await open[0].write { try $0.create(first) }
      for side in 1..<3 { try await open[0].sync(with: .store(open[side])) }
    }

    func store(_ side: Int) async throws -> Store {
      try await Store.open(at: "/store\(side)", for: TwoTexts.self, options: stores.options)
    }

    /// Characters that were not written before.
    mutating func string(_ count: Int) -> String {
      var string = ""
      for _ in 0..<count {
        if let scalar = Unicode.Scalar(next) { string.unicodeScalars.append(scalar) }
        next += 1
      }
      return string
    }

    func texts(_ side: Int) throws -> [String] {
      guard let sheet = try open[side].get(TwoTexts.self, "p") else { return ["", ""] }
      return sheet.texts
    }

    func text(_ place: Int, _ side: Int) -> Document.Text? {
      open[side].document.text(of: TwoTexts.paths[place], of: "p", in: TwoTexts.collection)
    }

    func isKnown(_ character: Character) -> Bool { removers[character, default: []].count < 2 }

    mutating func step() async throws {
      let side = random.below(3)
      stores.clock.milliseconds += 1
      switch random.below(12) {
      case 0..<4: try await write(side)
      case 4..<8: try await undo(side)
      case 8..<11: try await meet(side)
      default: try await reopen(side)
      }
      try check(side)
      try keep(side)
    }

    mutating func write(_ side: Int) async throws {
      let before = try texts(side)
      var after = before
      for place in after.indices where place == 0 || random.below(2) == 0 {
        var text = Array(after[place])
        let start = random.below(text.count + 1)
        let end = min(text.count, start + random.below(4))
        text.replaceSubrange(start..<end, with: Array(string(random.below(3))))
        after[place] = String(text)
      }
      let (new, count) = (after, random.below(3))
      history.append("\(side) writes \(new)")
      let receipt = try await open[side].write { tx in
        try tx.update(TwoTexts.self, "p") { sheet in
          sheet.texts = new
          sheet.count = count
        }
      }
      if receipt.dot == nil { return }
      if try texts(side) != new { wrong = "not what was written" }
      note(receipt, from: before, to: new, side)
    }

    mutating func undo(_ side: Int) async throws {
      guard !made[side].isEmpty else { return }
      let commit = made[side].remove(at: max(0, made[side].count - 1 - random.below(3)))
      let before = try texts(side)
      history.append("\(side) undoes \(commit.inserted) and \(commit.removed)")
      let receipt = try await open[side].undo(commit.receipt)
      let after = try texts(side)
      for place in after.indices {
        let (old, new) = (Set(before[place]), Set(after[place]))
        if !old.subtracting(new).isSubset(of: commit.inserted[place]) {
          wrong = "removed others' text"
        }
        let expected = old.subtracting(commit.inserted[place]).union(commit.removed[place])
        let different = expected.symmetricDifference(new).filter(isKnown)
        if !different.isEmpty { wrong = "wrong with \(different)" }
      }
      if receipt.dot != nil { note(receipt, from: before, to: after, side) }
    }

    private mutating func note(
      _ receipt: Store.Receipt, from before: [String], to after: [String], _ side: Int
    ) {
      let (old, new) = (before.map { Set($0) }, after.map { Set($0) })
      let removed = zip(old, new).map { $0.subtracting($1) }
      for character in removed.joined() { removers[character, default: []].insert(side) }
      made[side].append(
        Made(
          receipt: receipt, inserted: zip(new, old).map { $0.subtracting($1) }, removed: removed))
    }

    mutating func meet(_ side: Int) async throws {
      let other = (side + 1 + random.below(2)) % 3
      history.append("\(side) meets \(other)")
      try await open[side].sync(with: .store(open[other]))
      (followers[side], followers[other]) = ([:], [:])
      try check(other)
    }

    /// Opens a store again, with the receipts that were kept meanwhile.
    mutating func reopen(_ side: Int) async throws {
      history.append("\(side) is opened again")
      try await open[side].close()
      open[side] = try await store(side)
      for place in made[side].indices {
        let bytes = try JSONEncoder().encode(made[side][place].receipt)
        made[side][place].receipt = try JSONDecoder().decode(Store.Receipt.self, from: bytes)
      }
    }

    /// Makes anchors at a character of each text.
    mutating func keep(_ side: Int) throws {
      for (place, string) in try texts(side).enumerated() where !string.isEmpty {
        let offset = random.below(string.count)
        let character = Array(string)[offset]
        guard isKnown(character), let text = text(place, side) else { continue }
        let start = text.index(offset, in: .unicodeScalars)
        let end = text.index(offset + 1, in: .unicodeScalars)
        kept.append(
          Kept(
            field: place, character: character,
            anchors: [(text.anchor(at: start, .before), 0), (text.anchor(at: end, .after), 1)]))
      }
    }

    mutating func check(_ side: Int) throws {
      for (place, string) in try texts(side).enumerated() {
        let known = string.filter(isKnown)
        if Set(known).count < known.count { wrong = wrong ?? "twice: \(known)" }
        var after: Characters = []
        for character in known.reversed() {
          followers[side][character, default: []].formUnion(after)
          for other in after where followers[side][other]?.contains(character) == true {
            wrong = wrong ?? "\(side): \(character) was after \(other) before"
          }
          after.insert(character)
        }
        guard let text = text(place, side) else { continue }
        let offsets = Dictionary(
          zip(string, 0...).filter { isKnown($0.0) }.map { ($0.0, $0.1) }
        ) { first, _ in first }
        for kept in kept where kept.field == place {
          guard let offset = offsets[kept.character] else { continue }
          for (anchor, distance) in kept.anchors {
            let found = text.index(of: anchor).map { text.offset(of: $0, in: .unicodeScalars) }
            // Before they have met, a store may not have what another one has put back.
            if found == nil, !haveMet { continue }
            if found != offset + distance {
              wrong = wrong ?? "\(side): an anchor is at \(found ?? -1), not at \(kept.character)"
            }
          }
        }
      }
    }

    mutating func finish() async throws {
      for _ in 0..<2 {
        for side in 0..<3 { try await open[side].sync(with: .store(open[(side + 1) % 3])) }
      }
      haveMet = true
      followers = [[:], [:], [:]]
      for side in 0..<3 {
        try check(side)
        if try texts(side) != texts(0) { wrong = wrong ?? "\(side) differs in the end" }
        try await open[side].close()
      }
    }
  }

  @Test("An undo changes its commit's characters alone, with the anchors at them")
  func programs() async throws {
    for seed in seeds(3, long: 2_000) {
      var run = try await Run(seed: seed)
      for _ in 0..<24 where run.wrong == nil { try await run.step() }
      try await run.finish()
      guard let wrong = run.wrong else { continue }
      Issue.record("seed \(seed): \(wrong)\n\(run.history.joined(separator: "\n"))")
      return
    }
  }
}
