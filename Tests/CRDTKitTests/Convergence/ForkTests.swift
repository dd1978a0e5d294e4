import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// One replica identifier in two places at once: it is reported, and every order of
/// merging comes to the same.
@Suite("Forks")
struct ForkTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  /// A set and a backup of it, both of which go on under one name.
  private func restoredDisk(
    after shared: Int, lost: Int, written: Int
  ) -> (peer: ORSet<Int>, restored: ORSet<Int>) {
    var peer: ORSet<Int> = ORSet()
    for element in 0..<shared { peer.insert(element, by: phone) }
    var restored = peer
    for element in 0..<lost { peer.insert(1_000 + element, by: phone) }
    for element in 0..<written { restored.insert(2_000 + element, by: phone) }
    return (peer, restored)
  }

  @Test("a replica id used twice: apply refuses, merge reports, both ways to the same")
  func equalLengths() {
    for count in [1, 5, 20, 1_500] {
      let (a, b) = restoredDisk(after: 3, lost: count, written: count)
      var refused = a
      #expect(throws: DeltaError.fork(phone)) { try refused.apply(b.delta(since: [phone: 3])) }
      #expect(throws: DeltaError.fork(phone)) {
        try refused.apply(decoding: b.delta(since: [phone: 3]).encoded())
      }
      #expect(throws: DeltaError.fork(phone)) { try refused.merge(decoding: b.encoded()) }
      #expect(refused == a, "what was refused has changed nothing")
      #expect(refused.forks.isEmpty)
      let left = a.merging(b)
      let right = b.merging(a)
      #expect(left == right)
      #expect(left.encoded() == right.encoded())
      #expect(left.forks == [phone])
      #expect(right.forks == [phone])
      #expect(left.allSatisfy(left.contains))
      left._table.checkEveryInvariant()
    }
  }

  @Test("whoever merges a copy that has mended a fork knows of it")
  func passedOn() {
    let (a, b) = restoredDisk(after: 3, lost: 5, written: 2)
    let mended = a.merging(b)
    var stranger: ORSet<Int> = ORSet()
    stranger.insert(7, by: laptop)
    stranger.merge(mended)
    #expect(stranger.forks == [phone])
    #expect(stranger.merging(stranger).forks == [phone])
  }

  @Test("the same dot used twice (restored disk): all come to agree by merging")
  func lengthsDiffer() {
    for (lost, written) in [(5, 1), (1, 5), (3, 60), (40, 41), (1, 1)] {
      let (a, b) = restoredDisk(after: 3, lost: lost, written: written)
      let left = a.merging(b)
      let right = b.merging(a)
      #expect(left == right, "\(lost) lost, \(written) written")
      #expect(left.merging(a) == left)
      #expect(b.merging(left) == left)
      left._table.checkEveryInvariant()
      #expect(Set(left) == Set(right))
      #expect(left.allSatisfy(left.contains))
    }
  }

  @Test("the same dot used twice (restored disk): noticed when they meet")
  func noticed() {
    for (lost, written) in [(5, 1), (1, 5), (40, 41)] {
      let (a, b) = restoredDisk(after: 3, lost: lost, written: written)
      #expect(a.merging(b).forks == [phone])
      #expect(b.merging(a).forks == [phone])
    }
  }

  @Test("the same dot used twice (restored disk): noticed through encoded deltas")
  func noticedInDeltas() {
    for (lost, written) in [(5, 1), (1, 5), (40, 41), (1, 1)] {
      var (a, b) = restoredDisk(after: 3, lost: lost, written: written)
      // Of as many events on both sides the next one tells.
      if lost == written { a.insert(5, by: phone) }
      #expect(throws: DeltaError.fork(phone), "\(lost) lost, \(written) written") {
        try b.apply(decoding: a.delta(since: b.version).encoded())
        try a.apply(decoding: b.delta(since: a.version).encoded())
      }
    }
  }

  @Test("a fork in a map: lookups, groups and counts stay whole")
  func maps() {
    var a: MergeMap<Int, ORSet<Int>> = MergeMap()
    for key in 0..<30 { _ = a.update(key, by: laptop) { $0.insert(key) } }
    var b = a
    for key in 0..<30 {
      _ = a.update(key, by: phone) { $0.insert(key + 100) }
      _ = b.update(29 - key, by: phone) { $0.insert(key + 200) }
    }
    _ = (a[3], b[3])
    let left = a.merging(b)
    let right = b.merging(a)
    #expect(left == right)
    for map in [left, right] {
      map._table.checkEveryInvariant()
      #expect(map.count == Array(map).count)
      for (key, value) in map { #expect(map[key] == value) }
      #expect(map.reduce(0) { $0 + $1.value.count } == 90)
    }
  }

  @Test("forks of three, at random: every order of whole merges ends the same")
  func threeWays() {
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var base: ORSet<Int> = ORSet()
      for element in 0..<4 { base.insert(element, by: phone) }
      let sides = (0..<3).map { side in
        var copy = base
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
          let element = Int.random(in: 0..<8, using: &random)
          let writer = Bool.random(using: &random) ? phone : ReplicaID(UInt64(10 + side))
          if Bool.random(using: &random) {
            copy.insert(element + 10 * side, by: writer)
          } else {
            copy.remove(element, by: writer)
          }
        }
        return copy
      }
      var all = sides
      for _ in 0..<3 {
        for here in 0..<3 {
          for there in 0..<3 { all[here].merge(all[there]) }
        }
      }
      #expect(all[0] == all[1] && all[1] == all[2], "seed \(seed)")
      #expect(all[0].encoded() == all[2].encoded(), "seed \(seed)")
      all[0]._table.checkEveryInvariant()
    }
  }

  @Test("one who hears of a fork from others knows of it")
  func hearsay() {
    let (a, b) = restoredDisk(after: 1, lost: 2, written: 2)
    let both = a.merging(b)
    let third = ORSet<Int>().merging(both)
    #expect(third.forks == [phone])
    var fourth: ORSet<Int> = ORSet()
    fourth.insert(1, by: laptop)
    fourth.merge(both)
    #expect(fourth.forks == [phone])
  }
}
