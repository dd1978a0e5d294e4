import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Canonical forms through Codable")
struct CodableBridgeTests {
  struct Tag: Hashable, Codable, CanonicalCodable {
    var name: String
    var weight: Int?
    var marks: Set<Int> = []
  }

  enum Priority: Int, Codable, CanonicalCodable {
    case low, high
  }

  struct Everything: Equatable, Codable, CanonicalCodable {
    var truth = true
    var numbers: [Int8] = [-1, .min, .max]
    var wide = UInt64.max
    var widest = Int128.min
    var half: Float = -0.0
    var whole = Double.infinity
    var text = "e\u{301}é"
    var bytes: [UInt8] = [0, 255]
    var nothing: String?
    var holes: [Int?] = [nil, 1, nil]
    var nested: [String: [Tag]] = ["b": [Tag(name: "x")], "a": []]
    var table: [Priority: Set<String>] = [.high: ["u", "t"], .low: []]
    var pairs: [Tag: Double] = [Tag(name: "x", weight: 1): 1, Tag(name: "y"): 2]
    var replica = ReplicaID(7)
    var stamp = HybridTimestamp(milliseconds: 5, replica: ReplicaID(7))
    var counter = GCounter()
    var register = LWWRegister(
      Tag(name: "z"), at: HybridTimestamp(milliseconds: 6, replica: ReplicaID(7)))
  }

  indirect enum Tree: Hashable, Codable, CanonicalCodable {
    case leaf
    case node(Tree)

    init(height: Int) {
      self = height == 0 ? .leaf : .node(Tree(height: height - 1))
    }
  }

  /// A text that is not known to be one.
  struct Word: Hashable, Codable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  struct Texts: Equatable, Codable, CanonicalCodable {
    var set: Set<String>
  }

  struct Words: Equatable, Codable, CanonicalCodable {
    var set: Set<Word>
  }

  @Test("sets of texts stand in the order of their forms")
  func textSets() throws {
    var random = SeededGenerator(seed: 7)
    let lengths = [0, 1, 2, 14, 15, 16, 127, 128, 129, 142, 143, 144, 255, 256, 271, 400, 16_400]
    for round in 0..<50 {
      var texts: Set<String> = []
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let length = lengths.randomElement(using: &random) ?? 0
        let letter = ["a", "b", "é"].randomElement(using: &random) ?? ""
        texts.insert(String(repeating: letter, count: length) + ["", "x"][round % 2])
      }
      let form = bytes(of: Texts(set: texts))
      #expect(form == bytes(of: Words(set: Set(texts.map { Word($0) }))), "round \(round)")
      #expect(try decode(Texts.self, from: form).set == texts, "round \(round)")
    }
  }

  @Test("a struct is an object with its fields in order")
  func structs() throws {
    let tag = Tag(name: "ab", weight: -3, marks: [2, -1])
    let expected: [UInt8] = [
      10, 3,
      0x05, 109, 97, 114, 107, 115, 9, 2, 3, 1, 3, 4,
      0x04, 110, 97, 109, 101, 7, 0x02, 97, 98,
      0x06, 119, 101, 105, 103, 104, 116, 3, 5,
    ]
    #expect(bytes(of: tag) == expected)
    #expect(try decode(Tag.self, from: expected) == tag)
    #expect(bytes(of: Tag(name: "ab")).count == 19)
  }

  @Test("every kind of value reads back")
  func roundTrip() throws {
    var value = Everything()
    try value.counter.increment(5, by: ReplicaID(7))
    let form = bytes(of: value)
    #expect(try decode(Everything.self, from: form) == value)
    value.nothing = "something"
    #expect(try decode(Everything.self, from: bytes(of: value)) == value)
    #expect(bytes(of: value) != form)
    let kinds: [Double] = [.nan, Double(nan: 3, signaling: false), -0.0]
    for number in kinds {
      value.whole = number
      let read = try decode(Everything.self, from: bytes(of: value))
      #expect(read.whole.bitPattern == number.bitPattern)
    }
  }

  @Test("an enum with raw values is its raw value, though it is Codable")
  func rawValues() throws {
    enum Mood: String, CanonicalCodable { case calm }
    #expect(bytes(of: Priority.high) == bytes(of: 1))
    #expect(bytes(of: Mood.calm) == bytes(of: "calm"))
    #expect(try decode(Priority.self, from: [2]) == .high)
    #expect(throws: DecodingFailure.self) { try decode(Priority.self, from: [4]) }
  }

  @Test("a set or dictionary has one form, however it was built")
  func hashOrder() {
    struct Bag: Codable, CanonicalCodable {
      var names: Set<String>
      var scores: [Tag: Set<Int>]
    }
    let numbers = Array(0..<40)
    var forms: Set<[UInt8]> = []
    for seed in 0..<30 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var bag = Bag(names: Set(minimumCapacity: Int(seed) * 20), scores: [:])
      for number in numbers.shuffled(using: &random) {
        bag.names.insert("n\(number)")
        bag.scores[Tag(name: "t\(number)"), default: []].formUnion(numbers.shuffled(using: &random))
      }
      forms.insert(bytes(of: bag))
    }
    #expect(forms.count == 1)
  }

  @Test("what is encoded in other ways than its type's is refused")
  func refusals() throws {
    struct Older: Codable, CanonicalCodable { var name: String }
    struct Stricter: Codable, CanonicalCodable {
      var name: String
      var marks: Set<Int>
      var owner: String
    }
    let form = bytes(of: Tag(name: "a", weight: 1))
    #expect(throws: DecodingFailure.self) { try decode(Older.self, from: form) }
    #expect(throws: DecodingFailure.self) { try decode(Stricter.self, from: form) }
    #expect(throws: DecodingFailure.self) { try decode(Priority.self, from: form) }

    let name: [UInt8] = [4, 110, 97, 109, 101]
    let text: [UInt8] = [7, 1, 97]
    #expect(try decode(Older.self, from: [10, 1] + name + text).name == "a")
    for other: [UInt8] in [
      [10, 2] + name + text + name + text,
      [10, 2] + name + text + [1, 97, 0],
      [10, 2, 1, 122, 0] + name + text,
      [10, 1] + name + [3, 0],
      [10, 1] + name + [11],
      [10, 1] + name + [8, 1, 97],
      [9, 1] + text,
      [10, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F] + name + text,
    ] {
      #expect(throws: DecodingFailure.self, "\(other)") { try decode(Older.self, from: other) }
    }
    #expect(throws: DecodingFailure(.notCanonical("the order of fields"), at: 10)) {
      try decode(Older.self, from: [10, 2] + name + text + name + text)
    }
    for length in form.indices {
      #expect(throws: DecodingFailure.self) {
        try decode(Tag.self, from: Array(form.prefix(length)))
      }
    }
  }

  @Test("what has been damaged is refused, or is another value in canonical form")
  func damage() throws {
    let form = bytes(of: Everything())
    for place in form.indices {
      for bit in 0..<8 {
        var damaged = form
        damaged[place] ^= 1 << UInt8(bit)
        if let value = try? decode(Everything.self, from: damaged) {
          #expect(bytes(of: value) == damaged, "bit \(bit) of byte \(place)")
        }
      }
    }
  }

  @Test("values nested too deep are refused, whatever nests them")
  func nesting() throws {
    #expect(try decode(Tree.self, from: bytes(of: Tree(height: 14))) == Tree(height: 14))
    let bomb = [UInt8](repeating: 9, count: 1) + [UInt8](repeating: 1, count: 1)
    var deep: [UInt8] = []
    for _ in 0..<100_000 { deep += bomb }
    #expect(throws: DecodingFailure(.nestedTooDeep, at: 129)) {
      try decode(Tree.self, from: deep + [0])
    }
    #expect(throws: DecodingFailure.self) { try decode(Shell.self, from: Shell.nest(60)) }
    #expect(throws: DecodingFailure.self) { try decode(Shell.self, from: Shell.nest(2_000)) }
    #expect(try decode(Shell.self, from: Shell.nest(10)).inner != nil)
  }

  @Test("what can be read can be written: both end at 32 levels")
  func lastLevel() throws {
    struct Pot: Codable, CanonicalCodable { var tree: Tree }
    func form(_ height: Int) -> [UInt8] {
      let node: [UInt8] = [10, 1, 4] + Array("node".utf8) + [10, 1, 2] + Array("_0".utf8)
      let pot: [UInt8] = [10, 1, 4] + Array("tree".utf8)
      let leaf: [UInt8] = [10, 1, 4] + Array("leaf".utf8) + [10, 0]
      return pot + Array([[UInt8]](repeating: node, count: height).joined()) + leaf
    }
    for height in 0...14 {
      let pot = try decode(Pot.self, from: form(height))
      #expect(pot.tree == Tree(height: height) && bytes(of: pot) == form(height))
    }
    for height in 15...40 {
      #expect(throws: DecodingFailure.self) { try decode(Pot.self, from: form(height)) }
    }
  }

  @Test("a value nested too deep is not encoded into bytes that nobody can read")
  func encodingTooDeep() async {
    await #expect(processExitsWith: .failure) {
      _ = bytes(of: Tree(height: 200))
    }
  }

  /// A recursive type whose inside is a whole state.
  final class Shell: Codable, CanonicalCodable {
    let inner: LWWRegister<Shell>?

    init(_ inner: LWWRegister<Shell>?) {
      self.inner = inner
    }

    /// The bytes of a shell in a shell in a shell.
    static func nest(_ depth: Int) -> [UInt8] {
      let stamp = bytes(of: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1)))
      var form: [UInt8] = [10, 0]
      for _ in 0..<depth {
        var writer = ByteWriter()
        writer.write([10, 1, 5] + Array("inner".utf8) + [8])
        writer.write(varint: UInt64(stamp.count + form.count))
        writer.write(stamp + form)
        form = writer.finish()
      }
      return form
    }
  }
}

extension CodableBridgeTests {
  /// A struct of states around elements that nest.
  struct Grove: Codable, BinaryCodable {
    var trees = ORSet<Twig>()
  }

  struct Twig: Codable, CanonicalCodable, Hashable {
    var twigs: [Twig] = []
  }

  @Test("what was read alone can be written within a struct of states")
  func readAloneWrittenWithin() throws {
    var twig = Twig()
    // Each twig is two levels, an object and an array: 32 in all at the last.
    for _ in 0..<16 {
      var alone = ORSet<Twig>()
      alone.insert(twig, by: ReplicaID(1))
      var grove = Grove()
      grove.trees.merge(try ORSet<Twig>(decoding: alone.encoded()))
      #expect(try Grove(decoding: grove.encoded()).trees == alone)
      twig = Twig(twigs: [twig])
    }
  }
}
