import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

/// What becomes of a model's fields of which no rule says anything.
@Suite("Fields without a rule")
struct ModelDefaultTests {
  private struct Tagged: Codable, Equatable {
    var tags: Set<String> = []
    var maybe: Set<Int>?
    var inner = Inner()

    struct Inner: Codable, Equatable {
      var labels: Set<String> = []
    }
  }

  private static let none = Schema()
  private static let wholes = Schema(collections: [
    "c": Schema.Collection(fields: [
      "tags": .lastWriterWins, "maybe": .lastWriterWins, "inner.labels": .lastWriterWins,
    ])
  ])

  private func stamp(_ time: UInt64, _ replica: UInt64) -> HybridTimestamp {
    HybridTimestamp(time: time << 16, replica: ReplicaID(replica))
  }

  /// Changes a record on two replicas at the same time, and merges.
  private func race(
    _ base: Tagged, _ schema: Schema, writtenUnder old: Schema,
    _ first: (inout Tagged) -> Void, _ second: (inout Tagged) -> Void
  ) throws -> Document {
    var document = Document(schema: old)
    try document.write(base, to: "r", in: "c", at: stamp(1, 1))
    document.schema = schema
    var other = document
    let read = try #require(try document.read(Tagged.self, "r", in: "c"))
    #expect(read == base)
    var (one, two) = (read, read)
    first(&one)
    second(&two)
    try document.write(one, changedFrom: read, to: "r", in: "c", at: stamp(2, 2))
    try other.write(two, changedFrom: read, to: "r", in: "c", at: stamp(3, 3))
    document.merge(other)
    return document
  }

  @Test("What two insert into a set at the same time is both there, old whole rows too")
  func sets() throws {
    let base = Tagged(tags: ["a", "b"], maybe: [1], inner: .init(labels: ["x"]))
    for old in [Self.none, Self.wholes] {
      let merged = try race(base, Self.none, writtenUnder: old) { one in
        one.tags = ["a", "c"]
        one.maybe = [1, 2]
        one.inner.labels.insert("y")
      } _: { two in
        two.tags.insert("d")
        two.maybe = [3]
        two.inner.labels.remove("x")
      }
      // Of an old whole row both have made elements, which neither has seen of the other.
      let expected =
        old == Self.none
        ? Tagged(tags: ["a", "c", "d"], maybe: [2, 3], inner: .init(labels: ["y"]))
        : Tagged(tags: ["a", "b", "c", "d"], maybe: [1, 2, 3], inner: .init(labels: ["x", "y"]))
      #expect(try merged.read(Tagged.self, "r", in: "c") == expected)
      let tags = expected.tags.sorted().map { Document.Value.string($0) }
      #expect(merged.value(of: "tags", of: "r", in: "c") == .array(tags))
      #expect(merged.explain("tags", of: "r", in: "c")?.rule == .set)
      let decoded = try Document(decoding: merged.encoded())
      #expect(try decoded.read(Tagged.self, "r", in: "c") == expected)
    }
  }

  @Test("A set that an old app writes as a whole loses nothing that was inserted meanwhile")
  func wholeWrites() throws {
    var document = Document()
    try document.write(Tagged(tags: ["a"]), to: "r", in: "c", at: stamp(1, 1))
    var old = document
    old.schema = Self.wholes
    old.edit(at: stamp(5, 2)) { $0.set("tags", of: "r", in: "c", to: ["z"]) }
    document.edit(at: stamp(2, 3)) { $0.insert("b", into: "tags", of: "r", in: "c") }
    document.merge(old)
    #expect(document.value(of: "tags", of: "r", in: "c") == ["b", "z"])
    document.edit(at: stamp(6, 3)) { $0.set("tags", of: "r", in: "c", to: ["z"]) }
    #expect(document.value(of: "tags", of: "r", in: "c") == ["z"])
  }

  @Test("A rule for the field of a set is kept to")
  func ruled() throws {
    let merged = try race(Tagged(tags: ["a"]), Self.wholes, writtenUnder: Self.wholes) {
      $0.tags.insert("b")
    } _: {
      $0.tags.insert("c")
    }
    #expect(try merged.read(Tagged.self, "r", in: "c")?.tags == ["a", "c"])
  }

  @Test("Sets of models that are merged without a history lose nothing either")
  func threeWay() throws {
    let base = Tagged(tags: ["a", "b"])
    let merge = try ThreeWayMerge(
      base: base, ours: Tagged(tags: ["a", "b", "c"]), theirs: Tagged(tags: ["a", "d"]))
    #expect(merge.value?.tags == ["a", "c", "d"])
    #expect(merge.conflicts.isEmpty)
  }

  private struct Composites: Codable, Equatable {
    var mass = Measurement(value: 1, unit: UnitMass.kilograms)
    var interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 0), duration: 60)
    var name = PersonNameComponents()
    var date = DateComponents(year: 2026, month: 1)
    var price = Decimal(string: "1.50") ?? 0
    var url = URLComponents(string: "http://a.example/x") ?? URLComponents()
    var zone = TimeZone(secondsFromGMT: 3600) ?? .gmt
    var range = 1..<3
  }

  @Test("Values of Foundation's types are never put together from two")
  func composites() throws {
    var document = Document()
    let base = Composites()
    try document.write(base, to: "r", in: "c", at: stamp(1, 1))
    #expect(try document.read(Composites.self, "r", in: "c") == base)
    var other = document
    var (one, two) = (base, base)
    one.mass = Measurement(value: 1, unit: .grams)
    two.mass = Measurement(value: 2, unit: .kilograms)
    one.interval.start = Date(timeIntervalSinceReferenceDate: 100)
    two.interval.duration = 5
    one.name.givenName = "Eve"
    two.name.familyName = "Gray"
    one.date.year = 2027
    two.date.month = 2
    one.price = 12
    two.price = 3
    one.url.host = "b.example"
    two.url.path = "/y"
    try document.write(one, changedFrom: base, to: "r", in: "c", at: stamp(2, 2))
    try other.write(two, changedFrom: base, to: "r", in: "c", at: stamp(3, 3))
    document.merge(other)
    // The later of the two, as it was written.
    #expect(try document.read(Composites.self, "r", in: "c") == two)
    #expect(document.value(of: "price", of: "r", in: "c") == "3")
  }

  @Test("Rows in which a composite was written part by part are read, and then whole")
  func partwise() throws {
    var document = Document()
    try document.write(Composites(), to: "r", in: "c", at: stamp(1, 1))
    let mass = try #require(document.value(of: "mass", of: "r", in: "c"))
    document.edit(at: stamp(2, 1)) { $0.set("mass", of: "r", in: "c", to: mass) }
    var model = try #require(try document.read(Composites.self, "r", in: "c"))
    #expect(model == Composites())
    let base = model
    model.mass = Measurement(value: 3, unit: .grams)
    try document.write(model, changedFrom: base, to: "r", in: "c", at: stamp(3, 1))
    #expect(try document.read(Composites.self, "r", in: "c") == model)
  }

  private struct Numbers: Codable {
    var weight = 0.0
    var when: Date?
    var amount: Float = 0
    var list: [Double] = []
  }

  @Test("A number that JSON can't say is refused, with the name of its field")
  func numbers() throws {
    var document = Document()
    try document.write(Numbers(), to: "r", in: "c", at: stamp(1, 1))
    let before = document
    let changes: [(String, (inout Numbers) -> Void)] = [
      ("weight", { $0.weight = .nan }), ("weight", { $0.weight = -.infinity }),
      ("when", { $0.when = Date(timeIntervalSinceReferenceDate: .nan) }),
      ("amount", { $0.amount = .infinity }), ("list", { $0.list = [1, .nan] }),
    ]
    for (name, change) in changes {
      var numbers = Numbers()
      change(&numbers)
      for base in [Numbers(), nil] {
        let error = #expect(throws: EncodingError.self) {
          try document.write(numbers, changedFrom: base, to: "r", in: "c", at: stamp(2, 1))
        }
        guard case .invalidValue(_, let context)? = error else { continue }
        #expect(context.codingPath.map(\.stringValue) == [name])
        #expect(context.debugDescription.contains(name))
      }
    }
    #expect(document == before)
    // One that is there already keeps nobody from changing another field.
    document.edit(at: stamp(2, 1)) { $0.set("weight", of: "r", in: "c", to: .double(.nan)) }
    let read = try #require(try document.read(Numbers.self, "r", in: "c"))
    var next = read
    next.amount = 1
    try document.write(next, changedFrom: read, to: "r", in: "c", at: stamp(3, 1))
    #expect(document.value(of: "amount", of: "r", in: "c") == 1.0)
  }
}
