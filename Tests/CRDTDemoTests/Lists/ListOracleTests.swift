import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit

@Suite("Oracles of lists")
struct ListOracleTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  private func edit(
    _ replica: ReplicaID, _ counter: UInt64, after observed: VersionVector, serial: Int = 0,
    _ changes: [ListChange], read: [Int64] = []
  ) -> RecordedEdit {
    RecordedEdit(
      replica: replica, counter: counter, observed: observed,
      change: OracleChange(list: changes), stamp: HybridTimestamp(time: 0, replica: replica),
      serial: serial, read: read)
  }

  @Test("an element stands at one place, has all values of those who wrote, and stays removed")
  func readings() {
    var oracle = Oracle(rule: .list)
    for edit in [
      edit(phone, 6, after: [:], [.insert([10, 20, 30], at: 0)]),
      edit(phone, 9, after: [phone: 6], [.move([0], before: 3)]),
      edit(phone, 10, after: [phone: 9], [.replace(at: 0, with: 21)]),
      edit(laptop, 3, after: [phone: 6], [.move([0], before: 2)]),
      edit(laptop, 4, after: [phone: 6, laptop: 3], [.replace(at: 0, with: 22)]),
      edit(laptop, 6, after: [phone: 6, laptop: 4], [.remove(2..<3)]),
      edit(laptop, 8, after: [phone: 10, laptop: 6], [.insert([40], at: 1)]),
    ] { #expect(oracle.record(edit) == nil, "\(edit)") }
    let readings: [(VersionVector, [Int64])] = [
      ([:], []), ([phone: 6], [10, 20, 30]), ([phone: 9], [20, 30, 10]),
      ([phone: 10], [21, 30, 10]), ([phone: 6, laptop: 3], [20, 10, 30]),
      ([phone: 6, laptop: 6], [22, 10]), ([phone: 10, laptop: 3], [21, 10, 30]),
      // Two values of one element; the place is that of the greater replica.
      ([phone: 10, laptop: 6], [21, -23, 10]), ([phone: 10, laptop: 8], [21, -23, 40, 10]),
    ]
    for (version, numbers) in readings {
      #expect(oracle.reading(of: 0, at: version) == numbers, "\(version)")
    }
  }

  @Test("an edit that can't have been is reported")
  func impossibleEdits() {
    var oracle = Oracle(rule: .list)
    #expect(
      oracle.record(edit(phone, 3, after: [:], [.insert([1, 2], at: 0)]))
        == "an edit made the events up to 3, not 4")
    for change in [
      ListChange.insert([3], at: 3), .replace(at: 2, with: 3), .move([2], before: 0),
      .move([0], before: 3), .remove(1..<3),
    ] {
      #expect(
        oracle.record(edit(laptop, 1, after: [phone: 4], [change]))
          == "an edit reaches beyond the list that its writer had seen: \(change)")
    }
  }

  @Test("without names of events, elements are there once, and as they were inserted")
  func lines() {
    var oracle = ListLineOracle()
    let edits = [
      edit(phone, 6, after: [:], serial: 1, [.insert([10, 20, 30], at: 0)]),
      // Under the same name, of somebody who had seen nothing.
      edit(phone, 4, after: [:], serial: 2, [.insert([40, 50], at: 0)]),
      edit(
        laptop, 3, after: [phone: 6], serial: 3, [.replace(at: 1, with: 21), .remove(0..<1)],
        read: [10, 20, 30]),
      edit(laptop, 6, after: [phone: 6], serial: 4, [.move([0], before: 2)], read: [21, 30]),
    ]
    for edit in edits { #expect(oracle.record(edit) == nil) }
    func problem(_ numbers: [Int64], _ required: [Int], _ possible: [Int]) -> String? {
      oracle.problem(of: numbers, required: Shadow(required), possible: Shadow(possible))
    }
    #expect(problem([10, 20, 30, 40, 50], [1, 2], [1, 2]) == nil)
    #expect(problem([40, 50, 21, 30], [1, 2, 3], [1, 2, 3]) == nil)
    #expect(problem([30, 21], [1, 3, 4], [1, 2, 3, 4]) == nil)
    #expect(problem([10, 20, 30], [1], [1, 2, 3]) == nil)
    #expect(
      problem([30, 21], [1, 3], [1, 3])
        == "tea 2 of edit 1 is behind what it was inserted before")
    #expect(problem([10, 20], [1], [1]) == "tea 3 of edit 1 is missing")
    #expect(problem([10, 20, 30, 20], [1], [1]) == "tea 2 of edit 1 is there twice")
    #expect(
      problem([20, 30], [1, 3], [1, 3])
        == "tea 2 of edit 1 is there, but was removed, replaced or lost")
    #expect(
      problem([10, 21, 30], [1, 3], [1, 3])
        == "tea 1 of edit 1 is there, but was removed, replaced or lost")
    #expect(
      problem([10, 20, 30, 40], [1], [1])
        == "tea 4 of edit 2 is there, but was removed, replaced or lost")
    #expect(problem([10, -31, 20], [1], [1]) == "tea 1 of edit 1 has values of other elements")
  }

  @Test("several values of one element are one row of numbers, and read as they were")
  func numbers() {
    let reading = ListReading(elements: [[17], [5, 0, 9], [0]])
    #expect(reading.numbers == [17, 0, -6, -10, 0])
    #expect(ListReading(numbers: reading.numbers) == reading)
    #expect(
      ReplicatedList<MVRegister<Int>>.words(of: reading.numbers)
        == "[plums 1, tea 0 | figs 0 | nails 0, tea 0]")
  }
}

@Suite("Random editors of lists")
struct RandomListEditorTests {
  private let phone = ReplicaID(1)

  @Test("insert, replace, move and remove, and make the events that they say")
  func variety() {
    var list = ReplicatedList<MVRegister<Int>>()
    var kinds: [String: Int] = [:]
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<300 {
      let number = EditNumber.marked(generator.next(), serial: nil)
      let stamp = HybridTimestamp(time: 0, replica: phone)
      var copy = list
      let (delta, changes) = list.change(number, among: 3, at: stamp)
      let (again, _) = copy.change(number, among: 3, at: stamp)
      #expect(delta.encoded() == again.encoded() && changes.count == 1)
      for change in changes[0].list ?? [] {
        switch change {
        case .insert(let values, _): kinds[values.count > 1 ? "inserts" : "insert", default: 0] += 1
        case .replace: kinds["replace", default: 0] += 1
        case .move(let sources, _):
          kinds[sources.count > 1 ? "moves" : "move", default: 0] += 1
          #expect(change.isIdle == delta.isEmpty || (changes[0].list?.count ?? 0) > 1)
        case .remove: kinds["remove", default: 0] += 1
        }
      }
    }
    for kind in ["insert", "inserts", "replace", "move", "moves", "remove"] {
      #expect(kinds[kind, default: 0] >= 10, "\(kinds)")
    }
    #expect(list.count > 20)
  }

  @Test("write values that nobody else writes where they are to be told apart")
  func distinct() {
    var list = ReplicatedList<MVRegister<Int>>()
    var seen: Set<Int64> = []
    var generator = SeededGenerator(seed: 10)
    for serial in 0..<200 {
      let number = EditNumber.marked(generator.next(), serial: serial)
      let stamp = HybridTimestamp(time: 0, replica: phone)
      for change in list.change(number, among: 5, at: stamp).changes.flatMap({ $0.list ?? [] }) {
        switch change {
        case .insert(let values, _):
          for value in values { #expect(seen.insert(value).inserted, "\(serial)") }
        case .replace(_, let value): #expect(seen.insert(value).inserted, "\(serial)")
        case .move, .remove: break
        }
      }
    }
    #expect(seen.count > 150)
  }
}
