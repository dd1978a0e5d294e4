import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Two places that write in a list under one name: no element is lost, each keeps its value, and
/// every order of merging comes to the same.
@Suite("Forks of lists")
struct ListForkTests {
  private typealias List = ReplicatedList<MVRegister<String>>

  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  @Test("both lines keep their elements and values", arguments: [1, 3, 40, 200])
  func bothStay(count: Int) throws {
    for common in [0, 3] {
      var base = List()
      base.append(contentsOf: (0..<common).map { "common \($0)" }, by: phone)
      var sides = [base, base]
      for place in sides.indices {
        for number in 0..<count {
          let index = (number * 7) % (sides[place].count + 1)
          sides[place].insert("\(place) \(number)", at: index, by: phone)
          let other = (number * 5) % sides[place].count
          sides[place].move(from: index, to: other, by: phone)
        }
        let replica = ReplicaID(UInt64(place) + 5)
        sides[place].move(from: 0, to: sides[place].count - 1, by: replica)
        let last = sides[place].count - 1
        sides[place].replace(at: last, with: sides[place].values[last] + "!", by: replica)
      }
      let merged = sides[0].merging(sides[1])
      let other = sides[1].merging(sides[0])
      #expect(merged.encoded() == other.encoded())
      #expect(merged.values == other.values && merged.ids == other.ids)
      #expect(merged.forks == [phone])
      #expect(merged.values.count == merged.count && Set(merged.ids).count == merged.count)
      for side in sides {
        for value in side.values where !value.hasSuffix("!") {
          let isThere = merged.values.contains(value) || merged.values.contains(value + "!")
          #expect(isThere, "\(value) is lost")
        }
        #expect(side.values.filter { $0.hasSuffix("!") }.allSatisfy(merged.values.contains))
        #expect(merged.merging(side).encoded() == merged.encoded())
        #expect(side.merging(merged).encoded() == merged.encoded())
      }
      merged._table.checkEveryInvariant()
      let decoded = try merged.readBack()
      #expect(decoded == merged && decoded.values == merged.values)
    }
  }

  @Test("equal values first: each element keeps its own")
  func equalValues() {
    var base = List()
    base.append(contentsOf: ["first", "b", "c"], by: phone)
    let changes: [(left: [String], right: [String], index: Int)] = [
      (["x"], ["x"], 3), (["x", "y"], ["x", "z"], 0), (["x", "y"], ["x", "y"], 2),
      (["x", "y", "z"], ["x"], 0),
    ]
    for (left, right, index) in changes {
      var sides = [base, base]
      sides[0].insert(contentsOf: left, at: 0, by: phone)
      sides[1].insert(contentsOf: right, at: index, by: phone)
      let merged = sides[0].merging(sides[1])
      #expect(merged.encoded() == sides[1].merging(sides[0]).encoded())
      #expect(merged.values.sorted() == (base.values + left + right).sorted())
      #expect(merged.allSatisfy { $0.values.count == 1 })
    }
  }

  @Test("moved to two places under one name: it stands at one")
  func movedTwice() {
    var base = List()
    base.append(contentsOf: ["first", "b", "c", "d"], by: phone)
    for other in 1...2 {
      var sides = [base, base]
      sides[0].move(from: 0, to: 3, by: phone)
      sides[1].move(from: 0, to: other, by: phone)
      let merged = sides[0].merging(sides[1])
      #expect(merged.encoded() == sides[1].merging(sides[0]).encoded())
      #expect(merged.values.sorted() == base.values.sorted())
    }
  }

  @Test("random histories under one name come to the same in every order")
  func random() throws {
    for seed: UInt64 in 1...60 {
      var random = SeededGenerator(seed: seed)
      var base = List()
      base.append(contentsOf: ["a", "b", "c"], by: phone)
      var sides = [base, base, base]
      var kept: Set<String> = []
      for place in sides.indices {
        for number in 0..<Int.random(in: 1...12, using: &random) {
          let replica = Bool.random(using: &random) ? phone : ReplicaID(UInt64(place) + 5)
          let count = sides[place].count
          let index = Int.random(in: 0...count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0 where index < count:
            kept.subtract(sides[place][index].values)
            sides[place].remove(at: index, by: replica)
          case 1 where index < count:
            sides[place].move(from: index, to: count - 1 - index, by: replica)
          case 2 where index < count && sides[place][index].values[0].count > 1:
            // An element of this side, which nobody else removes.
            kept.subtract(sides[place][index].values)
            kept.insert("\(place) \(number)!")
            sides[place].replace(at: index, with: "\(place) \(number)!", by: replica)
          default:
            kept.insert("\(place) \(number)")
            sides[place].insert("\(place) \(number)", at: index, by: replica)
          }
        }
      }
      for _ in 0..<3 {
        for here in sides.indices {
          for there in sides.indices {
            let other = sides[there]
            sides[here].merge(other)
          }
        }
      }
      let merged = sides[0]
      for side in sides {
        #expect(side.values == merged.values && side.ids == merged.ids, "seed \(seed)")
        #expect(side.encoded() == merged.encoded(), "seed \(seed)")
        side._table.checkEveryInvariant()
        let decoded = try side.readBack()
        #expect(decoded.values == merged.values && decoded.ids == merged.ids)
      }
      #expect(Set(merged.ids).count == merged.count && merged.values.count == merged.count)
      let values = merged.flatMap(\.values)
      for value in kept where !values.contains(value) {
        Issue.record("seed \(seed): \(value) is lost")
      }
    }
  }

  @Test("what another replica wrote before the lines part stays, and comes to the same")
  func thirdBefore() throws {
    for (left, right) in [(3, 5), (150, 170), (200, 320)] {
      for extra in 0..<4 {
        var base = List()
        for number in 0..<10 + extra { base.append("base \(number)", by: phone) }
        base.replace(at: base.count - 1, with: "written", by: laptop)
        base.move(from: base.count - 2, to: 2, by: laptop)
        base.remove(at: base.count - 3, by: laptop)
        base.append("another", by: laptop)
        var sides = [base, base]
        sides[0].append(contentsOf: (0..<left).map { "left \($0)" }, by: phone)
        for number in 0..<right { sides[1].append("right \(number)", by: phone) }
        let merged = sides[0].merging(sides[1])
        let other = sides[1].merging(sides[0])
        #expect(merged.encoded() == other.encoded(), "\(left), \(right), \(extra)")
        #expect(merged.values == other.values && merged.ids == other.ids)
        merged._table.checkEveryInvariant()
        for side in sides {
          #expect(Set(merged.values).isSuperset(of: side.values))
          #expect(merged.merging(side).encoded() == merged.encoded())
          #expect(side.merging(merged).encoded() == merged.encoded())
        }
        if right < 128 { #expect(merged.count == base.count + left + right) }
        let decoded = try merged.readBack()
        #expect(decoded.values == merged.values)
      }
    }
  }

  @Test("removals at the same time leave a row each, however often the copies meet")
  func removals() {
    var base = List()
    base.append(contentsOf: ["a", "b"], by: phone)
    let copies = (1...4 as ClosedRange<UInt64>).map { replica in
      var copy = base
      if replica % 2 == 0 { copy.move(from: 0, to: 1, by: ReplicaID(replica)) }
      copy.remove(id: base.ids[0], by: ReplicaID(replica))
      return copy
    }
    var merged = base
    for _ in 0..<3 {
      for copy in copies { merged.merge(copy) }
      merged.insert("c", at: 0, by: laptop)
      merged.move(from: 0, to: 1, by: laptop)
      merged.remove(at: 1, by: laptop)
    }
    #expect(merged.values == ["b"])
    let tombs = merged._table.dots(of: ListRowKey(base.ids[0], nil))
    #expect(tombs.count == 4)
  }
}
