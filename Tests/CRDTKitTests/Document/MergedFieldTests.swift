import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Fields whose values know themselves how to merge.
@Suite("Merged fields")
struct MergedFieldTests {
  struct Basket: MergeableStruct, Equatable {
    var goods = ORSet<String>()
    var visits = GCounter()

    static let fields = Fields(\Basket.goods, \Basket.visits)
  }

  struct Card: Codable, Equatable {
    var title = ""
    var tags = ORSet<String>()
    var votes = PNCounter()
    var baskets: [String: Basket] = [:]
    var byDay: [String: ORSet<Int>] = [:]
  }

  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: [
      "tags": .merged, "votes": .merged, "baskets": .merged, "byDay.*": .merged,
    ])
  ])

  private func change(
    _ card: inout Card, as replica: ReplicaID, using random: inout SeededGenerator
  ) {
    let number = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: card.tags.insert("\(number)", by: replica)
    case 1: card.tags.remove("\(number)", by: replica)
    case 2:
      try? card.votes.increment(UInt64(number), by: replica)
    case 3: card.baskets["\(number % 2)", default: Basket()].goods.insert("\(number)", by: replica)
    case 4: try? card.baskets["\(number % 2)", default: Basket()].visits.increment(by: replica)
    default: card.byDay["\(number % 2)", default: ORSet()].insert(number, by: replica)
    }
  }

  private func merge(_ card: Card, into all: inout Card) {
    all.tags.merge(card.tags)
    all.votes.merge(card.votes)
    all.baskets.merge(card.baskets) { $0.merging($1) }
    all.byDay.merge(card.byDay) { $0.merging($1) }
  }

  @Test("a model has all that was ever written, whoever wrote it on top of what")
  func nothingIsLost() throws {
    for seed in 0..<scheduleCount(40, long: 3_000) {
      var random = SeededGenerator(seed: seed)
      // Entries of dictionaries are there from the beginning: removing one removes it.
      var all = Card()
      for name in ["0", "1"] { (all.baskets[name], all.byDay[name]) = (Basket(), ORSet()) }
      var first = Document(schema: Self.schema)
      try first.write(all, to: "r", in: "c", at: DocumentTests.at(1, ReplicaID(9)))
      var documents = [first, first, first]
      var time: UInt64 = 1
      for step in 0..<20 {
        time += 1
        let place = Int.random(in: 0..<3, using: &random)
        if Bool.random(using: &random) {
          documents[place].merge(documents[Int.random(in: 0..<3, using: &random)])
          continue
        }
        // Some write what they read long ago, under a name of their own.
        let isStale = Int.random(in: 0..<4, using: &random) == 0
        let source = isStale ? Int.random(in: 0..<3, using: &random) : place
        let replica = ReplicaID(isStale ? UInt64(100 + step) : UInt64(place + 1))
        let base = try documents[source].read(Card.self, "r", in: "c")
        var card = base ?? Card()
        for _ in 0..<Int.random(in: 1..<4, using: &random) {
          change(&card, as: replica, using: &random)
        }
        merge(card, into: &all)
        let stamp = DocumentTests.at(time, replica)
        if Bool.random(using: &random) {
          try documents[place].write(card, to: "r", in: "c", at: stamp)
        } else {
          try documents[place].write(card, changedFrom: base, to: "r", in: "c", at: stamp)
        }
      }
      let merged = documents[0].merging(documents[1]).merging(documents[2])
      let shown = try merged.read(Card.self, "r", in: "c")
      guard shown == all else {
        Issue.record("seed \(seed): \(String(describing: shown)) is not \(all)")
        return
      }
    }
  }

  @Test("concurrent states are merged when a model is read, at every depth")
  func statesAreMerged() throws {
    var one = Document(schema: Self.schema)
    var card = Card()
    card.tags.insert("a", by: ReplicaID(1))
    card.baskets["x"] = Basket()
    card.byDay["mon"] = ORSet()
    try one.write(card, to: "r", in: "c", at: DocumentTests.at(1, ReplicaID(1)))
    var documents: [Document] = []
    for number in 2...4 as ClosedRange<UInt64> {
      var copy = one
      var card = try #require(try copy.read(Card.self, "r", in: "c"))
      let replica = ReplicaID(number)
      card.tags.insert("\(number)", by: replica)
      try card.votes.increment(number, by: replica)
      card.baskets["x"]?.goods.insert("\(number)", by: replica)
      try card.baskets["x"]?.visits.increment(by: replica)
      card.byDay["mon"]?.insert(Int(number), by: replica)
      try copy.write(card, to: "r", in: "c", at: DocumentTests.at(number, replica))
      documents.append(copy)
    }
    var document = documents[2].merging(documents[0]).merging(documents[1])
    let merged = try #require(try document.read(Card.self, "r", in: "c"))
    #expect(merged.tags.sorted() == ["2", "3", "4", "a"])
    #expect(merged.votes.value == 9)
    #expect(merged.baskets["x"]?.goods.sorted() == ["2", "3", "4"])
    #expect(merged.baskets["x"]?.visits.value == 3)
    #expect(merged.byDay["mon"]?.sorted() == [2, 3, 4])
    #expect(document.conflicts.isEmpty)
    #expect(document.alternatives(of: "tags", of: "r", in: "c").count == 3)
    guard case .bytes? = document.value(of: "tags", of: "r", in: "c") else {
      Issue.record("the document shows the bytes of one state")
      return
    }
    // What was only read is not written.
    #expect(try document.dirtyFields(of: merged, comparedTo: "r", in: "c") == [])
    var changed = merged
    changed.tags.insert("new", by: ReplicaID(9))
    #expect(try document.dirtyFields(of: changed, comparedTo: "r", in: "c") == ["tags"])
    try document.write(changed, to: "r", in: "c", at: DocumentTests.at(9, ReplicaID(9)))
    #expect(document.alternatives(of: "tags", of: "r", in: "c").count == 1)
    #expect(try document.read(Card.self, "r", in: "c") == changed)
    // A stale copy takes nothing away.
    try document.write(card, to: "r", in: "c", at: DocumentTests.at(10, ReplicaID(1)))
    #expect(try document.read(Card.self, "r", in: "c") == changed)
  }

  @Test("bytes that are no state are an error that names the field, and are written over")
  func damagedStates() throws {
    var document = Document(schema: Self.schema)
    try document.write(Card(), to: "r", in: "c", at: DocumentTests.at(1, ReplicaID(1)))
    var other = document
    for bytes in [[], [0xFF], [42, 1, 2, 3]] as [[UInt8]] {
      other.edit(at: DocumentTests.at(2, ReplicaID(2))) { edit in
        edit.set("tags", of: "r", in: "c", to: .bytes(bytes))
      }
      var damaged = document
      damaged.edit(at: DocumentTests.at(3, ReplicaID(3))) { edit in
        edit.set("tags", of: "r", in: "c", to: document.value(of: "tags", of: "r", in: "c") ?? nil)
      }
      for copy in [other, damaged.merging(other)] {
        do {
          _ = try copy.read(Card.self, "r", in: "c")
          Issue.record("\(bytes) was read")
        } catch DecodingError.dataCorrupted(let context) {
          #expect(context.codingPath.map(\.stringValue) == ["tags"])
        } catch {
          Issue.record("\(error)")
        }
        var mended = copy
        try mended.write(Card(), to: "r", in: "c", at: DocumentTests.at(4, ReplicaID(4)))
        #expect(try mended.read(Card.self, "r", in: "c") == Card())
      }
    }
    other.edit(at: DocumentTests.at(5, ReplicaID(2))) { $0.set("tags", of: "r", in: "c", to: 5) }
    #expect(throws: DecodingError.self) { try other.read(Card.self, "r", in: "c") }
  }

  @Test("what stands beneath a merged field is merged, unless it has another rule")
  func inheritance() throws {
    let rules = Schema.Collection(fields: [
      "a": .merged, "a.b": .manual, "a.c.d": .counter, "a.*.e": .max, "f.g": .merged,
    ])
    let expected: [FieldPath: Schema.FieldRule] = [
      "a": .merged, "a.b": .manual, "a.b.x": .lastWriterWins, "a.c": .merged, "a.c.d": .counter,
      "a.c.x.y": .merged, "a.x.e": .max, "a.c.e": .max, "a.x": .merged, "f": .lastWriterWins,
      "f.g.h": .merged, "f.h": .lastWriterWins,
    ]
    for (path, rule) in expected { #expect(rules.rule(of: path) == rule, "\(path)") }
  }
}
