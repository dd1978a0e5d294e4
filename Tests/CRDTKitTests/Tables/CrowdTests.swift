import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Synchronization
import Testing

/// Keys under which there are many rows: what many have written at once, or somebody has
/// made up.
@Suite("Many rows under one key")
struct CrowdTests {
  /// An element that counts how often two are compared.
  private struct Element: Hashable, Codable, CanonicalCodable {
    static let comparisons = Atomic(0)

    var name: String

    static func == (left: Element, right: Element) -> Bool {
      comparisons.add(1, ordering: .relaxed)
      return left.name == right.name
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A set in which so many replicas have put one element, and each another one.
  private func crowded(_ count: UInt64) throws -> ORSet<Element> {
    var all = ORSet<Element>()
    for replica in 1...count {
      var set = ORSet<Element>()
      set.insert(Element(name: "a"), by: ReplicaID(replica))
      set.insert(Element(name: "b \(replica)"), by: ReplicaID(replica))
      all.merge(set)
    }
    return try all.readBack()
  }

  @Test("are found in time linear in their number")
  func comparisons() throws {
    let count: UInt64 = 2_000
    let set = try crowded(count)
    let before = Element.comparisons.load(ordering: .relaxed)
    #expect(set.contains(Element(name: "a")) && set.contains(Element(name: "b 7")))
    #expect(!set.contains(Element(name: "c")))
    #expect(set.count == Int(count) + 1)
    var copy = set
    let isRemoved = copy.remove(Element(name: "a"), by: ReplicaID(1))
    #expect(isRemoved && copy.count == Int(count) && !copy.contains(Element(name: "a")))
    let comparisons = Element.comparisons.load(ordering: .relaxed) - before
    // Each of the rows is compared with the few that have entries, then in a few passes.
    #expect(comparisons < Int(count) * 30, "\(comparisons)")
  }

  /// An element whose place in an index of keys is chosen, close to those of others.
  ///
  /// The elements 0 and 1 have different hashes that begin at one slot, with other bits in
  /// their entries; 2 and 3 differ only in bits of the hash that an entry doesn't keep; 4
  /// and 5 have the same hash.
  private struct Neighbour: Hashable, Codable, CanonicalCodable {
    var number: Int

    var hashValue: Int {
      switch number {
      case 0, 1: 0x51_0000_0007 | number << 16
      case 2, 3: 0x51_0002_0007 | number << 40
      default: 0x51_0003_0007
      }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test("are told apart if their hashes are all the same, whichever way they came")
  func sameHashes() throws {
    for seed in 0..<(isLongRun ? 500 : 4) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var set = ORSet<Neighbour>()
      var model: Set<Int> = []
      for step in 0..<400 {
        // From 4 on, all elements have one hash.
        let number = Int.random(in: 4..<50, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<5:
          #expect(
            set.insert(Neighbour(number: number), by: ReplicaID(1)) == model.insert(number).inserted
          )
        case 5, 6:
          let isRemoved = set.remove(Neighbour(number: number), by: ReplicaID(1))
          #expect(isRemoved == (model.remove(number) != nil))
        default:
          set = try set.readBack()
        }
        #expect(set.count == model.count && Set(set.map(\.number)) == model, "\(seed), \(step)")
        let found = (4..<50).filter { set.contains(Neighbour(number: $0)) }
        #expect(Set(found) == model, "seed \(seed), step \(step)")
      }
    }
  }

  /// Entries refer to blocks of counters, of which there may be too many; the rows of
  /// further blocks are found without entries.
  @Test(
    "are those that a search row by row finds, whoever comes and goes",
    arguments: [1 << 24, 8])
  func model(blockMax: Int) throws {
    for seed in 0..<(isLongRun ? 2_000 : 12) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var sets = [ORSet<Neighbour>](repeating: ORSet(), count: 40)
      let elements = (0..<6).map { Neighbour(number: $0) }
      for step in 0..<600 {
        let place = Int.random(in: 0..<sets.count, using: &random)
        let replica = ReplicaID(UInt64(place + 1))
        let element = elements[Int.random(in: 0..<elements.count, using: &random)]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: sets[place].insert(element, by: replica)
        case 4: sets[place].remove(element, by: replica)
        case 5: sets[place] = try sets[place].readBack()
        default:
          let other = Int.random(in: 0..<4, using: &random)
          sets[place].merge(sets[other])
          if step % 3 == 0 { sets[other].merge(sets[place]) }
        }
        sets[place]._table.index?.index.pointee.blockMax = blockMax
        for element in elements {
          var expected: Set<Dot> = []
          sets[place]._table.forEachRow { dot, row in
            if row.key == element { expected.insert(dot) }
          }
          let found = sets[place]._table.dots(of: element)
          #expect(Set(found) == expected && found.count == expected.count, "seed \(seed)")
        }
        let all = Array(sets[place])
        #expect(sets[place].count == all.count, "seed \(seed), step \(step)")
        #expect(Set(all).count == all.count, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("leave few blocks behind when others replace them")
  func blocks() {
    var set = ORSet<Int>()
    for step in 0..<2_500 { set.insert(step % 20, by: ReplicaID(UInt64(step + 1))) }
    #expect(set.count == 20)
    let count = set._table.index?.index.pointee.blockCount ?? 0
    #expect(count > 0 && count < 1_200, "\(count) blocks of 20 rows")
  }
}
