import CRDTKit
import CRDTTestSupport
import Testing

/// What becomes of an element that several change at the same time.
@Suite("Traps: lists")
struct ListTraps {
  private typealias List = ReplicatedList<MVRegister<String>>

  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)
  private let tablet = ReplicaID(3)

  private var list: List {
    var list = List()
    list.append(contentsOf: ["a", "b", "c", "d"], by: phone)
    return list
  }

  /// The merge of some copies, which must not depend on its order.
  private func merged(_ copies: List...) -> List {
    var merged = copies[0]
    for copy in copies { merged.merge(copy) }
    var other = copies[copies.count - 1]
    for copy in copies.reversed() { other.merge(copy) }
    #expect(merged.encoded() == other.encoded())
    #expect(merged.values == other.values && merged.ids == other.ids)
    #expect(Set(merged.ids).count == merged.count)
    return merged
  }

  @Test("moves of one element by many: it stands at one place")
  func manyMoves() {
    let list = list
    for writers in [[phone, laptop], [laptop, phone], [phone, laptop, tablet]] {
      var copies: [List] = []
      for (number, writer) in writers.enumerated() {
        var copy = list
        copy.move(from: 0, to: number + 1, by: writer)
        copies.append(copy)
      }
      var all = copies[0]
      for copy in copies { all.merge(copy) }
      for copy in copies.reversed() { #expect(copy.merging(all).values == all.values) }
      let winner = writers.indices.max { writers[$0] < writers[$1] }
      #expect(all.values == winner.map { copies[$0].values })
      // The next move ends it.
      all.move(from: 3, to: 0, by: phone)
      #expect(all.count == 4 && Set(all.ids).count == 4)
      for copy in copies { #expect(copy.merging(all).values == all.values) }
    }
  }

  @Test("a place that lost counts for nothing")
  func hiddenPlaces() {
    var (one, other) = (list, list)
    one.move(from: 0, to: 3, by: phone)
    other.move(from: 0, to: 1, by: laptop)
    var both = merged(one, other)
    #expect(both.values == ["b", "a", "c", "d"])
    // It is after "d", and new elements go beside it.
    both.append("e", by: phone)
    both.insert("x", at: 1, by: phone)
    #expect(both.values == ["b", "x", "a", "c", "d", "e"])
    #expect(both.ids.map { both.index(of: $0) } == Array(0..<6))
    both.remove(at: 2, by: tablet)
    #expect(both.values == ["b", "x", "c", "d", "e"])
    #expect(merged(both, one, other).values == both.values)
  }

  @Test("moved and removed: removed")
  func movedAndRemoved() throws {
    for (mover, remover) in [(phone, laptop), (laptop, phone)] {
      var (one, other) = (list, list)
      one.move(from: 1, to: 3, by: mover)
      one.move(from: 3, to: 0, by: mover)
      other.remove(at: 1, by: remover)
      var both = merged(one, other)
      #expect(both.values == ["a", "c", "d"])
      both.insert("x", at: 0, by: mover)
      both.append("y", by: mover)
      #expect(both.values == ["x", "a", "c", "d", "y"])
      both.removeAll(by: remover)
      #expect(both.isEmpty)
      #expect(try both.readBack().isEmpty)
    }
  }

  @Test("edited and removed: removed, and it stays so")
  func editedAndRemoved() {
    var (one, other) = (list, list)
    one.replace(at: 1, with: "B", by: phone)
    other.remove(at: 1, by: laptop)
    var both = merged(one, other)
    #expect(both.values == ["a", "c", "d"])
    one.move(from: 1, to: 0, by: phone)
    both = merged(one, both)
    #expect(both.values == ["a", "c", "d"])
  }

  @Test("removed twice: once")
  func removedTwice() {
    var (one, other) = (list, list)
    one.removeSubrange(0..<3, by: phone)
    other.removeSubrange(1..<4, by: laptop)
    #expect(merged(one, other).isEmpty)
  }

  @Test("the value of a removed element is gone at once")
  func removedValue() {
    var list = List()
    let secret = String(repeating: "secret", count: 100)
    list.append(secret, by: phone)
    list.remove(at: 0, by: phone)
    #expect(list.encoded().count < 100)
    list = self.list
    let before = list.encoded().count
    list.append(contentsOf: (0..<100).map { _ in secret }, by: phone)
    list.removeSubrange(4..<104, by: phone)
    // Most of it is marks of the events.
    #expect(list.encoded().count < before + 1_500)
  }

  @Test("inserted at one place: the elements of each stay together")
  func insertedTogether() {
    var copies = [list, list, list]
    for place in copies.indices {
      let replica = [phone, laptop, tablet][place]
      if place == 1 {
        for step in 0..<3 { copies[place].insert("1.\(2 - step)", at: 2, by: replica) }
      } else {
        copies[place].insert(contentsOf: (0..<3).map { "\(place).\($0)" }, at: 2, by: replica)
      }
    }
    let values = merged(copies[0], copies[1], copies[2]).values
    let groups = values[2..<11].map { $0.prefix(1) }
    #expect(Set(groups.enumerated().map { $0.offset / 3 + (Int($0.element) ?? 9) * 10 }).count == 3)
    for place in 0..<3 {
      #expect(values.filter { $0.hasPrefix("\(place).") } == (0..<3).map { "\(place).\($0)" })
    }
  }

  @Test("replaced by two: the register's rule; replaced and moved: both")
  func replaced() {
    var (one, other) = (list, list)
    one.replace(at: 0, with: "A", by: phone)
    other.replace(at: 0, with: "α", by: laptop)
    other.move(from: 0, to: 3, by: laptop)
    var both = merged(one, other)
    #expect(both[3].values == ["A", "α"] && both.values == ["b", "c", "d", "A"])
    both.replace(at: 3, with: "AA", by: tablet)
    #expect(both[3].values == ["AA"])
  }

  @Test("an index out of bounds is a mistake of the caller")
  func outOfBounds() async {
    await #expect(processExitsWith: .failure) {
      var list = ReplicatedList<MVRegister<String>>()
      list.insert("a", at: 1, by: ReplicaID(1))
    }
    await #expect(processExitsWith: .failure) {
      _ = ReplicatedList<MVRegister<String>>()[0]
    }
    await #expect(processExitsWith: .failure) {
      var list = ReplicatedList<MVRegister<String>>()
      list.append("a", by: ReplicaID(1))
      list.move(from: 0, to: 1, by: ReplicaID(1))
    }
    await #expect(processExitsWith: .failure) {
      var list = ReplicatedList<MVRegister<String>>()
      list.remove(at: 0, by: ReplicaID(1))
    }
    await #expect(processExitsWith: .failure) {
      var list = ReplicatedList<LWWRegister<String>>()
      list.append(by: ReplicaID(1)) { _ in }
    }
  }
}
