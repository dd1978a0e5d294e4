import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The differences between two states of a list, and lists made equal to arrays.
@Suite("Changes of lists")
struct ListChangesTests {
  private typealias List = ReplicatedList<MVRegister<String>>

  private let phone = ReplicaID(1)

  /// A list and a later state of it, which several have changed.
  private func states(_ seed: UInt64) -> (earlier: List, later: List) {
    var random = SeededGenerator(seed: seed)
    var list = List()
    list.append(contentsOf: (0..<Int.random(in: 0...30, using: &random)).map { "\($0)" }, by: phone)
    var copies = [list, list]
    for place in copies.indices {
      let replica = ReplicaID(UInt64(place) + 1)
      for number in 0..<Int.random(in: 0...8, using: &random) {
        let count = copies[place].count
        let index = Int.random(in: 0...count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: copies[place].insert("\(place).\(number)", at: index, by: replica)
        case 1 where index < count: copies[place].remove(at: index, by: replica)
        case 2 where index < count:
          copies[place].move(from: index, to: count - 1 - index, by: replica)
        case 3 where index < count: copies[place].replace(at: index, with: "!", by: replica)
        default: break
        }
      }
    }
    return (copies[0], copies[0].merging(copies[1]))
  }

  @Test("applied to the earlier identities, they give the later ones")
  func applied() throws {
    for seed: UInt64 in 1...200 {
      let (earlier, later) = states(seed)
      for (old, new) in [(earlier, later), (later, earlier)] {
        let changes = new.changes(since: old)
        #expect(try #require(old.ids.applying(changes)) == new.ids, "seed \(seed)")
        var shown = old.ids
        for change in changes {
          switch change {
          case .remove(let offset, let id, _): #expect(shown.remove(at: offset) == id)
          case .insert(let offset, let id, _): shown.insert(id, at: offset)
          }
        }
        #expect(shown == new.ids)
        let stays = Set(old.ids).intersection(new.ids)
        for change in changes {
          guard case .insert(_, let id, let source) = change else { continue }
          #expect((source != nil) == stays.contains(id), "seed \(seed)")
          if let source { #expect(old.ids[source] == id) }
        }
        let edited = new.edited(since: old)
        let differing = new.ids.filter { stays.contains($0) && old[id: $0] != new[id: $0] }
        let written = differing.filter { old[id: $0]?.values != new[id: $0]?.values }
        #expect(Set(edited).isSuperset(of: written) && edited.allSatisfy(stays.contains))
      }
      #expect(later.changes(since: later).isEmpty && later.edited(since: later).isEmpty)
    }
  }

  @Test("a move is one removal and one insertion that name each other")
  func moves() {
    var list = List()
    let ids = list.append(contentsOf: ["a", "b", "c"], by: phone)
    let shown = list
    list.move(from: 0, to: 2, by: phone)
    let changes = Array(list.changes(since: shown))
    #expect(
      changes == [
        .remove(offset: 0, element: ids[0], associatedWith: 2),
        .insert(offset: 2, element: ids[0], associatedWith: 0),
      ])
    list.replace(at: 0, with: "B", by: phone)
    #expect(list.edited(since: shown) == [ids[1]])
  }

  @Test("a list that is set to an array is equal to it, and equal values stay the same elements")
  func set() {
    for seed: UInt64 in 1...200 {
      var random = SeededGenerator(seed: seed)
      var (list, later) = states(seed)
      for _ in 0..<3 {
        let (ids, known) = (list.ids, list.values)
        var values = list.values.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
        if Bool.random(using: &random) { values.shuffle(using: &random) }
        for number in 0..<Int.random(in: 0...4, using: &random) {
          values.insert("\(number % 3)", at: Int.random(in: 0...values.count, using: &random))
        }
        list.set(to: values, by: phone)
        #expect(list.values == values, "seed \(seed)")
        for (index, value) in values.enumerated() {
          let places = known.indices.filter { known[$0] == value }
          guard places.count == 1, values.count(where: { $0 == value }) == 1 else { continue }
          #expect(list.id(at: index) == ids[places[0]], "seed \(seed)")
        }
        let version = list.version
        list.set(to: values, by: phone)
        #expect(list.version == version)
      }
      later.merge(list)
      #expect(later == list.merging(later))
    }
  }

  @Test("setting a list moves and writes as little as possible")
  func fewChanges() {
    var list = List()
    let ids = list.append(contentsOf: ["a", "b", "c", "d", "e"], by: phone)
    list.set(to: ["b", "c", "d", "e", "a"], by: phone)
    #expect(list.ids == [ids[1], ids[2], ids[3], ids[4], ids[0]])
    list.set(to: ["b", "C", "d", "a"], by: phone)
    #expect(list.ids == [ids[1], ids[2], ids[3], ids[0]])
    #expect(list.values == ["b", "C", "d", "a"])
    list.set(to: ["x", "b", "C", "y", "d", "a"], by: phone)
    #expect([1, 2, 4, 5].map { list.ids[$0] } == [ids[1], ids[2], ids[3], ids[0]])
    list.set(to: [], by: phone)
    #expect(list.isEmpty)
  }

  @Test("an array with another spelling of the same text is written")
  func spellings() {
    var list = List()
    let (short, long) = ("\u{E9}", "e\u{301}")
    list.append(contentsOf: [short, "b", long], by: phone)
    let ids = list.ids
    list.set(to: [long, "b", long], by: phone)
    #expect(list.values.map { $0.unicodeScalars.count } == [2, 1, 2] && list.ids == ids)
    list.set(to: ["b", short, long], by: phone)
    #expect(list.values.map { $0.unicodeScalars.count } == [1, 1, 2])
    let version = list.version
    list.set(to: ["b", short, long], by: phone)
    #expect(list.version == version)
  }

  @Test("a number that isn't equal to itself is written once")
  func notANumber() {
    var list = ReplicatedList<MVRegister<Double>>()
    list.set(to: [.nan, 1], by: phone)
    let version = list.version
    list.set(to: [.nan, 1], by: phone)
    #expect(list.version == version && list.values[0].isNaN)
  }
}
