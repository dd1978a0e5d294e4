import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Synchronization
import Testing

/// Pages that go on from pages that others hold.
@Suite("Pages that go on from others", .serialized)
struct PageSharingTests {
  /// An element that counts how many of its kind there are in memory.
  struct Counted: Hashable, CanonicalCodable {
    final class Token: Sendable {
      static let count = Atomic(0)

      init() { Token.count.add(1, ordering: .relaxed) }

      deinit { Token.count.subtract(1, ordering: .relaxed) }
    }

    let number: Int
    let token = Token()

    init(_ number: Int) { self.number = number }

    init(from reader: inout ByteReader) throws(DecodingFailure) {
      number = try Int(from: &reader)
    }

    func encode(to writer: inout ByteWriter) { number.encode(to: &writer) }

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// A set, and what it must hold.
  struct Branch {
    var set = ORSet<Counted>()
    var model: Set<Int> = []

    mutating func insert(_ number: Int, by replica: ReplicaID) {
      set.insert(Counted(number), by: replica)
      model.insert(number)
    }

    mutating func remove(_ number: Int, by replica: ReplicaID) {
      set.remove(Counted(number), by: replica)
      model.remove(number)
    }

    func check(_ note: String) throws {
      set._table.checkEveryInvariant()
      #expect(set.count == model.count, "\(note)")
      #expect(Set(set.map(\.number)) == model, "\(note)")
    }
  }

  @Test("branches of large sets, edited and merged in turns, keep apart and free their rows")
  func branches() throws {
    for seed in 0..<4 as Range<UInt64> {
      try play(seed)
      #expect(Counted.Token.count.load(ordering: .relaxed) == 0, "seed \(seed)")
    }
  }

  private func play(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var first = Branch()
    for number in 0..<1_300 { first.insert(number, by: ReplicaID(100)) }
    var branches = [first, first, first]
    for step in 0..<30 {
      let place = Int.random(in: 0..<branches.count, using: &random)
      let replica = ReplicaID(UInt64(place + 1))
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        // A branch is given up for a copy of another, which goes on under its name: so
        // it must have seen all that was written under it.
        let other = Int.random(in: 0..<branches.count, using: &random)
        let merged = branches[place].set.merging(branches[other].set)
        branches[place] = Branch(set: merged, model: Set(merged.map(\.number)))
      case 1:
        let copy = branches[place]
        let start = Int.random(in: 0..<900, using: &random)
        for number in start..<start + 500 { branches[place].remove(number, by: replica) }
        try copy.check("seed \(seed), step \(step), the copy")
      case 2:
        let before = branches[place]
        let other = (place + 1) % branches.count
        let delta = before.set.delta(since: branches[other].set.version)
        try branches[other].set.apply(decoding: delta.encoded())
        branches[other].model = Set(branches[other].set.map(\.number))
        #expect(branches[other].set.version.contains(before.set.version))
      default:
        for _ in 0..<Int.random(in: 1...80, using: &random) {
          let copy = branches[place]
          let number = Int.random(in: 0..<1_500, using: &random)
          if Bool.random(using: &random) {
            branches[place].insert(number, by: replica)
          } else {
            branches[place].remove(number, by: replica)
          }
          #expect(copy.set.count == copy.model.count)
        }
      }
      try branches[place].check("seed \(seed), step \(step)")
      let set = branches[place].set
      #expect(try ORSet<Counted>(decoding: set.encoded()) == set, "seed \(seed), step \(step)")
    }
    for branch in branches { try branch.check("seed \(seed), at the end") }
    let all = branches.dropFirst().reduce(branches[0].set) { $0.merging($1.set) }
    for branch in branches {
      var other = branch.set
      for next in branches { other.merge(next.set) }
      #expect(other.encoded() == all.encoded(), "seed \(seed)")
    }
  }

  @Test("copies that add rows to one page, under one name, keep apart and free their rows")
  func lending() throws {
    for seed in 0..<8 as Range<UInt64> {
      try lend(seed)
      #expect(Counted.Token.count.load(ordering: .relaxed) == 0, "seed \(seed)")
    }
  }

  private func lend(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var first = Branch()
    for number in 0..<Int.random(in: 120...400, using: &random) {
      first.insert(number, by: ReplicaID(1))
    }
    var next = 1_000
    var branches = [first, first, first, first]
    for step in 0..<100 {
      let place = Int.random(in: 0..<branches.count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2: branches[place] = branches[Int.random(in: 0..<branches.count, using: &random)]
      case 3:
        for _ in 0..<Int.random(in: 1...60, using: &random) {
          branches[place].remove(Int.random(in: 0..<next, using: &random), by: ReplicaID(1))
        }
      case 4 where step % 4 == 0: branches[place] = Branch()
      default:
        let count = Bool.random(using: &random) ? 1 : Int.random(in: 1...90, using: &random)
        for _ in 0..<count {
          next += 1
          branches[place].insert(next, by: ReplicaID(1))
        }
      }
      for (number, branch) in branches.enumerated() {
        try branch.check("seed \(seed), step \(step), branch \(number)")
      }
    }
  }
}
