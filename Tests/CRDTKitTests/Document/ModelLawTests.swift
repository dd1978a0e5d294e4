import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Models of any width, written and read in any order, against plain dictionaries.
@Suite("Laws of models")
struct ModelLawTests {
  /// A model whose fields are in a dictionary, and are written and read in an order of
  /// their own.
  private struct Wide: Codable, Equatable {
    @TaskLocal static var order: [String] = []

    struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(_ name: String) { stringValue = name }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    struct Inner: Codable, Equatable {
      var left: Int
      var right: [String]
    }

    var numbers: [String: Int] = [:]
    var inner: Inner?
    var texts: [String] = []
    var marks: Set<String> = []

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      for name in Self.order {
        numbers[name] = try container.decodeIfPresent(Int.self, forKey: Name(name))
      }
      inner = try container.decodeIfPresent(Inner.self, forKey: Name("inner"))
      texts = try container.decode([String].self, forKey: Name("texts"))
      marks = try container.decode(Set<String>.self, forKey: Name("marks"))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      try container.encode(texts, forKey: Name("texts"))
      for name in Self.order { try container.encodeIfPresent(numbers[name], forKey: Name(name)) }
      try container.encodeIfPresent(inner, forKey: Name("inner"))
      try container.encode(marks, forKey: Name("marks"))
    }

    /// The paths of the fields in which this model differs from one that the record holds.
    func changes(from old: Wide) -> Set<FieldPath> {
      var paths: Set<FieldPath> = []
      for name in Self.order where numbers[name] != old.numbers[name] { paths.insert([name]) }
      switch (inner, old.inner) {
      case (let new?, let old?):
        if new.left != old.left { paths.insert(["inner", "left"]) }
        if new.right != old.right { paths.insert(["inner", "right"]) }
      case (nil, nil): break
      case (nil, _): paths.insert(["inner"])
      case (_, nil): paths.formUnion([["inner"], ["inner", "left"], ["inner", "right"]])
      }
      if texts != old.texts { paths.insert(["texts"]) }
      if marks != old.marks { paths.insert(["marks"]) }
      return paths
    }

    mutating func change(_ names: [String], using random: inout SeededGenerator) {
      let number = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0: inner = inner == nil ? Inner(left: number, right: []) : nil
      case 1: inner?.left = number
      case 2: inner?.right.append("\(number)")
      case 3: texts = (0..<number).map { "\($0)" }
      case 4: marks.formSymmetricDifference(["\(number)"])
      case 5: numbers[names[Int.random(in: 0..<names.count, using: &random)]] = nil
      default: numbers[names[Int.random(in: 0..<names.count, using: &random)]] = number
      }
    }
  }

  @Test("a write changes exactly the fields that differ, and a read gives what was written")
  func writes() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let names = (0..<[3, 20, 31, 60][Int(seed) % 4]).map { "n\($0)\($0 % 5 == 0 ? "é" : "")" }
      let stores = (0..<2).map { ReplicaID(UInt64($0 + 1)) }
      var documents = [Document(), Document()]
      var held = Wide()
      var isThere = false
      for step in 0..<40 {
        let note = Comment(rawValue: "seed \(seed), step \(step)")
        let place = Int.random(in: 0..<2, using: &random)
        // Each sees all of the other's events before it writes, so there is one state.
        documents[place].merge(documents[1 - place])
        if Bool.random(using: &random) {
          documents[place] = try Document(decoding: documents[place].encoded())
        }
        var model = held
        for _ in 0..<Int.random(in: 0..<4, using: &random) { model.change(names, using: &random) }
        let stamp = HybridTimestamp(milliseconds: UInt64(step + 1), replica: stores[place])
        try Wide.$order.withValue(names.shuffled(using: &random)) {
          let written = try documents[place].edit(at: stamp, writing: model)
          if isThere { #expect(Set(written) == model.changes(from: held), note) }
          let before = documents[place].version
          let again = try documents[place].edit(at: stamp, writing: model)
          #expect(again.isEmpty && documents[place].version == before, note)
        }
        (held, isThere) = (model, true)
        try Wide.$order.withValue(names.shuffled(using: &random)) {
          let read = try documents[place].read(Wide.self, "r", in: "c")
          #expect(read == held, note)
        }
        documents[place]._table.checkEveryInvariant()
      }
    }
  }

  @Test("two spellings of one name are one field, and the last of them counts")
  func spellings() throws {
    var document = Document()
    func write(_ composed: Int, _ decomposed: Int, _ round: UInt64) throws {
      _ = try document.edit(
        at: HybridTimestamp(milliseconds: round, replica: ReplicaID(1)),
        writing: Pair(values: [("\u{E9}", composed), ("e\u{301}", decomposed)]))
      #expect(document.value(of: ["\u{E9}"], of: "r", in: "c") == .int(Int64(decomposed)))
      #expect(document.fields(of: "r", in: "c")?.count == 1)
    }
    try write(1, 1, 1)
    try write(2, 1, 2)
    try write(1, 2, 3)
    try write(2, 3, 4)
  }

  /// A model with two fields of any names.
  private struct Pair: Encodable {
    var values: [(name: String, number: Int)]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Wide.Name.self)
      for value in values { try container.encode(value.number, forKey: Wide.Name(value.name)) }
    }
  }

  @Test("the names of a record are read in the order of their bytes")
  func names() throws {
    struct Names: Codable, Equatable {
      var all: [String]

      init(_ all: [String]) { self.all = all }

      init(from decoder: any Decoder) throws {
        all = try decoder.container(keyedBy: Wide.Name.self).allKeys.map(\.stringValue)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Wide.Name.self)
        for name in all { try container.encode(1, forKey: Wide.Name(name)) }
      }
    }
    for count in [1, 20, 32, 33, 80] {
      var document = Document()
      let names = (0..<count).map { "f\($0)" }
      _ = try document.edit(
        at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1)),
        writing: Names(names.reversed()))
      let read = try document.read(Names.self, "r", in: "c")
      #expect(read?.all == names.sorted { $0.comes(before: $1) })
      let fields = try #require(document.fields(of: "r", in: "c"))
      #expect(try Document.model(Names.self, from: fields) == read)
    }
  }

  @Test("a small map does what a dictionary does, whatever the spelling of its keys")
  func smallMap() {
    // Two spellings of one letter, and signs that are equal to an ASCII letter.
    let odd = ["é", "e\u{301}", "K", "\u{212A}", ";", "\u{37E}", "", "Å", "\u{212B}"]
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var map = SmallMap<String, Int>()
      var model: [String: Int] = [:]
      for step in 0..<80 {
        let isOdd = Int.random(in: 0..<4, using: &random) == 0 && seed % 2 == 0
        let number = Int.random(in: 0..<60, using: &random)
        let key = isOdd ? odd[number % odd.count] : "a rather long name \(number)"
        #expect(map[key] == model[key], "seed \(seed), step \(step)")
        let place = map.place(of: key, orAppending: step)
        if model[key] == nil { model[key] = step }
        #expect(map.values[place] == model[key] && map.keys[place] == key)
        #expect(map.keys.count == model.count, "seed \(seed), step \(step)")
      }
    }
  }
}

extension Document {
  /// Writes a model to the only record, and returns the paths of the written fields.
  fileprivate mutating func edit(
    at stamp: HybridTimestamp, writing model: some Encodable
  ) throws -> [FieldPath] {
    try withEditor(at: stamp) { try $0.write(model, to: "r", in: "c") }
  }
}
