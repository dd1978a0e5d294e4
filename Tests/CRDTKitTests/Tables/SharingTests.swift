import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Copies share pages and indexes; none may ever see what is written to another.
@Suite("Sharing")
struct SharingTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  private func large(_ count: Int = 3_000) -> ORSet<Int> {
    var set = ORSet<Int>()
    for element in 0..<count { set.insert(element, by: phone) }
    return set
  }

  @Test("a copy stays as it was, whatever is done to the other: every way to change")
  func everyChange() throws {
    var other = large()
    for element in 2_000..<4_000 { other.insert(element, by: laptop) }
    for element in 0..<500 { other.remove(element * 3, by: laptop) }
    let otherDelta = other.delta(since: large().version)
    let changes: [(inout ORSet<Int>) throws -> Void] = [
      { $0.insert(-1, by: phone) },
      { $0.insert(1_500, by: phone) },
      { $0.remove(1_500, by: laptop) },
      { $0.removeAll(by: laptop) },
      { $0.merge(other) },
      { try $0.apply(otherDelta) },
      { try $0.merge(decoding: other.encoded()) },
      { set in
        set.edit(by: phone) { editor in
          for element in 0..<1_100 { editor.remove(element * 2) }
        }
      },
      { set in for _ in 0..<1_200 { set.insert(5, by: phone) } },
    ]
    for readsFirst in [true, false] {
      for (number, change) in changes.enumerated() {
        let original = large()
        if readsFirst { #expect(original.contains(7)) }
        var copy = original
        let copyOfCopy = copy
        try change(&copy)
        copy._table.checkEveryInvariant()
        for untouched in [original, copyOfCopy] {
          untouched._table.checkEveryInvariant()
          #expect(untouched.count == 3_000, "change \(number)")
          #expect(untouched.elementsEqual(0..<3_000), "change \(number)")
          #expect(untouched.contains(2_999) && !untouched.contains(3_500), "change \(number)")
        }
        #expect(copy != original, "change \(number)")
        #expect(other.count == 3_500 && !other.contains(0) && other.contains(3_999))
        other._table.checkEveryInvariant()
      }
    }
  }

  @Test("branches of branches written in turns keep apart, lookups between")
  func branches() {
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var sets = [ORSet<Int>()]
      var models: [Set<Int>] = [[]]
      for step in 0..<400 {
        let place = Int.random(in: 0..<sets.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where sets.count < 6:
          sets.append(sets[place])
          models.append(models[place])
        case 1, 2:
          let element = Int.random(in: 0..<60, using: &random)
          #expect(sets[place].contains(element) == models[place].contains(element), "seed \(seed)")
        case 3: #expect(sets[place].count == models[place].count, "seed \(seed)")
        case 4..<7:
          let element = Int.random(in: 0..<60, using: &random)
          let was = sets[place].remove(element, by: ReplicaID(UInt64(place)))
          #expect(was == (models[place].remove(element) != nil), "seed \(seed), step \(step)")
        default:
          let element = Int.random(in: 0..<60, using: &random)
          let wasAbsent = sets[place].insert(element, by: ReplicaID(UInt64(place)))
          #expect(wasAbsent == models[place].insert(element).inserted, "seed \(seed), step \(step)")
        }
        sets[place]._table.checkEveryInvariant()
      }
      for (set, model) in zip(sets, models) { #expect(Set(set) == model, "seed \(seed)") }
    }
  }

  @Test("one copy read by many tasks at once: indexes, groups and counts derived once")
  func concurrentReads() async {
    for _ in 0..<5 {
      var set = large(2_000)
      var other = ORSet<Int>()
      for element in 1_000..<3_000 { other.insert(element, by: laptop) }
      set.merge(other)
      var map = MergeMap<Int, ORSet<Int>>()
      var otherMap = map
      for key in 0..<40 { map.update(key, by: phone) { $0.insert(key) } }
      for key in 20..<60 { otherMap.update(key, by: laptop) { $0.insert(-key) } }
      map.merge(otherMap)
      let (sharedSet, sharedMap) = (set, map)
      let results = await withTaskGroup(of: Bool.self) { group in
        for task in 0..<8 {
          group.addTask {
            var own = sharedSet
            let isRight =
              sharedSet.count == 3_000 && sharedSet.contains(task * 371)
              && sharedMap[task + 20]?.count == 2 && sharedMap.count == 60
              && !sharedSet.contains(3_000 + task)
            own.insert(-task - 1, by: ReplicaID(UInt64(100 + task)))
            return isRight && own.count == 3_001 && own.contains(-task - 1)
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(results == Array(repeating: true, count: 8))
      #expect(set.count == 3_000)
      set._table.checkEveryInvariant()
      map._table.checkEveryInvariant()
    }
  }

  @Test("the index grows, is worn and is renewed: lookups stay right throughout")
  func indexGrowth() {
    var random = SeededGenerator(seed: 11)
    var set = ORSet<Int>()
    var model: Set<Int> = []
    for step in 0..<9_000 {
      // Grows to thousands, then shrinks, then churns about twenty.
      let span = step < 4_000 ? 6_000 : step < 6_500 ? 3_000 : 40
      let element = Int.random(in: 0..<span, using: &random)
      if step < 4_000 || step % 2 == 0 {
        let wasAbsent = set.insert(element, by: phone)
        #expect(wasAbsent == model.insert(element).inserted, "step \(step)")
      } else {
        let wasPresent = set.remove(element, by: phone)
        #expect(wasPresent == (model.remove(element) != nil), "step \(step)")
      }
      if step % 500 == 0 { set._table.checkEveryInvariant() }
      if step == 6_500 {
        for element in model where element >= 40 { set.remove(element, by: laptop) }
        model.formIntersection(0..<40)
      }
    }
    #expect(Set(set) == model)
    for element in 0..<6_000 { #expect(set.contains(element) == model.contains(element)) }
  }

  @Test("lookups after merges, with and without an index from before")
  func lookupsAfterMerges() throws {
    for size in [3, 16, 17, 18, 700, 1_400] {
      for hasLooked in [true, false] {
        var here = ORSet<Int>()
        var there = ORSet<Int>()
        for element in 0..<size { here.insert(element, by: phone) }
        for element in size / 2..<size * 2 { there.insert(element, by: laptop) }
        if hasLooked { #expect(here.contains(0) && there.contains(size)) }
        var byDelta = here
        try byDelta.apply(decoding: there.delta(since: here.version).encoded())
        let state = here.merging(there)
        for set in [state, byDelta, there.merging(here)] {
          #expect(set.count == size * 2)
          #expect((0..<size * 2).allSatisfy(set.contains))
          #expect(!set.contains(size * 2) && !set.contains(-1))
          set._table.checkEveryInvariant()
        }
        var emptied = state
        for element in 0..<size * 2 { emptied.remove(element, by: phone) }
        #expect(emptied.isEmpty && emptied.count == 0 && !emptied.contains(0))
        emptied._table.checkEveryInvariant()
      }
    }
  }
}
