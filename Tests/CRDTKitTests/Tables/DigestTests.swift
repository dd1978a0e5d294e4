import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What contents come to follows from version and rows alone.
///
/// The schedules compare it with the reference after each step; here are tables of many
/// pages.
@Suite("Content digest")
struct DigestTests {
  private typealias Shape = WideSetShape

  @Test("tables of many pages: as the reference says, after edits, merges, deltas and copies")
  func manyPages() throws {
    for seed in 0..<(isLongRun ? 200 : 5) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var sets = (0..<3).map { _ in Shape.make() }
      var copies: [ORSet<Int>] = []
      for step in 0..<60 {
        let place = Int.random(in: 0..<3, using: &random)
        let other = Int.random(in: 0..<3, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: sets[place].merge(sets[other])
        case 1: try sets[place].apply(sets[other].delta(since: sets[place].version))
        case 2: sets[place] = try ORSet(decoding: sets[place].encoded())
        case 3: copies.append(sets[place])
        case 4: shrink(&sets[place], by: ReplicaID(UInt64(place)), using: &random)
        default:
          // Few at a time too: as many rows come as go then.
          for _ in 0..<Int.random(in: 1..<(step % 2 == 0 ? 4 : 900), using: &random) {
            Shape.perform(
              Shape.operation(using: &random), on: &sets[place], by: ReplicaID(UInt64(place)))
          }
        }
        try expectTrue(sets[place], "seed \(seed), step \(step)")
      }
      for copy in copies { try expectTrue(copy, "a copy, seed \(seed)") }
    }
  }

  /// Removes so much that pages are packed together.
  private func shrink(
    _ set: inout ORSet<Int>, by replica: ReplicaID, using random: inout SeededGenerator
  ) {
    for element in 0..<4_000 where Int.random(in: 0..<30, using: &random) > 0 {
      set.remove(element, by: replica)
    }
  }

  private func expectTrue(_ set: ORSet<Int>, _ comment: Comment) throws {
    let digest = set.contentDigest
    try #require(digest.description == referenceDigest(of: set._table), comment)
    #expect(set.contentDigest == digest, comment)
  }

  @Test("a register written again and again, read after any number of writes")
  func register() throws {
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var register = MVRegister<Int>()
      var copy: MVRegister<Int>?
      for step in 0..<300 {
        register.set(step, by: ReplicaID(UInt64(seed % 2 == 0 ? 1 : step % 3 + 1)))
        if Int.random(in: 0..<4, using: &random) == 0 {
          let digest = register.contentDigest.description
          try #require(digest == referenceDigest(of: register._table), "seed \(seed), step \(step)")
        }
        if Int.random(in: 0..<9, using: &random) == 0 { copy = register }
        #expect(register.value == step && copy.map { $0.values.count == 1 } ?? true)
      }
    }
  }

  @Test("pages that thin out one by one, and are packed") func packing() throws {
    var set = ORSet<Int>()
    for element in 0..<20_000 { set.insert(element, by: ReplicaID(1)) }
    for round in 0..<40 {
      for element in 0..<500 { set.insert(element, by: ReplicaID(1)) }
      let copy = set
      for element in stride(from: round, to: 20_000, by: 41) {
        set.remove(element, by: ReplicaID(2))
      }
      if round % 8 == 0 {
        try expectTrue(set, "round \(round)")
        try expectTrue(copy, "the copy of round \(round)")
      }
    }
  }

  /// Whether the digest is that of an equal set which was read from bytes, and has kept none.
  private func expectFresh(_ set: ORSet<Int>, _ comment: Comment) throws {
    let fresh = try ORSet<Int>(decoding: set.encoded())
    try #require(set == fresh, comment)
    try #require(set.contentDigest == fresh.contentDigest, comment)
  }

  @Test("a first page that goes on from others, whose digests' place in memory is used again")
  func firstPages() throws {
    // Of fewer rows nothing is kept; of more, the pages stay that others go on from.
    for count in 66..<126 {
      for steps in 1..<7 {
        var set = ORSet<Int>()
        for element in 0..<count { set.insert(element, by: ReplicaID(1)) }
        _ = set.contentDigest
        for step in 0..<steps {
          // Each step goes on in another page, with as many rows as the one before.
          let copy = set
          set.remove(step, by: ReplicaID(2))
          set.insert(count + step, by: ReplicaID(1))
          #expect(copy.count == count)
        }
        try expectFresh(set, "\(count) elements, \(steps) steps")
      }
    }
  }

  @Test("rows that leave packed pages one by one, and are the last of their blocks")
  func packedBlocks() throws {
    var set = ORSet<Int>()
    // One of many events of each block stays, so pages of many blocks are made.
    for block in 0..<60 {
      set.insert(block, by: ReplicaID(1))
      for _ in 0..<1_023 { set.insert(1_000, by: ReplicaID(1)) }
    }
    set = try ORSet(decoding: set.encoded())
    try expectFresh(set, "packed")
    for block in [59, 7, 0, 30, 31, 1, 58] {
      set.remove(block, by: ReplicaID(2))
      try expectFresh(set, "without \(block)")
      let copy = set
      set.remove(block + (block < 30 ? 10 : -10), by: ReplicaID(2))
      try expectFresh(set, "without another, in a page that others hold")
      try expectFresh(copy, "the copy")
    }
  }

  @Test("each event changes it, and so does what a row holds") func changes() {
    var set = ORSet<String>()
    var known: Set<ContentDigest> = [set.contentDigest]
    for number in 0..<300 {
      if number % 3 == 2 {
        set.remove("\(number - 1)", by: ReplicaID(1))
      } else {
        set.insert("\(number)", by: ReplicaID(UInt64(number % 2)))
      }
      #expect(known.insert(set.contentDigest).inserted)
    }
    var one = MVRegister<String>()
    var other = one
    one.set("a", by: ReplicaID(1))
    other.set("b", by: ReplicaID(1))
    #expect(one.version == other.version && one.contentDigest != other.contentDigest)
    #expect(one.contentDigest.bytes.count == 32)
    #expect("\(one.contentDigest)".count == 64)
  }

  @Test("copies that write other rows under one name differ, though the same bits are live")
  func forkedCopies() {
    for count in [1, 100, 1_024, 3_000] {
      var one = ORSet<Int>()
      for element in 0..<count { one.insert(element, by: ReplicaID(1)) }
      _ = one.contentDigest
      var other = one
      one.insert(-1, by: ReplicaID(1))
      other.insert(-2, by: ReplicaID(1))
      #expect(one.contentDigest.description == referenceDigest(of: one._table))
      #expect(other.contentDigest.description == referenceDigest(of: other._table))
      #expect(one.contentDigest != other.contentDigest)
    }
  }

  @Test("the parts say whose rows differ") func parts() throws {
    let collision = try #require(Collision<ORSet<String>>.find())
    var (left, right) = (collision.left, collision.right)
    left.insert("tea", by: ReplicaID(1))
    right.merge(left)
    left.merge(right)
    #expect(left.version == right.version && left.forks.isEmpty && right.forks.isEmpty)
    let parts = zip(left._table.columns, right._table.columns)
    #expect(parts.filter { $0.digest != $1.digest }.map(\.0.replica) == [doubleTongue])
  }

  @Test("copies on many threads, which ask at once and go apart") func threads() async {
    var set = ORSet<Int>()
    for element in 0..<5_000 { set.insert(element, by: ReplicaID(1)) }
    for round in 0..<5 {
      let shared = set
      let expected = referenceDigest(of: shared._table)
      await withTaskGroup(of: Bool.self) { group in
        for task in 0..<6 as Range<UInt64> {
          group.addTask {
            var copy = shared
            guard copy.contentDigest.description == expected else { return false }
            for step in 0..<30 {
              copy.remove(Int(task) * 100 + step + round, by: ReplicaID(task))
              copy.insert(-step, by: ReplicaID(task))
            }
            return copy.contentDigest.description == referenceDigest(of: copy._table)
              && shared.contentDigest.description == expected
          }
        }
        for await isRight in group { #expect(isRight) }
      }
      set.insert(-round, by: ReplicaID(1))
    }
  }
}
