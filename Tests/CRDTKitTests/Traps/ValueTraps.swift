import CRDTKit
import CRDTTestSupport
import Testing

/// Values whose equality is not that of their bytes: not-a-number, the two zeros,
/// texts in two spellings, and keys that hash alike.
@Suite("Traps: values")
struct ValueTraps {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let composed = "\u{E9}"
  let decomposed = "e\u{301}"

  @Test("\"é\" composed and decomposed: one element, one spelling, equal bytes")
  func spellings() throws {
    for size in [0, 40] {
      for (one, other) in [(phone, laptop), (laptop, phone)] {
        var here = ORSet<String>()
        for number in 0..<size { here.insert("\(number)", by: phone) }
        var there = here
        here.insert(composed, by: one)
        there.insert(decomposed, by: other)
        let (both, reverse) = (here.merging(there), there.merging(here))
        for set in [both, reverse, try ORSet(decoding: both.encoded())] {
          #expect(set.count == size + 1)
          #expect(set.contains(composed) && set.contains(decomposed))
          let shown = set.filter { $0 == composed }.map { Array($0.utf8) }
          // The spelling of the row with the least dot.
          let expected = one < other ? composed : decomposed
          #expect(shown == [Array(expected.utf8)])
          set._table.checkEveryInvariant()
        }
        #expect(both == reverse && both.encoded() == reverse.encoded())
        var emptied = both
        emptied.remove(decomposed, by: phone)
        #expect(!emptied.contains(composed) && emptied.count == size)
        var renewed = both
        renewed.insert(decomposed, by: phone)
        #expect(
          renewed.filter { $0 == composed }.map { Array($0.utf8) } == [Array(decomposed.utf8)])
      }
    }
  }

  @Test("\"é\" composed and decomposed as keys: one value")
  func keySpellings() {
    var here = MergeMap<String, ORSet<Int>>()
    var there = here
    here.update(composed, by: phone) { $0.insert(1) }
    there.update(decomposed, by: laptop) { $0.insert(2) }
    for map in [here.merging(there), there.merging(here)] {
      #expect(map.count == 1)
      #expect(map[composed].map(Set.init) == [1, 2])
      #expect(map[decomposed] == map[composed])
      #expect(map.keys.map { Array($0.utf8) } == [Array(composed.utf8)])
      var removed = map
      removed.removeValue(forKey: decomposed, by: phone)
      #expect(removed.isEmpty)
    }
  }

  @Test("NaN as an element: as in Swift's own set, each stays, and nothing traps")
  func notANumber() throws {
    for size in [0, 40] {
      var here = ORSet<Double>()
      for number in 0..<size { here.insert(Double(number), by: phone) }
      here.insert(.nan, by: phone)
      var there = here
      here.insert(.nan, by: phone)
      there.insert(-.nan, by: laptop)
      let (both, reverse) = (here.merging(there), there.merging(here))
      for set in [both, reverse] {
        #expect(set.count == size + 3)
        #expect(Array(set).count == size + 3)
        #expect(!set.contains(.nan))
        set._table.checkEveryInvariant()
      }
      #expect(both == reverse && both.encoded() == reverse.encoded())
      #expect(try ORSet<Double>(decoding: both.encoded()) == both)
      var emptied = both
      emptied.removeAll(by: phone)
      #expect(emptied.isEmpty)
      #expect(emptied.encoded().count - markBytes(of: emptied.version) < 64)
    }
  }

  @Test("NaN as a value: states that hold it are equal, and registers keep its kind")
  func notANumberAsValue() throws {
    var register = MVRegister<Double>()
    register.set(.nan, by: phone)
    #expect(register == register.merging(register))
    let decoded = try MVRegister<Double>(decoding: register.encoded())
    #expect(decoded == register)
    #expect(decoded.values.map(\.bitPattern) == [Double.nan.bitPattern])
    var other = MVRegister<Double>()
    other.set(.signalingNaN, by: laptop)
    #expect(register.merging(other) == other.merging(register))
    #expect(register.merging(other).values.count == 2)
  }

  @Test("NaN as a map's key: nothing traps, and all counts agree")
  func notANumberAsKey() {
    for size in [0, 40] {
      var map = MergeMap<Double, ORSet<Int>>()
      for number in 0..<size { map.update(Double(number), by: phone) { $0.insert(number) } }
      map.update(.nan, by: phone) { $0.insert(1) }
      map.update(.nan, by: laptop) { $0.insert(2) }
      #expect(map.count == Array(map).count)
      #expect(map.count == map.keys.count)
      #expect(map.isEmpty == (map.count == 0))
      #expect(map[.nan] == nil)
      #expect(map.merging(map) == map)
      map._table.checkEveryInvariant()
    }
  }

  @Test("−0.0 and 0.0: one element, the same one shown everywhere")
  func zeros() {
    for size in [0, 40] {
      var here = ORSet<Double>()
      for number in 0..<size { here.insert(Double(number + 1), by: phone) }
      var there = here
      here.insert(0.0, by: phone)
      there.insert(-0.0, by: laptop)
      let (both, reverse) = (here.merging(there), there.merging(here))
      #expect(both.count == size + 1)
      #expect(both == reverse && both.encoded() == reverse.encoded())
      for set in [both, reverse] {
        #expect(set.contains(0.0) && set.contains(-0.0))
        #expect(set.filter { $0 == 0 }.map(\.sign) == [.plus])
      }
      here.insert(-0.0, by: phone)
      #expect(here.count == size + 1)
      #expect(here.filter { $0 == 0 }.map(\.sign) == [.minus])
    }
  }

  @Test("1 and 1.0 and true are values of different types: their bytes are not mixed up")
  func types() {
    var ints = MVRegister<Int>()
    ints.set(1, by: phone)
    var doubles = MVRegister<Double>()
    doubles.set(1, by: phone)
    #expect(throws: DecodingFailure.self) { try MVRegister<Double>(decoding: ints.encoded()) }
    #expect(throws: DecodingFailure.self) { try MVRegister<Bool>(decoding: ints.encoded()) }
    #expect(throws: DecodingFailure.self) { try MVRegister<Int>(decoding: doubles.encoded()) }
    #expect(throws: DecodingFailure.self) { try ORSet<Int>(decoding: ints.encoded()) }
    #expect(throws: DecodingFailure.self) {
      try MVRegister<Int>(decoding: ints.delta(since: [:]).encoded())
    }
    #expect(throws: DecodingFailure.self) {
      try TableDelta<MVRegister<Int>>(decoding: ints.encoded())
    }
  }

  @Test("keys that all hash alike are slow, not wrong")
  func collisions() {
    struct Colliding: Hashable, CanonicalCodable {
      var number: Int
      func hash(into hasher: inout Hasher) {}
      init(_ number: Int) { self.number = number }
      func encode(to writer: inout ByteWriter) { number.encode(to: &writer) }
      init(from reader: inout ByteReader) throws(DecodingFailure) {
        number = try Int(from: &reader)
      }
    }
    var here = ORSet<Colliding>()
    for number in 0..<300 { here.insert(Colliding(number), by: phone) }
    var there = here
    for number in 0..<150 { there.remove(Colliding(number * 2), by: laptop) }
    for number in 0..<40 { here.insert(Colliding(number), by: phone) }
    here.merge(there)
    here._table.checkEveryInvariant()
    for number in 0..<300 {
      #expect(here.contains(Colliding(number)) == (number < 40 || number % 2 == 1))
    }
    #expect(here.count == Set(here).count && here.count == 170)
  }

  @Test("values with an empty form: one row a replica, encoded and decoded")
  func units() throws {
    var set = ORSet<NoPayload>()
    set.insert(NoPayload(), by: phone)
    var other = ORSet<NoPayload>()
    other.insert(NoPayload(), by: laptop)
    set.merge(other)
    #expect(set.count == 1)
    #expect(try ORSet<NoPayload>(decoding: set.encoded()) == set)
    var register = MVRegister<NoPayload>()
    register.set(NoPayload(), by: phone)
    #expect(try MVRegister<NoPayload>(decoding: register.encoded()) == register)
  }
}
