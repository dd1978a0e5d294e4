import CRDTKit
import CRDTTestSupport
import Testing

@Suite("Smoke")
struct SmokeTests {
  @Test("sets, maps, deltas") func basics() throws {
    let phone = ReplicaID(1)
    let laptop = ReplicaID(2)
    var list: ORSet<String> = ORSet()
    list.insert("milk", by: phone)
    var copy = list
    copy.insert("tea", by: laptop)
    list.remove("milk", by: phone)
    list.merge(copy)
    #expect(Array(list) == ["tea"])
    let before = list.version
    list.edit(by: phone) {
      $0.insert("bread")
      $0.remove("tea")
    }
    let bytes = list.delta(since: before).encoded()
    #expect(throws: DeltaError.self) {
      var e = ORSet<String>()
      try e.apply(decoding: bytes)
    }
    try copy.apply(decoding: list.delta(since: copy.version).encoded())
    #expect(copy == list)
    #expect(copy.encoded() == list.encoded())
    #expect(try ORSet<String>(decoding: list.encoded()) == list)
    var map: MergeMap<String, MergeMap<String, ORSet<Int>>> = MergeMap()
    map.update("a", by: phone) {
      $0.update("b") {
        $0.insert(1)
        $0.insert(2)
      }
    }
    map.update("a", by: laptop) { $0.update("c") { _ = $0.insert(3) } }
    #expect(map["a"]?["b"].map(Array.init) == [1, 2])
    #expect(map["a"]?.count == 2)
    map.removeValue(forKey: "a", by: phone)
    #expect(map.isEmpty)
  }

  @Test("random large") func large() throws {
    var generator = SeededGenerator(seed: 7)
    var sets = [ORSet<Int>(), ORSet<Int>(), ORSet<Int>()]
    for round in 0..<60 {
      for place in 0..<3 {
        for _ in 0..<200 {
          let e = Int.random(in: 0..<800, using: &generator)
          if Int.random(in: 0..<3, using: &generator) == 0 {
            sets[place].remove(e, by: ReplicaID(UInt64(place + 1)))
          } else {
            sets[place].insert(e, by: ReplicaID(UInt64(place + 1)))
          }
        }
        sets[place].table.checkEveryInvariant()
      }
      let from = Int.random(in: 0..<3, using: &generator)
      let to = (from + 1 + Int.random(in: 0..<2, using: &generator)) % 3
      if round % 2 == 0 {
        sets[to].merge(sets[from])
      } else {
        try sets[to].apply(sets[from].delta(since: sets[to].version))
      }
      sets[to].table.checkEveryInvariant()
    }
    for a in 0..<3 { for b in 0..<3 { sets[a].merge(sets[b]) } }
    for b in 0..<3 { sets[b].merge(sets[2]) }
    #expect(sets[0] == sets[1])
    #expect(sets[0].encoded() == sets[1].encoded())
    #expect(Set(sets[0]).count == sets[0].count)
    #expect(try ORSet<Int>(decoding: sets[2].encoded()) == sets[2])
  }
}
