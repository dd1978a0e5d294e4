import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// Sets and maps beside Swift's own, and what is expected of any value type.
@Suite("Behavior of sets and maps")
struct SetBehaviorTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("an edit that changes nothing gives a delta that nobody has to wait for")
  func emptyEdits() throws {
    var set = ORSet<String>()
    set.insert("a", by: phone)
    var document = Document()
    document.edit(at: HybridTimestamp(milliseconds: 1, replica: phone)) { $0.create("r", in: "c") }
    let deltas = [
      set.edit(by: phone) { $0.remove("absent") }, set.edit(by: laptop) { $0.remove("b") },
    ]
    var behind = ORSet<String>()
    for delta in deltas {
      #expect(delta.isEmpty)
      #expect(try !behind.apply(delta))
      #expect(try !behind.apply(decoding: delta.encoded()))
    }
    let delta = document.edit(at: HybridTimestamp(milliseconds: 2, replica: phone)) {
      $0.delete("absent", in: "c")
    }
    var empty = Document()
    #expect(try !empty.apply(decoding: delta.encoded()))
    #expect(empty == Document())
  }

  @Test("many elements at once, as one by one in Swift's sets")
  func manyAtOnce() throws {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var set = ORSet<Int>()
      var grown = GSet<Int>()
      var (model, all) = (Set<Int>(), Set<Int>())
      for _ in 0..<40 {
        let count = Int.random(in: 0..<30, using: &random)
        // Some occur twice, and some aren't there.
        let some = (0..<count).map { _ in Int.random(in: 0..<40, using: &random) }
        let replica = ReplicaID(UInt64.random(in: 1...3, using: &random))
        let before = set.version[replica]
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
          set.insert(contentsOf: some, by: replica)
          model.formUnion(some)
        case 2:
          let delta = set.edit(by: replica) { $0.insert(contentsOf: some) }
          #expect(delta.isEmpty == some.isEmpty)
          model.formUnion(some)
        case 3:
          set.subtract(some, by: replica)
          model.subtract(some)
          #expect(set.version[replica] <= before + 1, "one event removes all")
        case 4:
          set.edit(by: replica) { $0.subtract(some) }
          model.subtract(some)
          #expect(set.version[replica] <= before + 1)
        case 5:
          let kept = some + model.prefix(10)
          set.edit(by: replica) { $0.formIntersection(kept) }
          model.formIntersection(kept)
          #expect(set.version[replica] <= before + 1)
        default:
          let kept = some + model.prefix(10)
          set.formIntersection(kept, by: replica)
          model.formIntersection(kept)
          #expect(set.version[replica] <= before + 1)
        }
        if count % 3 == 0 { (set, grown) = (try set.readBack(), try grown.readBack()) }
        grown.insert(contentsOf: some, by: replica)
        grown.edit(by: replica) { $0.insert(contentsOf: some.reversed()) }
        all.formUnion(some)
        #expect(Set(set) == model && set.count == model.count, "seed \(seed)")
        #expect(Set(grown) == all && grown.count == all.count, "seed \(seed)")
        #expect(set.isSubset(of: some) == model.isSubset(of: some))
        #expect(set.isSuperset(of: some) == model.isSuperset(of: some))
        #expect(set.isDisjoint(with: some) == model.isDisjoint(with: some))
        #expect(grown.isSuperset(of: set) == all.isSuperset(of: model))
      }
    }
  }

  @Test("counting by 0 is no change in a map and in a document either")
  func countingByNothing() throws {
    var basket: MergeMap<String, PNCounter> = MergeMap()
    try basket.update("apples", by: phone) { try $0.increment(0) }
    try basket.update("apples", by: phone) { try $0.decrement(0) }
    #expect(basket.version == [:] && basket["apples"] == nil)
    var visits: MergeMap<String, GCounter> = MergeMap()
    #expect(try visits.edit(by: phone) { try $0.update("home") { try $0.increment(0) } }.isEmpty)
    var document = Document()
    try document.edit(at: HybridTimestamp(milliseconds: 1, replica: phone)) {
      try $0.increment("likes", of: "r", in: "c", by: 0)
    }
    #expect(document.version == [:])
  }

  @Test("an edit's body may be one change of a nested value, whatever that returns")
  func nestedEdits() throws {
    let stamp = HybridTimestamp(milliseconds: 1, replica: phone)
    var map: MergeMap<String, MergeMap<String, ORSet<Int>>> = MergeMap()
    let delta = map.edit(by: phone) { $0.update("f") { $0.update("g") { $0.insert(1) } } }
    var titles: MergeMap<String, MVRegister<String>> = MergeMap()
    titles.edit(by: phone) { $0.update("f") { $0.set("x") } }
    var last: MergeMap<String, LWWRegister<String>> = MergeMap()
    last.edit(by: phone) { $0.update("f") { $0.set("x", at: stamp) } }
    var copy: MergeMap<String, MergeMap<String, ORSet<Int>>> = MergeMap()
    #expect(try copy.apply(delta) && copy == map)
  }

  @Test("a set does what Swift's set does, while nobody else writes")
  func besideSwiftSet() {
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let span = [4, 30, 400][Int(seed % 3)]
      var set = ORSet<Int>()
      var model: Set<Int> = []
      for step in 0..<600 {
        let element = Int.random(in: 0..<span, using: &random)
        switch Int.random(in: 0..<60, using: &random) {
        case 0:
          set.removeAll(by: phone)
          model.removeAll()
        case 1..<25:
          let was = set.remove(element, by: phone)
          #expect(was == (model.remove(element) != nil), "seed \(seed), step \(step)")
        default:
          let wasAbsent = set.insert(element, by: phone)
          #expect(wasAbsent == model.insert(element).inserted, "seed \(seed), step \(step)")
        }
        #expect(set.count == model.count && set.isEmpty == model.isEmpty, "seed \(seed)")
        #expect(set.contains(element) == model.contains(element), "seed \(seed)")
      }
      #expect(Set(set) == model, "seed \(seed)")
      #expect(set.count == Array(set).count, "seed \(seed)")
      #expect(set.underestimatedCount <= set.count)
    }
  }

  @Test("a map does what Swift's dictionary does, while nobody else writes")
  func besideSwiftDictionary() {
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let span = [4, 30, 400][Int(seed % 3)]
      var map = MergeMap<Int, MVRegister<Int>>()
      var model: [Int: Int] = [:]
      for step in 0..<500 {
        let key = Int.random(in: 0..<span, using: &random)
        if Int.random(in: 0..<3, using: &random) == 0 {
          let was = map.removeValue(forKey: key, by: phone)
          #expect(was == (model.removeValue(forKey: key) != nil), "seed \(seed), step \(step)")
        } else {
          map.update(key, by: phone) { $0.set(step) }
          model[key] = step
        }
        #expect(map[key]?.value == model[key], "seed \(seed), step \(step)")
        if step % 20 == 0 { #expect(map.count == model.count && map.isEmpty == model.isEmpty) }
      }
      let pairs = map.map { ($0.key, $0.value.value ?? -1) }
      #expect(Dictionary(uniqueKeysWithValues: pairs) == model, "seed \(seed)")
      #expect(map.keys.count == model.count && map.values.count == model.count)
    }
  }

  @Test("iteration order is that of the writers, and equal on every replica")
  func order() {
    var here = ORSet<Int>()
    var there = ORSet<Int>()
    for element in [30, 10, 20] { here.insert(element, by: laptop) }
    for element in [3, 1, 2, 10] { there.insert(element, by: phone) }
    #expect(Array(here.merging(there)) == [3, 1, 2, 10, 30, 20])
    #expect(Array(there.merging(here)) == [3, 1, 2, 10, 30, 20])
    for seed in 0..<5 as Range<UInt64> {
      let states = relatedStates(of: SetShape<String>.self, count: 5, stepCount: 300, seed: seed)
      let one = states.reduce(ORSet()) { $0.merging($1) }
      let other = states.reversed().reduce(ORSet()) { $0.merging($1) }
      #expect(one.map(\.spelling) == other.map(\.spelling), "seed \(seed)")
      #expect("\(one)" == "\(other)", "seed \(seed)")
    }
  }

  @Test("equality and hashes: by version and rows, not by what is shown alone")
  func equality() throws {
    var one = ORSet<Int>()
    one.insert(1, by: phone)
    var other = ORSet<Int>()
    other.insert(1, by: laptop)
    #expect(Array(one) == Array(other))
    #expect(one != other, "states are equal only if they have seen the same")
    #expect(one.merging(other) == other.merging(one))
    #expect(Set([one, other, one.merging(other), other.merging(one)]).count == 3)
    let decoded = try ORSet<Int>(decoding: one.encoded())
    #expect(decoded == one && decoded.hashValue == one.hashValue && decoded.digest == one.digest)
    #expect(one.digest != other.digest)
    var emptied = one
    emptied.remove(1, by: phone)
    #expect(emptied != ORSet() && emptied.isEmpty)
  }

  @Test("Codable: canonical bytes, through JSON and back; damage is an error")
  func codable() throws {
    struct Page: Codable, Equatable {
      var tags: ORSet<String>
      var title: MVRegister<String>
      var flags: MergeMap<String, EWFlag>
      var isOpen: DWFlag
    }
    var page = Page(tags: ORSet(), title: MVRegister(), flags: MergeMap(), isOpen: DWFlag())
    page.tags.insert("é", by: phone)
    page.title.set("Moon", by: laptop)
    page.flags.update("read", by: phone) { $0.enable() }
    page.isOpen.enable(by: phone)
    let data = try JSONEncoder().encode(page)
    #expect(try JSONDecoder().decode(Page.self, from: data) == page)
    for text in ["[]", "[1,2,3]", "\"x\"", "{}", "null", "[196,215,1,35,12,0,0,0,0,0]"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ORSet<String>.self, from: Data(text.utf8))
      }
    }
  }

  @Test("descriptions show what is there")
  func descriptions() {
    var set = ORSet<String>()
    #expect("\(set)" == "[]")
    set.insert("milk", by: phone)
    #expect("\(set)" == "[\"milk\"]")
    #expect(String(reflecting: set).contains("version"))
    var map = MergeMap<String, ORSet<String>>()
    #expect("\(map)" == "[:]")
    map.update("a", by: phone) { $0.insert("b") }
    #expect("\(map)" == "[\"a\": [\"b\"]]")
    var register = MVRegister<Int>()
    register.set(4, by: phone)
    #expect("\(register)" == "[4]")
    #expect("\(EWFlag()) \(DWFlag())" == "disabled disabled")
  }

  @Test("long texts are one element only if their bytes are; short ones as Swift has it")
  func longTexts() throws {
    // Bringing such a text to its normal form takes seconds: it must not be tried.
    let accents = String(repeating: "\u{301}\u{316}", count: 50_000)
    let (one, other) = ("e" + accents, "\u{E9}" + accents.dropFirst())
    let (short, shortOther) = ("e\u{301}\u{316}", "\u{E9}\u{316}")
    var set = ORSet<String>()
    for element in [one, other, short, shortOther] { set.insert(element, by: phone) }
    for number in 0..<30 { set.insert("\(number)", by: phone) }
    #expect(set.count == 33)
    #expect(set.contains(one) && set.contains(other) && set.contains(short))
    var decoded = try ORSet<String>(decoding: set.encoded())
    #expect(decoded.count == 33 && decoded.contains(other))
    let wasThere = decoded.remove(other, by: laptop)
    #expect(wasThere && !decoded.contains(other) && decoded.contains(one))
    var map = MergeMap<String, ORSet<String>>()
    for key in [one, other, short, shortOther] {
      for number in 0..<9 { map.update(key, by: phone) { $0.insert(key + "\(number)") } }
    }
    #expect(map.count == 3 && map[other]?.count == 9 && map[short]?.count == 9)
    map.removeValue(forKey: one, by: laptop)
    #expect(map.keys.count == 2 && map[one] == nil)
    #expect(try MergeMap(decoding: map.encoded()) == map)
  }
}
