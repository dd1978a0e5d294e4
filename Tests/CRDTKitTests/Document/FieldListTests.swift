import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Models that list their fields by hand do what `Codable` ones do.
@Suite("Models with field lists")
struct FieldListTests {
  struct Card: Codable, Equatable {
    struct Place: Codable, Equatable {
      var city = ""
      var zip = 0
    }

    var title = ""
    var likes = 0
    var weight = 0.5
    var isOpen = false
    var tags: Set<String> = []
    var lines: [Int] = []
    var place = Place()
    var note: String?
    var scores: [String: Int] = [:]
  }

  struct Listed: Codable, Equatable, FieldRepresentable {
    var card = Card()

    init(_ card: Card) { self.card = card }

    init(fields: [String: Document.Value]) throws {
      card.title = try fields.read("title")
      card.likes = try fields.read("likes")
      card.weight = try fields.read("weight")
      card.isOpen = try fields.read("isOpen")
      card.tags = try fields.read("tags")
      card.lines = try fields.read("lines")
      card.place = try fields.read("place")
      card.note = try fields.readIfPresent("note")
      card.scores = try fields.read("scores")
    }

    var fields: KeyValuePairs<String, Document.Value> {
      [
        "title": .string(card.title), "likes": .int(Int64(card.likes)),
        "weight": .double(card.weight), "isOpen": .bool(card.isOpen),
        "tags": .array(card.tags.sorted().map { .string($0) }),
        "lines": .array(card.lines.map { .int(Int64($0)) }),
        "place": ["city": .string(card.place.city), "zip": .int(Int64(card.place.zip))],
        "note": card.note.map { .string($0) } ?? .null,
        "scores": .object(card.scores.mapValues { .int(Int64($0)) }),
      ]
    }
  }

  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["tags": .set, "likes": .counter, "scores.*": .counter])
  ])

  private func change(_ card: inout Card, using random: inout SeededGenerator) {
    let number = Int.random(in: 0..<3, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: card.title = "\(number)"
    case 1: card.likes += number - 1
    case 2: card.weight = Double(number)
    case 3: card.isOpen.toggle()
    case 4: card.tags.formSymmetricDifference(["\(number)"])
    case 5: card.lines = [number]
    case 6: card.place.zip = number
    case 7: card.place.city = "\(number)"
    case 8: card.note = number == 0 ? nil : "\(number)"
    default: card.scores["\(number)"] = Bool.random(using: &random) ? number : nil
    }
  }

  @Test("they are written and read as Codable models are")
  func likeCodable() throws {
    for seed in 0..<scheduleCount(100, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      // Two copies of each, changed alike and merged.
      var plain = [Document(schema: Self.schema), Document(schema: Self.schema)]
      var listed = plain
      for step in 1...12 as ClosedRange<UInt64> {
        let place = Int.random(in: 0..<2, using: &random)
        if step > 1, Int.random(in: 0..<3, using: &random) == 0 {
          plain[place].merge(plain[1 - place])
          listed[place].merge(listed[1 - place])
        }
        let base = try plain[place].read(Card.self, "r", in: "c")
        #expect(try listed[place].read(Listed.self, "r", in: "c")?.card == base, "seed \(seed)")
        var card = base ?? Card()
        for _ in 0..<3 { change(&card, using: &random) }
        let stamp = DocumentTests.at(step, ReplicaID(UInt64(place) + 1))
        let dirty = try listed[place].dirtyFields(of: Listed(card), comparedTo: "r", in: "c")
        let expected = try plain[place].dirtyFields(of: card, comparedTo: "r", in: "c")
        guard dirty.sorted() == expected.sorted() else {
          Issue.record("seed \(seed): \(dirty) is not \(expected)")
          return
        }
        if Bool.random(using: &random) {
          try plain[place].write(card, to: "r", in: "c", at: stamp)
          try listed[place].write(Listed(card), to: "r", in: "c", at: stamp)
        } else {
          try plain[place].write(card, changedFrom: base, to: "r", in: "c", at: stamp)
          try listed[place].write(
            Listed(card), changedFrom: base.map { Listed($0) }, to: "r", in: "c", at: stamp)
        }
      }
      let fields = plain[0].merging(plain[1]).fields(of: "r", in: "c")
      guard listed[0].merging(listed[1]).fields(of: "r", in: "c") == fields else {
        Issue.record("seed \(seed)")
        return
      }
    }
  }

  @Test("what does not fit is refused, and what is missing is named")
  func errors() throws {
    struct Free: Codable, FieldRepresentable {
      var value: Document.Value = 1
      var name = "x"

      init(_ value: Document.Value, name: String = "x") {
        (self.value, self.name) = (value, name)
      }
      init(fields: [String: Document.Value]) throws { name = try fields.read("missing") }
      var fields: KeyValuePairs<String, Document.Value> { [name: value] }

      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {}
    }
    var deep: Document.Value = 1
    for _ in 0..<Document.Value.maximumDepth { deep = [deep] }
    let long = String(repeating: "x", count: Document.Value.maximumNameLength + 1)
    var document = Document()
    for model in [Free(deep), Free(1, name: long), Free([long: 1])] {
      #expect(throws: EncodingError.self) {
        try document.write(model, to: "r", in: "c", at: DocumentTests.at(1))
      }
      #expect(document.version == [:])
    }
    try document.write(Free(7), to: "r", in: "c", at: DocumentTests.at(1))
    #expect(document.fields(of: "r", in: "c") == ["x": 7])
    #expect(throws: DecodingError.self) { try document.read(Free.self, "r", in: "c") }
    let fields: [String: Document.Value] = ["a": 1, "b": "2", "c": nil, "d": 1.5]
    #expect(try fields.read("a", as: Double.self) == 1)
    #expect(try fields.read("a", as: Int8.self) == 1)
    #expect(try fields.readIfPresent("c", as: Int.self) == nil)
    #expect(try fields.readIfPresent("e", as: Int.self) == nil)
    for name in ["b", "c", "d", "e"] {
      #expect(throws: DecodingError.self, "\(name)") { try fields.read(name, as: Int.self) }
    }
  }

  @Test("where a field is merged, Codable is used")
  func mergedFields() throws {
    struct Both: Codable, FieldRepresentable {
      var tags = ORSet<String>()

      init() {}
      init(fields: [String: Document.Value]) throws {}
      var fields: KeyValuePairs<String, Document.Value> { ["listed": true] }
    }
    var document = Document(
      schema: Schema(collections: ["c": Schema.Collection(fields: ["tags": .merged])]))
    var both = Both()
    both.tags.insert("a", by: ReplicaID(1))
    try document.write(both, to: "r", in: "c", at: DocumentTests.at(1))
    try document.write(both, to: "r", in: "d", at: DocumentTests.at(2))
    #expect(try document.read(Both.self, "r", in: "c")?.tags.sorted() == ["a"])
    #expect(document.fields(of: "r", in: "d") == ["listed": true])
  }
}
