import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A list beside a plain array, and what its elements hold.
@Suite("Lists")
struct ListTests {
  private typealias List = ReplicatedList<MVRegister<String>>

  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  @Test("does what an array does")
  func array() {
    for seed: UInt64 in 1...40 {
      var random = SeededGenerator(seed: seed)
      var (list, array) = (List(), [String]())
      for number in 0..<60 {
        let index = Int.random(in: 0...array.count, using: &random)
        let other = Int.random(in: 0...array.count, using: &random)
        let range = min(index, other)..<max(index, other)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
          list.insert("\(number)", at: index, by: phone)
          array.insert("\(number)", at: index)
        case 3:
          list.append(contentsOf: ["\(number)a", "\(number)b"], by: phone)
          array += ["\(number)a", "\(number)b"]
        case 4 where !array.isEmpty:
          let (from, to) = (index % array.count, other % array.count)
          list.move(from: from, to: to, by: phone)
          array.insert(array.remove(at: from), at: to)
        case 5:
          let offsets = array.indices.filter { _ in Bool.random(using: &random) }
          list.move(fromOffsets: offsets, toOffset: other, by: phone)
          array = Self.moving(offsets, toOffset: other, in: array)
        case 6 where range.count < 5:
          list.removeSubrange(range, by: phone)
          array.removeSubrange(range)
        case 7 where !array.isEmpty:
          list.replace(at: index % array.count, with: "\(number)!", by: phone)
          array[index % array.count] = "\(number)!"
        default: break
        }
        #expect(list.values == array, "seed \(seed)")
      }
      list.remove(atOffsets: array.indices.filter { $0 % 2 == 0 }, by: phone)
      #expect(list.values == array.indices.filter { $0 % 2 == 1 }.map { array[$0] })
      list.removeAll(by: phone)
      #expect(list.isEmpty && list.values.isEmpty && list.ids.isEmpty && list.first == nil)
    }
  }

  /// What `move(fromOffsets:toOffset:)` of SwiftUI does to an array.
  private static func moving(
    _ offsets: [Int], toOffset destination: Int, in array: [String]
  ) -> [String] {
    let before = array[..<destination].indices.filter { !offsets.contains($0) }
    let after = array[destination...].indices.filter { !offsets.contains($0) }
    return (before + offsets + after).map { array[$0] }
  }

  @Test("is a random-access collection")
  func collection() {
    var list = List()
    list.append(contentsOf: (0..<40).map { "\($0)" }, by: phone)
    list.move(from: 3, to: 30, by: phone)
    #expect(list.count == 40 && list.indices == 0..<40)
    #expect(list.index(0, offsetBy: 7) == 7 && list.distance(from: 3, to: 9) == 6)
    #expect(list.reversed().map(\.value) == list.map(\.value).reversed())
    #expect(list[10..<13].map(\.value) == ["11", "12", "13"])
    #expect(list.lazy.compactMap(\.value).count == 40)
    #expect(list.items.map(\.id) == list.ids)
    #expect(list.items.map(\.value.value) == list.map(\.value))
    #expect(list.items.first { $0.value.value == "3" }.map { list.index(of: $0.id) } == 30)
    #expect(list.prefix(2).map(\.value) == ["0", "1"])
    #expect("\(List())" == "[]" && list.description.hasPrefix("[[\"0\"], [\"1\"]"))
  }

  @Test("an element keeps its identity when it is moved, written and edited")
  func identity() throws {
    var list = List()
    let ids = list.append(contentsOf: ["a", "b", "c"], by: phone)
    list.move(from: 0, to: 2, by: laptop)
    list.move(from: 2, to: 1, by: phone)
    list.replace(at: 1, with: "A", by: laptop)
    #expect(list.ids == [ids[1], ids[0], ids[2]])
    #expect(list[id: ids[0]]?.value == "A" && list.index(of: ids[0]) == 1)
    let wasThere = list.remove(id: ids[0], by: phone)
    let isThere = list.remove(id: ids[0], by: phone)
    #expect(wasThere && !isThere && !list.contains(id: ids[0]))
    #expect(list.index(of: ids[0]) == nil && list[id: ids[0]] == nil)
    let update: Void? = list.update(id: ids[0], by: phone) { $0.set("ghost") }
    #expect(update == nil)
    #expect(list.values == ["b", "c"])
    var writer = ByteWriter()
    ids[0].encode(to: &writer)
    let bytes = writer.finish()
    #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4])
    var reader = ByteReader(bytes)
    #expect(try ListElementID(from: &reader) == ids[0])
    var wrong = ByteReader([UInt8](repeating: 0, count: 16))
    #expect(throws: DecodingFailure.self) { try ListElementID(from: &wrong) }
    #expect(ids[0] < ids[1] && ids[0].description == "0000000000000001:4")
  }

  @Test("elements are values of any type, in maps of maps too")
  func valuesOfAnyType() throws {
    var counters = ReplicatedList<PNCounter>()
    let count = try counters.append(by: phone) { try $0.increment(3) }
    counters.insert(at: 0, by: phone) { _ in }
    var copy = counters
    try counters.update(id: count, by: phone) { try $0.increment(1) }
    copy.move(from: 1, to: 0, by: laptop)
    try copy.update(at: 0, by: laptop) { try $0.increment(10) }
    counters.merge(copy)
    #expect(counters.map(\.value) == [14, 0])

    var tasks = ReplicatedList<MergeMap<String, MergeMap<String, ORSet<String>>>>()
    tasks.append(by: phone) { $0.update("tags") { $0.update("red") { $0.insert("a") } } }
    tasks.append(by: phone) { $0.update("tags") { $0.update("red") { $0.insert("b") } } }
    var other = tasks
    tasks.update(at: 0, by: phone) { $0.update("tags") { $0.update("red") { $0.insert("c") } } }
    other.update(at: 0, by: laptop) { $0.update("tags") { $0.removeValue(forKey: "red") } }
    other.move(from: 0, to: 1, by: laptop)
    tasks.merge(other)
    #expect(tasks[0]["tags"]?["red"]?.sorted() == ["b"])
    #expect(tasks[1]["tags"]?["red"]?.sorted() == ["c"])
    #expect(try tasks.readBack() == tasks)

    var flags = ReplicatedList<EWFlag>()
    flags.append(by: phone) { $0.enable() }
    flags.append(by: phone) { _ in }
    #expect(flags.map(\.isEnabled) == [true, false])
    #expect(tasks[0].version == tasks.version && flags[1].version == flags.version)
  }

  @Test("registers of the last write take timestamps")
  func lastWrites() {
    func stamp(_ milliseconds: UInt64, _ replica: ReplicaID) -> HybridTimestamp {
      HybridTimestamp(milliseconds: milliseconds, replica: replica)
    }
    var list = ReplicatedList<LWWRegister<String>>()
    list.append(contentsOf: ["b", "c"], timestamp: stamp(1, phone), by: phone)
    list.insert("a", at: 0, timestamp: stamp(2, phone), by: phone)
    list.append("d", timestamp: stamp(2, phone), by: phone)
    var copy = list
    list.replace(at: 0, with: "A", timestamp: stamp(4, phone), by: phone)
    copy.replace(at: 0, with: "α", timestamp: stamp(3, laptop), by: laptop)
    copy.move(from: 0, to: 3, by: laptop)
    list.merge(copy)
    #expect(list.values == ["b", "c", "d", "A"] && list[3].value == "A")
    let isWritten = list.replace(at: 0, with: "old", timestamp: stamp(0, laptop), by: laptop)
    #expect(!isWritten)
    list.set(to: ["A", "b", "e"], timestamp: stamp(9, phone), by: phone)
    #expect(list.values == ["A", "b", "e"])
    list.edit(by: phone) {
      $0.insert("x", at: 1, timestamp: stamp(9, phone))
      $0.append("y", timestamp: stamp(9, phone))
      $0.append(contentsOf: ["z"], timestamp: stamp(9, phone))
      $0.replace(at: 0, with: "B", timestamp: stamp(10, phone))
      $0.set(to: ["B", "x", "z"], timestamp: stamp(11, phone))
    }
    #expect(list.values == ["B", "x", "z"])
  }

  @Test("an edit makes one delta")
  func edits() throws {
    var list = List()
    list.append(contentsOf: ["a", "b", "c"], by: phone)
    var copy = list
    let delta = list.edit(by: phone) {
      $0.append("d")
      let id = $0.id(at: 1)
      $0.move(from: 1, to: 3)
      #expect($0.index(of: id) == 3)
      $0.remove(at: 0)
      $0.update(at: 0) { $0.set("C") }
      $0.insert("e", at: 0)
      $0.remove(atOffsets: [1])
      $0.removeSubrange(0..<0)
      $0.move(fromOffsets: [0, 1], toOffset: 3)
      $0.replace(at: 0, with: "B")
      $0.update(id: id) { $0.set("b!") }
      #expect($0.index(of: id) == 0)
    }
    #expect(list.values == ["b!", "e", "d"])
    try copy.apply(decoding: delta.encoded())
    let isNew = try copy.apply(delta)
    #expect(copy == list && !isNew)
    let nothing = list.edit(by: phone) {
      $0.move(from: 1, to: 1)
      $0.move(fromOffsets: [0, 1], toOffset: 1)
      $0.move(fromOffsets: [], toOffset: 0)
      $0.remove(atOffsets: [])
      $0.set(to: ["b!", "e", "d"])
    }
    #expect(nothing.isEmpty)
    list.edit(by: phone) { $0.removeAll() }
    #expect(list.isEmpty)
  }

  @Test("an insertion whose body throws leaves no element")
  func thrownInsertion() {
    var list = ReplicatedList<GCounter>()
    list.append(by: phone) { _ in }
    #expect(throws: CounterOverflow.self) {
      try list.insert(at: 0, by: phone) {
        try $0.increment(.max)
        try $0.increment(1)
      }
    }
    #expect(list.map(\.value) == [0])
  }

  @Test("copies read and change apart")
  func copies() {
    var list = List()
    list.append(contentsOf: (0..<100).map { "\($0)" }, by: phone)
    let shown = list
    #expect(shown.count == 100)
    var copies = [list, list, list]
    for place in copies.indices {
      let replica = ReplicaID(UInt64(place) + 5)
      copies[place].move(from: place, to: 99, by: replica)
      copies[place].insert("new", at: 50, by: replica)
      #expect(copies[place].count == 101)
    }
    #expect(shown.values == (0..<100).map { "\($0)" })
    for place in copies.indices { #expect(copies[place].values[100] == "\(place)") }
  }
}
