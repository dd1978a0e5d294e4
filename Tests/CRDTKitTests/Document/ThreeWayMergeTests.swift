import CRDTKit
import CRDTTestSupport
import Testing

@Suite("Merging three versions")
struct ThreeWayMergeTests {
  typealias Value = Document.Value
  typealias Conflict = Document.ThreeWayConflict

  private let early = HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))
  private let late = HybridTimestamp(milliseconds: 2, replica: ReplicaID(2))

  /// A merge of one field named `x`.
  private func merged(
    _ base: Value?, _ ours: Value?, _ theirs: Value?, _ rule: Schema.FieldRule = .lastWriterWins,
    deletion: Schema.DeletionRule? = nil,
    stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
  ) -> (value: Value?, isClean: Bool) {
    func object(_ value: Value?) -> Value { .object(value.map { ["x": $0] } ?? [:]) }
    let merge = ThreeWayMerge(
      base: object(base), ours: object(ours), theirs: object(theirs),
      rules: Schema.Collection(fields: ["x": rule]), deletion: deletion, stamps: stamps)
    guard case .object(let fields) = merge.value else { return (nil, false) }
    if !merge.isClean {
      #expect(
        merge.conflicts == [Conflict(path: "x", base: base, ours: ours, theirs: theirs)])
      #expect(fields["x"] == ours)
    }
    return (fields["x"], merge.isClean)
  }

  @Test("takes what either side changed, name by name")
  func disjoint() {
    let merge = ThreeWayMerge(
      base: ["a": 1, "b": ["c": 2, "d": 3, "e": 4], "f": 5],
      ours: ["a": 10, "b": ["c": 2, "d": 30, "e": 4, "g": 6], "f": 5],
      theirs: ["a": 1, "b": ["c": 20, "d": 3, "h": 7]])
    #expect(merge.value == ["a": 10, "b": ["c": 20, "d": 30, "g": 6, "h": 7]])
    #expect(merge.conflicts == [])
  }

  @Test("takes equal changes once, removals too")
  func equalChanges() {
    let merge = ThreeWayMerge(
      base: ["a": 1, "b": 2], ours: ["a": 3, "c": 4], theirs: ["a": 3, "c": 4])
    #expect(merge.value == ["a": 3, "c": 4])
    #expect(merge.isClean)
  }

  @Test("shows ours where both changed one value, and reports it in the order of paths")
  func conflicts() {
    let merge = ThreeWayMerge(
      base: ["z": 1, "b": ["c.d": [1, 2]], "k": 0],
      ours: ["z": 2, "b": ["c.d": [1, 2, 3]], "k": 0],
      theirs: ["z": 3, "b": ["c.d": [2]], "k": 9])
    #expect(merge.value == ["z": 2, "b": ["c.d": [1, 2, 3]], "k": 9])
    #expect(
      merge.conflicts == [
        Conflict(path: ["b", "c.d"], base: [1, 2], ours: [1, 2, 3], theirs: [2]),
        Conflict(path: "z", base: 1, ours: 2, theirs: 3),
      ])
    #expect(merge.conflicts.map(\.path.description) == ["b.c\\.d", "z"])
  }

  @Test("tells what is absent from null")
  func absence() {
    #expect(ThreeWayMerge(base: nil, ours: nil, theirs: nil).value == Optional.none)
    #expect(ThreeWayMerge(base: nil, ours: 1, theirs: nil).value == 1)
    #expect(ThreeWayMerge(base: 1, ours: nil, theirs: 1).value == Optional.none)
    #expect(ThreeWayMerge(base: 1, ours: Value.null, theirs: 1).value == Optional(Value.null))
    let added = ThreeWayMerge(base: nil, ours: ["a": 1], theirs: ["b": 2])
    #expect(added.value == ["a": 1, "b": 2] && added.isClean)
    let both = ThreeWayMerge(base: nil, ours: 1, theirs: Value.null)
    #expect(both.value == 1)
    #expect(both.conflicts == [Conflict(path: [], base: nil, ours: 1, theirs: Value.null)])
    #expect(merged(1, nil, .null) == (nil, false))
  }

  @Test("makes a removal against a change a conflict, unless a deletion rule decides")
  func removals() {
    for (ours, theirs) in [(nil, 2), (2, nil)] as [(Value?, Value?)] {
      #expect(merged(1, ours, theirs) == (ours, false))
      #expect(merged(1, ours, theirs, deletion: .updateWins) == (2, true))
      #expect(merged(1, ours, theirs, deletion: .deleteWins) == (nil, true))
      #expect(merged(1, ours, theirs, deletion: .lastWriterWins) == (ours, false))
      let stamped = merged(1, ours, theirs, deletion: .lastWriterWins, stamps: (early, late))
      #expect(stamped == (theirs, true))
      let tied = merged(1, ours, theirs, deletion: .lastWriterWins, stamps: (late, late))
      #expect(tied == (2, true))
      // The rules' own deletion rule has a default, so it isn't taken.
      #expect(merged(1, ours, theirs, stamps: (early, late)) == (ours, false))
    }
  }

  @Test("removes what one side removed and the other only removed from")
  func reductions() {
    let base: Value = ["a": 1, "b": ["c": 2, "d": 3]]
    for part in [["a": 1], ["a": 1, "b": ["d": 3]], [:]] as [Value] {
      #expect(merged(base, nil, part) == (nil, true))
      #expect(merged(base, part, nil, deletion: .updateWins) == (nil, true))
    }
    #expect(merged(base, nil, ["a": 1, "b": ["c": 3]]) == (nil, false))
    #expect(merged(base, ["e": 1], nil) == (["e": 1], false))
  }

  @Test("makes an object against another value a conflict, whatever the rule and stamps")
  func structures() {
    let rules: [Schema.FieldRule] = [.lastWriterWins, .max, .min, .counter, .set, .manual]
    for rule in rules {
      let stamps = (ours: early, theirs: late)
      #expect(merged(["a": 1], 5, ["a": 2], rule, stamps: stamps) == (5, false))
      #expect(merged(["a": 1], ["a": 2], [5], rule, stamps: stamps) == (["a": 2], false))
      #expect(merged(["a": 1], 5, ["a": 1], rule, stamps: stamps) == (5, true))
    }
    // Both made an object of it: what one has and the other hasn't is added.
    #expect(merged(1, ["a": 1], ["b": 2]) == (["a": 1, "b": 2], true))
  }

  @Test("lets the greater or the lesser win")
  func extremes() {
    #expect(merged(1, 5, 3, .max) == (5, true))
    #expect(merged(1, 3, 5, .max) == (5, true))
    #expect(merged(9, 5, 3, .min) == (3, true))
    #expect(merged(9, "b", "a", .min) == ("a", true))
    #expect(merged(nil, 2, 2.5, .max) == (2.5, true))
    // One side alone may lower it.
    #expect(merged(9, 5, 9, .max) == (5, true))
  }

  @Test("adds up what both sides counted")
  func counters() {
    #expect(merged(10, 13, 8, .counter) == (11, true))
    #expect(merged(nil, 3, 4, .counter) == (7, true))
    #expect(merged(.null, 3, 4, .counter) == (7, true))
    #expect(merged(10, 11, 11, .counter) == (12, true))
    #expect(merged(10, 10, 11, .counter) == (11, true))
    #expect(merged(0, .int(.max), 1, .counter) == (.int(.max), false))
    #expect(merged(0, .int(.min), -1, .counter) == (.int(.min), false))
    // More than an Int64 on the way is no overflow.
    #expect(merged(.int(.max), .int(.max - 1), .int(.min + 1), .counter) == (.int(.min), true))
    #expect(merged(.int(.min), .int(.max), .int(.min + 1), .counter) == (.int(.max), false))
    #expect(merged(.int(.max), .int(.min), 0, .counter) == (.int(.min), false))
    #expect(merged(.int(.max), .int(.max - 1), 5, .counter) == (4, true))
    #expect(merged(10, 11, 12.5, .counter) == (11, false))
    #expect(merged("ten", 11, 12, .counter) == (11, false))
    #expect(merged("ten", "eleven", "eleven", .counter) == ("eleven", true))
    #expect(merged(10, nil, 11, .counter) == (nil, false))
  }

  @Test("joins sets: ours in order, then what they added, without what either removed")
  func sets() {
    #expect(merged([1, 2, 3], [4, 3, 1], [5, 1, 2, 6], .set) == ([4, 1, 5, 6], true))
    #expect(merged(nil, [1, 2], [2, 3], .set) == ([1, 2, 3], true))
    #expect(merged([1], [1, 1, 2, 2], [1, 3, 3], .set) == ([1, 2, 3], true))
    #expect(merged([1, 2], [], [1, 3], .set) == ([3], true))
    #expect(merged([["a": 1]], [["a": 1], ["b": 2]], [], .set) == ([["b": 2]], true))
    // Where one side changed nothing the other is taken as it is.
    #expect(merged([1, 2], [2, 2, 1], [1, 2], .set) == ([2, 2, 1], true))
    #expect(merged([1], [1, 2], "all", .set) == ([1, 2], false))
    #expect(merged("none", [1], [2], .set) == ([1], false))
  }

  @Test("asks the stamps where there are some")
  func stamped() {
    let stamps = (ours: early, theirs: late)
    #expect(merged(1, 2, 3) == (2, false))
    #expect(merged(1, 2, 3, stamps: stamps) == (3, true))
    #expect(merged(1, 2, 3, .firstWriterWins) == (2, false))
    #expect(merged(1, 2, 3, .firstWriterWins, stamps: stamps) == (2, true))
    #expect(merged(1, 2, 3, .preferring([ReplicaID(1)])) == (2, false))
    #expect(merged(1, 2, 3, .preferring([ReplicaID(1)]), stamps: stamps) == (2, true))
    #expect(merged(1, 2, 3, .preferringOthers(than: [ReplicaID(1)]), stamps: stamps) == (3, true))
    #expect(merged(1, 2, 3, .manual, stamps: stamps) == (2, false))
    // Equal stamps fall to the value, whichever side has it.
    #expect(merged(1, 2, 3, stamps: (early, early)) == (3, true))
    #expect(merged(1, 3, 2, stamps: (early, early)) == (3, true))
  }

  @Test("looks rules up by the whole path, stars included")
  func paths() {
    let rules = Schema.Collection(
      fields: ["lines.*.count": .counter, "lines.x.count": .max, ["a.b"]: .min])
    let merge = ThreeWayMerge(
      base: ["lines": ["x": ["count": 1], "y": ["count": 1]], "a.b": 9, "count": 1],
      ours: ["lines": ["x": ["count": 3], "y": ["count": 3]], "a.b": 5, "count": 2],
      theirs: ["lines": ["x": ["count": 4], "y": ["count": 4]], "a.b": 4, "count": 3],
      rules: rules)
    #expect(
      merge.value == ["lines": ["x": ["count": 4], "y": ["count": 6]], "a.b": 4, "count": 2])
    #expect(merge.conflicts == [Conflict(path: "count", base: 1, ours: 2, theirs: 3)])
  }

  @Test("takes names and texts in two spellings for one, and keeps ours")
  func spellings() {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    let merge = ThreeWayMerge(
      base: .object([composed: 1]), ours: .object([decomposed: 1]),
      theirs: .object([composed: 2]))
    #expect(merge.value == .object([composed: 2]) && merge.isClean)
    guard case .object(let fields) = merge.value else { return }
    #expect(fields.keys.first.map { Array($0.utf8) } == Array(decomposed.utf8))
  }

  @Test("merges objects nested to the limit, and takes deeper ones as one value")
  func depth() {
    func nested(_ levels: Int, _ inner: Value) -> Value {
      (0..<levels).reduce(inner) { value, _ in ["a": value] }
    }
    let base: Value = ["b": 1, "c": 1]
    for levels in [0, 1, 127, 128, 129, 1_000] {
      let merge = ThreeWayMerge(
        base: nested(levels, base), ours: nested(levels, ["b": 2, "c": 1]),
        theirs: nested(levels, ["b": 1, "c": 2]))
      #expect(merge.isClean == (levels < ThreeWayMerge<Document.Value>.maximumDepth), "\(levels)")
      let expected: Value = merge.isClean ? ["b": 2, "c": 2] : ["b": 2, "c": 1]
      #expect(merge.value == nested(levels, expected), "\(levels)")
      #expect(
        merge.conflicts.allSatisfy {
          $0.path.names.count == ThreeWayMerge<Document.Value>.maximumDepth
        })
      // A removal against what only lacks something looks into it as far.
      let removal = ThreeWayMerge(
        base: ["x": nested(levels, base)], ours: [:], theirs: ["x": nested(levels, ["b": 1])])
      #expect(
        removal.isClean == (levels < ThreeWayMerge<Document.Value>.maximumDepth - 1), "\(levels)")
    }
  }
}
