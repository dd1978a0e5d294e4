import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// Models are written field by field: what one replica changes never takes back
/// what another has.
@Suite("Fields of models")
struct ModelFieldTests {
  struct Everything: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var one = 0
      var two: String?
      var deeper: [String: Int] = [:]
    }

    enum Kind: Codable, Equatable {
      case plain
      case named(String)
    }

    struct Whole: Codable, Equatable, WholeValue {
      var amount = 0
      var unit = ""
    }

    var bool = false
    var int = 0
    var small: Int8 = 0
    var wide: UInt64 = 0
    var huge: Int128 = 0
    var double = 0.0
    var float: Float = 0
    var text = ""
    var maybe: Int?
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var url: URL?
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var decimal = Decimal(0)
    var array: [Int] = []
    var optionals: [Int?] = []
    var set: Set<String> = []
    var dictionary: [String: Int] = [:]
    var numbered: [Int: String] = [:]
    var inner = Inner()
    var optionalInner: Inner?
    var inners: [Inner] = []
    var kind = Kind.plain
    var whole = Whole()
    var count = 0
    var best = 0
  }

  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["set": .set, "count": .counter])
  ])

  /// A change of one field, and the same field of another model.
  struct Field: Sendable {
    let name: String
    let change: @Sendable (inout Everything, inout SeededGenerator) -> Void
    let copy: @Sendable (inout Everything, Everything) -> Void

    init<Value>(
      _ name: String, _ path: any WritableKeyPath<Everything, Value> & Sendable,
      _ make: @escaping @Sendable (Int, Value) -> Value
    ) {
      self.name = name
      change = { model, random in
        model[keyPath: path] = make(Int.random(in: 1...9, using: &random), model[keyPath: path])
      }
      copy = { target, source in target[keyPath: path] = source[keyPath: path] }
    }
  }

  static let fields = [
    Field("bool", \.bool) { _, old in !old },
    Field("int", \.int) { number, old in old &+ number },
    Field("small", \.small) { number, old in old &+ Int8(number) },
    Field("wide", \.wide) { number, _ in .max - UInt64(number) },
    Field("huge", \.huge) { number, _ in Int128.max - Int128(number) },
    Field("double", \.double) { number, old in old + Double(number) / 3 },
    Field("float", \.float) { number, old in old + Float(number) / 3 },
    Field("text", \.text) { number, old in old + "é\(number)" },
    Field("maybe", \.maybe) { number, old in old == nil ? number : nil },
    Field("date", \.date) { number, old in old + Double(number) / 7 },
    Field("data", \.data) { number, old in old + [UInt8(number)] },
    Field("url", \.url) { number, old in
      old == nil ? URL(string: "https://example.org/\(number)") : nil
    },
    Field("uuid", \.uuid) { number, _ in
      UUID(uuid: (UInt8(number), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    },
    Field("decimal", \.decimal) { number, old in old + Decimal(number) / 10 },
    Field("array", \.array) { number, old in old + [number] },
    Field("optionals", \.optionals) { number, old in old + [nil, number] },
    Field("dictionary.a", \.dictionary["a"]) { number, old in (old ?? 0) + number },
    Field("dictionary.b", \.dictionary["b"]) { number, old in old == nil ? number : nil },
    Field("numbered", \.numbered[7]) { number, old in (old ?? "") + "\(number)" },
    Field("inner.one", \.inner.one) { number, old in old + number },
    Field("inner.two", \.inner.two) { number, old in old == nil ? "\(number)" : nil },
    Field("inner.deeper", \.inner.deeper["x.y"]) { number, old in (old ?? 0) + number },
    Field("optionalInner", \.optionalInner) { number, old in
      old == nil ? Everything.Inner(one: number, two: "x", deeper: ["y": number]) : nil
    },
    Field("inners", \.inners) { number, old in old + [Everything.Inner(one: number)] },
    Field("kind", \.kind) { number, _ in .named("\(number)") },
    Field("whole", \.whole) { number, old in
      Everything.Whole(amount: old.amount + number, unit: "\(number)")
    },
    Field("best", \.best) { number, old in old + number },
  ]

  struct Reading: Codable {
    var value: Float
  }

  @Test("numbers that a server says in its own way read as floats")
  func floats() throws {
    let numbers: [Document.Value: Float] = [
      0: 0, 2: 2, 0.1: 0.1, .double(-1.5): -1.5, .double(.infinity): .infinity,
    ]
    for (value, expected) in numbers {
      #expect(try Document.model(Reading.self, from: ["value": value]).value == expected)
    }
    for value in [.double(1e300), .int(.max), "2"] as [Document.Value] {
      #expect(throws: DecodingError.self, "\(value)") {
        try Document.model(Reading.self, from: ["value": value])
      }
    }
  }

  @Test("random changes of random fields on two replicas merge field by field") func fuzz() throws {
    for seed in 0..<(isLongRun ? 3_000 : 20) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var model = Everything()
      var one = Document(schema: Self.schema)
      try one.write(model, to: "r", in: "c", at: DocumentTests.at(1, ReplicaID(1)))
      var other = one
      for round in 1...4 as ClosedRange<UInt64> {
        let shuffled = Self.fields.shuffled(using: &random)
        var (mine, theirs) = (model, model)
        for field in shuffled.prefix(Int.random(in: 0...9, using: &random)) {
          field.change(&mine, &random)
          field.copy(&model, mine)
        }
        for field in shuffled.suffix(Int.random(in: 0...9, using: &random)) {
          field.change(&theirs, &random)
          field.copy(&model, theirs)
        }
        try change(&mine, &theirs, into: &model, using: &random)
        let stamp = DocumentTests.at(round * 2, ReplicaID(1))
        let dirty = try one.dirtyFields(of: mine, comparedTo: "r", in: "c")
        try one.edit(at: stamp) { edit in
          let written = try edit.write(mine, to: "r", in: "c")
          #expect(written == dirty, "seed \(seed)")
        }
        try other.write(
          theirs, to: "r", in: "c", at: DocumentTests.at(round * 2 + 1, ReplicaID(2)))
        #expect(try one.read(Everything.self, "r", in: "c") == mine, "seed \(seed)")
        one.merge(other)
        other = try Document(decoding: one.encoded())
        other.schema = Self.schema
        #expect(try one.read(Everything.self, "r", in: "c") == model, "seed \(seed), \(round)")
        #expect(try other.dirtyFields(of: model, comparedTo: "r", in: "c") == [], "seed \(seed)")
      }
    }
  }

  /// Changes counters and sets on both sides: their changes are united.
  private func change(
    _ mine: inout Everything, _ theirs: inout Everything, into model: inout Everything,
    using random: inout SeededGenerator
  ) throws {
    let (up, down) = (Int.random(in: 0...3, using: &random), Int.random(in: 0...3, using: &random))
    mine.count += up
    theirs.count -= down
    model.count += up - down
    let (added, removed) = (Int.random(in: 0...9, using: &random), model.set.sorted().first)
    mine.set.insert("\(added)")
    if let removed, removed != "\(added)" {
      theirs.set.remove(removed)
      model.set.remove(removed)
    }
    model.set.insert("\(added)")
  }

  @Test("writing a model writes what differs, and says so") func dirty() throws {
    for field in Self.fields {
      var random = SeededGenerator(seed: 1)
      var model = Everything()
      var document = Document(schema: Self.schema)
      try document.write(model, to: "r", in: "c", at: DocumentTests.at(1))
      field.change(&model, &random)
      let dirty = try document.dirtyFields(of: model, comparedTo: "r", in: "c")
      let outermost = field.name.split(separator: ".").first.map(String.init)
      #expect(!dirty.isEmpty && dirty.allSatisfy { $0.names.first == outermost }, "\(field.name)")
      let delta = try document.write(model, to: "r", in: "c", at: DocumentTests.at(2))
      #expect(!delta.isEmpty)
      #expect(try document.write(model, to: "r", in: "c", at: DocumentTests.at(3)).isEmpty)
    }
  }

  struct Nested: Codable, Equatable {
    var next: [Nested] = []
    var text = ""

    static func make(depth: Int) -> Nested {
      depth == 0 ? Nested(text: "end") : Nested(next: [make(depth: depth - 1)])
    }
  }

  final class Chain: Codable {
    var next: Chain?
    var text: String?

    init(depth: Int) {
      next = depth == 0 ? nil : Chain(depth: depth - 1)
      text = depth == 0 ? "end" : nil
    }

    var depth: Int { next.map { $0.depth + 1 } ?? 0 }
  }

  @Test("every depth is either written and read again, or refused with its path")
  func depths() throws {
    var deepest = 0
    for depth in 0..<80 {
      var document = Document(schema: Self.schema)
      do {
        try document.write(Chain(depth: depth), to: "r", in: "c", at: DocumentTests.at(1))
      } catch let error as EncodingError {
        guard case .invalidValue(_, let context) = error else { continue }
        #expect(context.debugDescription.contains("deeper than"))
        #expect(depth < 32 || document.version == [:])
        continue
      }
      deepest = depth
      let copy = try Document(decoding: document.encoded())
      #expect(copy == document)
      #expect(try copy.read(Chain.self, "r", in: "c")?.depth == depth)
    }
    #expect(deepest == 31)
  }

  @Test("arrays of structs, deeper and deeper") func arrayDepths() throws {
    for depth in 0..<40 {
      var document = Document(schema: Self.schema)
      let model = Nested.make(depth: depth)
      do {
        try document.write(model, to: "r", in: "c", at: DocumentTests.at(1))
      } catch let error as EncodingError {
        guard case .invalidValue(_, let context) = error else { continue }
        #expect(context.debugDescription.contains("deeper than"))
        #expect(document.version == [:])
        continue
      }
      let copy = try Document(decoding: document.encoded())
      #expect(try copy.read(Nested.self, "r", in: "c") == model)
    }
  }

  struct Failing: Encodable {
    struct Part: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
          self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "no"))
      }
    }

    var parts: [String: [Part]] = ["a": [Part()]]
  }

  @Test("what can't be written names its path, and changes nothing") func errors() throws {
    var document = Document(schema: Self.schema)
    func refusal(of model: some Encodable) -> EncodingError.Context? {
      do {
        try document.write(model, to: "r", in: "c", at: DocumentTests.at(1))
      } catch {
        guard case .invalidValue(_, let context) = error as? EncodingError else { return nil }
        return context
      }
      return nil
    }
    #expect(refusal(of: Failing())?.codingPath.map(\.stringValue) == ["parts", "a", "0"])
    for message in [
      refusal(of: Everything.Kind.named("x")), refusal(of: 5), refusal(of: "text"),
      refusal(of: [1, 2]), refusal(of: Date()), refusal(of: Int?.none),
      refusal(of: Everything.Whole()), refusal(of: [["a": 1]]),
    ] {
      #expect(message?.debugDescription.hasPrefix("A record is") == true)
    }
    #expect(document.version == [:])
    let deep = Chain(depth: 60)
    let path = refusal(of: deep)?.codingPath.map(\.stringValue) ?? []
    #expect(path.count > 20 && path.allSatisfy { $0 == "next" })
  }

  @Test("what can't be read names its path") func readingErrors() throws {
    var document = Document(schema: Self.schema)
    document.edit(at: DocumentTests.at(1)) { edit in
      edit.set("inner.one", of: "r", in: "c", to: "text")
      edit.set("next", of: "r", in: "c", to: [["next": [5]]] as Document.Value)
    }
    struct Partial: Decodable {
      var inner: Everything.Inner
    }
    func path(_ body: () throws -> Void) -> [String] {
      do {
        try body()
      } catch {
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .dataCorrupted(let context),
          .valueNotFound(_, let context):
          return context.codingPath.map(\.stringValue)
        case .keyNotFound(let key, let context):
          return context.codingPath.map(\.stringValue) + [key.stringValue]
        default: return []
        }
      }
      return []
    }
    #expect(
      path { _ = try document.read(Partial.self, "r", in: "c") } == ["inner", "one"])
    #expect(
      path { _ = try document.read(Nested.self, "r", in: "c") }.first == "next")
    #expect(try document.read(Partial.self, "none", in: "c") == nil)
  }
}
