import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Lists that no replica wrote: nothing traps, each element stands at one place, and all copies
/// read the same.
@Suite("Malformed lists")
struct ListMalformedTests {
  private typealias List = ReplicatedList<MVRegister<String>>
  private typealias Stamped = ReplicatedList<LWWRegister<Int>>

  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)
  private static let newcomer = ReplicaID(0x7777)

  /// What is wrong with a list: reads it in every way, and writes in it.
  private func problem<Value>(
    of list: ReplicatedList<Value>, _ insert: (inout Editor<Value>) -> Void
  ) -> String? {
    list._table.checkEveryInvariant()
    let ids = list.ids
    if Set(ids).count != ids.count { return "an element stands at two places" }
    if ids.count != list.count { return "\(ids.count) of \(list.count) elements" }
    for (index, id) in ids.enumerated() {
      if list.id(at: index) != id || list.index(of: id) != index { return "\(id) at \(index)" }
      if list[id: id] == nil { return "no value of \(id)" }
      _ = list[index]
    }
    if list.map({ _ in 0 }).count != ids.count { return "iterating gives others" }
    _ = ("\(list)", list.debugDescription, list.hashValue, list.contentDigest, list.items)
    guard let again = try? list.readBack(), again == list, again.ids == ids else {
      return "it decodes to another"
    }
    var written = list
    let id = written.insert(at: ids.count / 2, by: Self.newcomer, insert)
    if written.index(of: id) != ids.count / 2 { return "an insertion goes elsewhere" }
    if ids.count > 1, written.count == ids.count + 1 {
      written.move(from: 0, to: ids.count, by: Self.newcomer)
      if written.index(of: ids[0]) != ids.count { return "a move goes elsewhere" }
    }
    _ = (written.changes(since: list), written.edited(since: list))
    written.removeAll(by: Self.newcomer)
    if !written.isEmpty { return "something can't be removed: \(written.ids)" }
    return nil
  }

  private var samples: [List] {
    var one = List()
    one.append(contentsOf: ["a", "b", "c"], by: phone)
    var (left, right) = (one, one)
    left.move(from: 0, to: 2, by: laptop)
    left.replace(at: 0, with: "B", by: laptop)
    right.move(from: 0, to: 1, by: phone)
    right.remove(at: 2, by: phone)
    return [one, left, right, left.merging(right)]
  }

  @Test("changed bytes are refused, or give a list that can be read and written")
  func changedBytes() {
    var random = SeededGenerator(seed: 45)
    for list in samples {
      let bytes = list.encoded()
      var accepted = 0
      for place in 3..<bytes.count - 4 {
        for change in 0..<(isLongRun ? 64 : 3) {
          var mangled = bytes
          switch change {
          case 0: mangled[place] ^= 1
          case 1: mangled[place] &+= 1
          case 2: mangled[place] &-= 1
          case 3: mangled.remove(at: place)
          default: mangled[place] = UInt8.random(in: 0...255, using: &random)
          }
          mangled = sealed(mangled)
          guard let read = try? List(decoding: mangled, maximumMemoryBytes: 1 << 24) else {
            continue
          }
          accepted += 1
          if read.encoded() != mangled { Issue.record("it is encoded otherwise: \(mangled)") }
          if let problem = problem(of: read, { $0.set("new") }) {
            Issue.record("\(problem)\n\(mangled)")
          }
          let all = samples
          for peer in isLongRun ? all : [all[(place + change) % all.count]] {
            let merged = read.merging(peer)
            if let problem = problem(of: merged, { $0.set("new") }) {
              Issue.record("merged: \(problem)\n\(mangled)")
            }
          }
        }
      }
      #expect(accepted > 0)
    }
  }

  @Test("rows about places that no writer makes")
  func forgedRows() throws {
    let base = samples[0]
    let ids = base.ids
    let ghost = ListElementID(Dot(ReplicaID(9), 5))
    typealias Payload = ListRowPayload<String>
    let keys = [ids[0], ids[1], ids[2], ghost].map { ListRowKey<NoPayload>($0, nil) }
    for seed: UInt64 in 1...300 {
      var random = SeededGenerator(seed: seed)
      var copies = [base, base]
      for place in copies.indices {
        let replica = ReplicaID(UInt64(place) + 1)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let count = copies[place].count
          let index = Int.random(in: 0...count, using: &random)
          var key = keys[Int.random(in: 0..<4, using: &random)]
          switch Int.random(in: 0..<6, using: &random) {
          case 0, 1:
            // A row after whatever event was last: a place of another element, or no place.
            let payload: Payload = Bool.random(using: &random) ? .place : .removed
            copies[place]._table.write(
              Row(key: key, payload: payload), by: replica, killing: [])
          case 2:
            key.inner = Bool.random(using: &random) ? NoPayload() : nil
            copies[place]._table.write(
              Row(key: key, payload: .value("forged")), by: replica, killing: [])
          case 3:
            key.inner = NoPayload()
            copies[place]._table.write(Row(key: key, payload: .place), by: replica, killing: [])
          case 4 where index < count:
            copies[place].move(from: index, to: count - 1 - index, by: replica)
          default:
            copies[place].insert(at: index, by: replica) { $0.set("new") }
          }
        }
        if let problem = problem(of: copies[place], { $0.set("new") }) {
          Issue.record("seed \(seed): \(problem)")
        }
      }
      let merged = copies[0].merging(copies[1])
      let other = copies[1].merging(copies[0])
      #expect(merged.encoded() == other.encoded() && merged.ids == other.ids, "seed \(seed)")
      if let problem = problem(of: merged, { $0.set("new") }) {
        Issue.record("seed \(seed), merged: \(problem)")
      }
    }
  }

  @Test("registers without a write read as the first that has one")
  func withoutValues() throws {
    func stamp(_ milliseconds: UInt64) -> HybridTimestamp {
      HybridTimestamp(milliseconds: milliseconds, replica: phone)
    }
    var list = Stamped()
    list.append(contentsOf: [7, 8, 9], timestamp: stamp(1), by: phone)
    list._table.remove(list._table.dots().prefix(1), by: laptop)
    #expect(list.values == [8, 8, 9] && list.map(\.value) == [8, 8, 9] && list.count == 3)
    #expect(problem(of: list) { $0.set(5, at: stamp(2)) } == nil)
    let decoded = try list.readBack()
    #expect(decoded.values == [8, 8, 9])
    list._table.remove(list._table.dots(), by: laptop)
    #expect(list.isEmpty && list.values.isEmpty && list.ids.isEmpty && list.first == nil)
    #expect(list.items.isEmpty && "\(list)" == "[]")
    list.append(1, timestamp: stamp(3), by: phone)
    #expect(list.last?.value == 1)
  }

  @Test("a place row at the first event, and one after the last event that there can be")
  func borders() {
    var list = List()
    list._table.write(
      Row(key: ListRowKey(ListElementID(Dot(phone, 1)), nil), payload: .place), by: phone,
      killing: [])
    #expect(list.isEmpty)
    list.append("a", by: phone)
    #expect(list.values == ["a"])
    #expect(problem(of: list) { $0.set("new") } == nil)
  }

  @Test("the greatest counters there can be: writers go on, and what they write can be read")
  func farFuture() throws {
    let counterMax: UInt64 = 1 << 48 - 1
    for left in 0..<8 as Range<UInt64> {
      let lie = try List(
        decoding: forged(List.typeCode) { writer in
          writer.write(varint: 1)
          writer.write(head: phone, seen: counterMax - left)
          writer.write(runs: [])
        })
      var list = samples[3].merging(lie)
      var copy = list
      var expected = list.values
      let many = ["d", "e", "f"]
      let delta = list.edit(by: phone) {
        $0.insert(at: 0) { $0.set("first") }
        $0.insert(contentsOf: many, at: 1)
        $0.insert("g", at: 2)
        $0.move(fromOffsets: [0, 2], toOffset: 4)
      }
      expected = ["d", "e", "first", "g", "f"] + expected
      #expect(list.values == expected, "\(left) counters left")
      try copy.apply(decoding: delta.encoded())
      #expect(copy == list && copy.values == expected)
      #expect(problem(of: list) { $0.set("new") } == nil)
      list.set(to: ["f", "h", "d", "i"], by: phone)
      list.remove(at: 1, by: phone)
      #expect(list.values == ["f", "d", "i"] && problem(of: list) { $0.set("new") } == nil)
      var sets = ReplicatedList<ORSet<Int>>().merging(
        try ReplicatedList<ORSet<Int>>(
          decoding: forged(ReplicatedList<ORSet<Int>>.typeCode) { writer in
            writer.write(varint: 1)
            writer.write(head: phone, seen: counterMax - left)
            writer.write(runs: [])
          }))
      sets.append(by: phone) { _ in }
      sets.append(by: phone) { for element in 0..<5 { $0.insert(element) } }
      #expect(sets.map { $0.sorted() } == [[], [0, 1, 2, 3, 4]])
      #expect(problem(of: sets) { $0.insert(1) } == nil)
    }
  }
}
