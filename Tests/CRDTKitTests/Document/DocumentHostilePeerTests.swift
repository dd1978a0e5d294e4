import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Documents whose rows are well formed and make no sense.
///
/// No replica can tell in general, so they take effect; but nothing traps, tables
/// stay sound, and what is made of them can be read again.
@Suite("Hostile peers of documents")
struct DocumentHostilePeerTests {
  typealias Key = Document.RowKey
  typealias Content = Document.RowPayload.Content

  static let liar = ReplicaID(66)

  private func honest() -> Document {
    var document = Document(schema: DocumentSamples.schema)
    document.edit(at: DocumentTests.at(5)) { edit in
      edit.set("a.x", of: "r", in: "c", to: 1)
      edit.set("body", of: "r", in: "c", to: "text")
      edit.insert("p", into: "tags", of: "r", in: "c")
      try? edit.increment("likes", of: "r", in: "c", by: 2)
    }
    return document
  }

  private func document(
    _ rows: [(Key, Content)], at time: UInt64 = 7 << 16, by replica: ReplicaID = liar
  ) -> Document {
    var table = DotTable<Key, Document.RowPayload>()
    for (key, content) in rows {
      let row = Row(key: key, payload: Document.RowPayload(content, at: time))
      table.write(row, by: replica, killing: ContiguousArray<Dot>())
    }
    return Document(_table: table)
  }

  private func place(_ names: [String] = [], record: String = "r") -> Document.Place {
    names.reduce(Document.Place(record: record, in: "c")) { $0.appending($1) }
  }

  /// Lets copies of the honest document take the lie in, and work on.
  private func takeIn(_ lie: Document, _ what: String) {
    do {
      let decoded = try Document(decoding: lie.encoded())
      #expect(decoded == lie, "\(what)")
      #expect(decoded.encoded() == lie.encoded(), "\(what)")
      if isLongRun { try decoded.tryAll() }
      let both = honest().merging(decoded)
      #expect(both == decoded.merging(honest()), "\(what)")
      try both.tryAll()
      var follower = honest()
      try follower.apply(decoding: decoded.delta(since: follower.version).encoded())
      #expect(follower == both, "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  static let contents: [(name: String, content: Content)] = [
    ("value", .value("text")), ("array", .value(["p", 1])), ("whole object", .value(["x": 1])),
    ("NaN", .value(.double(.nan))), ("moment", .value(.timestamp(.nan))),
    ("revision", .revision(1, of: Document.Alternative(.null, at: DocumentTests.at(1)))),
    ("object", .object), ("set", .set), ("member", .member),
    ("total", .counter(total(3, 1))), ("no total", .counter(total(0, 0))),
    ("greatest total", .counter(total(.max, .max))), ("removal", .counter(removal(1_000))),
    ("stretches", .counter(CounterRow(inStretches))),
    ("totals of others", .counter(CounterRow(.totals(others)))),
    ("removal in stretches", .counter(CounterRow(others))),
    ("deletion", .deletion([:])), ("knowing deletion", .deletion([ReplicaID(1): Dot.counterMax])),
  ]

  private static func total(_ up: UInt64, _ down: UInt64) -> CounterRow {
    CounterRow(.total(PNCounter.Total(increments: up, decrements: down)))
  }

  /// A total in the last life and the last stretches that there can be.
  private static var inStretches: CounterTally {
    let spans = (0..<16 as Range<UInt64>).map { place in
      CounterSpans.Span(
        number: Dot.counterMax - 15 + place, life: CounterRow.lifeMax,
        before: PNCounter.Total(increments: .max, decrements: place))
    }
    return CounterTally(
      PNCounter.Total(increments: .max, decrements: .max), life: CounterRow.lifeMax,
      spans: CounterSpans(spans))
  }

  private static var others: CounterTrace {
    var totals = CounterTrace()
    for replica in [ReplicaID(1), liar, ReplicaID(99)] { totals.add(inStretches, of: replica) }
    return totals
  }

  private static func removal(_ up: UInt64) -> CounterRow {
    var totals = ReplicaTotals<PNCounter.Total>()
    totals[ReplicaID(1)] = PNCounter.Total(increments: up, decrements: 0)
    totals[liar] = PNCounter.Total(increments: .max, decrements: .max)
    return CounterRow(.removed(totals))
  }

  @Test("every part of a record with every content, alone and beside honest rows")
  func everyPartWithEveryContent() {
    let keys: [(String, Key)] = [
      ("existence", Key(place(), .existence)), ("deletion", Key(place(), .deletion)),
      ("other existence", Key(place(record: "s"), .existence)),
      ("other deletion", Key(place(record: "s"), .deletion)),
      ("element of the record", Key(place(), .element("p"))),
      ("element", Key(place(["tags"]), .element("q"))),
      ("element of an object", Key(place(["a"]), .element("q"))),
      ("element of a text", Key(place(["body"]), .element(1))),
      ("element of nothing", Key(place(["title"]), .element(1))),
      ("counter", Key(place(), .field("likes"))), ("set", Key(place(), .field("tags"))),
      ("object", Key(place(), .field("a"))), ("field", Key(place(), .field("body"))),
      ("nested", Key(place(["a"]), .field("x"))),
      ("nested in a set", Key(place(["tags"]), .field("x"))),
      ("nested in nothing", Key(place(["u", "v"]), .field("w"))),
      ("no name", Key(place([""]), .field(""))),
    ]
    for (name, key) in keys {
      for (kind, content) in Self.contents {
        takeIn(document([(key, content)]), "\(name): \(kind)")
      }
    }
  }

  @Test("rows that contradict each other under one key") func contradictions() {
    let all = Self.contents.map(\.content)
    for key in [
      Key(place(), .field("likes")), Key(place(), .field("a")), Key(place(), .existence),
      Key(place(), .deletion), Key(place(["tags"]), .element("p")),
    ] {
      takeIn(document(all.map { (key, $0) }), "\(key.part)")
      takeIn(document(all.map { (key, $0) }, at: 0), "\(key.part) at time 0")
      takeIn(document(all.map { (key, $0) }, at: .max), "\(key.part) at the end of time")
      takeIn(document(all.map { (key, $0) }, by: ReplicaID(1 << 63)), "\(key.part) by another")
    }
    let spellings = [
      (Key(place(record: "\u{E9}"), .existence), Content.object),
      (Key(place(record: "e\u{301}"), .existence), .object),
      (Key(place(["\u{E9}"], record: "\u{E9}"), .field("x")), .value(1)),
      (Key(place(["e\u{301}"], record: "e\u{301}"), .field("x")), .value(2)),
      (Key(place(record: "\u{E9}"), .field("e\u{301}")), .object),
      (Key(place(record: "\u{E9}"), .field("\u{E9}")), .object),
    ]
    takeIn(document(spellings), "two spellings")
    #expect(document(spellings).records(in: "c").count == 1)
  }

  @Test("rows of any kind anywhere") func nonsense() {
    let names = ["a", "x", "tags", "likes", "body", "", "\u{E9}", "e\u{301}"]
    for seed in 0..<(isLongRun ? 20_000 : 20) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var lie = Document()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let rows = (0..<Int.random(in: 1...12, using: &random)).map { _ in
          let depth = Int.random(in: 0...2, using: &random)
          let path = (0..<depth).map { _ in names.randomElement(using: &random) ?? "" }
          let place = place(path, record: Bool.random(using: &random) ? "r" : "s")
          let part: Key.Part =
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where depth == 0: .existence
            case 1 where depth == 0: .deletion
            case 2, 3: .element(DocumentSamples.values.randomElement(using: &random) ?? 0)
            default: .field(names.randomElement(using: &random) ?? "")
            }
          let content = Self.contents.randomElement(using: &random)?.content ?? .set
          return (Key(place, part), content)
        }
        let replica = ReplicaID(UInt64.random(in: 60...63, using: &random))
        guard !lie.version.contains(where: { $0.replica == replica }) else { continue }
        let time = UInt64.random(in: 0...20, using: &random) << 16
        lie.merge(document(rows, at: time, by: replica))
      }
      takeIn(lie, "seed \(seed)")
    }
  }

  @Test("places and values as deep as can be are read, deeper ones refused") func depths() throws {
    func nested(_ depth: Int) -> Document.Value {
      (0..<depth).reduce(.int(1)) { value, _ in [value] }
    }
    func nestedObject(_ depth: Int) -> Document.Value {
      (0..<depth).reduce(.int(1)) { value, _ in ["k": value] }
    }
    let places = (0...34).map { depth in place(Array(repeating: "k", count: depth)) }
    for depth in 0...34 {
      let cases: [(Key, Content, Int)] = [
        (Key(places[depth], .field("f")), .value(1), depth + 1),
        (Key(places[depth], .field("f")), .object, depth + 1),
        (Key(places[depth], .element(1)), .member, depth),
        (Key(places[0], .field("f")), .value(nested(depth)), depth + 1),
        (Key(places[10], .field("f")), .value(nestedObject(depth)), depth + 11),
        (Key(places[10], .element(nested(depth))), .member, depth + 10),
        (
          Key(places[0], .field("f")),
          .revision(1, of: Document.Alternative(nested(depth), at: DocumentTests.at(1))), depth + 1
        ),
      ]
      for (key, content, levels) in cases {
        let bytes = document([(key, content)]).encoded()
        if levels <= 32 {
          #expect(try Document(decoding: bytes).encoded() == bytes)
        } else {
          #expect(throws: DecodingFailure.self) { try Document(decoding: bytes) }
        }
      }
    }
    var rows: [(Key, Content)] = [(Key(places[0], .existence), .object)]
    for depth in 0..<31 { rows.append((Key(places[depth], .field("k")), .object)) }
    rows.append((Key(places[31], .field("body")), .value(1)))
    takeIn(document(rows), "the deepest objects")
    takeIn(
      document([
        (Key(places[0], .existence), .object), (Key(places[0], .field("body")), .value(nested(31))),
        (Key(places[0], .field("body")), .value(nestedObject(31))),
      ]), "the deepest values")
  }

  @Test("deletions that have seen a hundred thousand replicas, or all there can be")
  func knowingDeletions() throws {
    let many = VersionVector(
      sortedEntries: ContiguousArray(
        (0..<100_000 as Range<UInt64>).map { VersionVector.Entry(ReplicaID($0), Dot.counterMax) }))
    let lie = document([(Key(place(), .deletion), .deletion(many))])
    let decoded = try Document(decoding: lie.encoded())
    var both = honest().merging(decoded)
    both.schema = DocumentSamples.schema
    #expect(both.deletedRecords(in: "c") == ["r"])
    both.edit(at: DocumentTests.at(8)) { $0.restore("r", in: "c") }
    #expect(both.value(of: "body", of: "r", in: "c") == "text")
  }

  @Test("hundreds of deletions and of changes that none of them has seen") func manyDeletions() {
    let deletions = (0..<400).map { _ in (Key(place(), .deletion), Content.deletion([:])) }
    let changes = (0..<400).map { (Key(place(), .field("f\($0)")), Content.value(1)) }
    var both = honest().merging(document(deletions + changes))
    for rule in DeletionRuleTests.rules {
      both.schema.collections["c"]?.deletion = rule
      #expect(both.contains("r", in: "c") == (rule == .updateWins))
    }
    both.edit(at: DocumentTests.at(9)) { $0.delete("r", in: "c") }
    #expect(both.deletedRecords(in: "c") == ["r"])
  }
}
