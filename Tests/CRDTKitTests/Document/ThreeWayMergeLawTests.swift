import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What holds for all values: on random trees, which have few names and few
/// values, so that the sides often meet.
@Suite("The laws of merging three versions")
struct ThreeWayMergeLawTests {
  typealias Value = Document.Value

  private static let seeds: Range<UInt64> = 0..<1_500

  /// Three versions, of which two were edited from the first.
  private struct Case: CustomStringConvertible {
    var seed: UInt64
    var base: Value
    var ours: Value
    var theirs: Value
    var rules: Schema.Collection

    var description: String {
      "seed \(seed)\nbase \(base)\nours \(ours)\ntheirs \(theirs)\nrules \(rules.fields)"
    }

    init(seed: UInt64, rules candidates: [Schema.FieldRule]) {
      var random = SeededGenerator(seed: seed)
      self.seed = seed
      base = ThreeWayMergeLawTests.object(2, &random)
      ours = ThreeWayMergeLawTests.edited(base, 2, &random)
      theirs = ThreeWayMergeLawTests.edited(base, 2, &random)
      var fields: [FieldPath: Schema.FieldRule] = [:]
      for path in ["a", "b", "*.a", "*.*", "c.b"] as [FieldPath] where !candidates.isEmpty {
        if Bool.random(using: &random) { fields[path] = candidates.randomElement(using: &random) }
      }
      rules = Schema.Collection(fields: fields)
    }
  }

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
    case 0: .null
    case 1, 2: .int(Int64.random(in: 0...3, using: &random))
    case 3: .double([0, -0.0, 1, .nan, .infinity].randomElement(using: &random) ?? 0)
    case 4: .string(["", "caf\u{E9}", "cafe\u{301}"].randomElement(using: &random) ?? "")
    case 5: .int([.max, .min].randomElement(using: &random) ?? 0)
    case 6: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(0, &random) })
    default: object(depth - 1, &random)
    }
  }

  private static func object(_ depth: Int, _ random: inout SeededGenerator) -> Value {
    var fields: [String: Value] = [:]
    for name in ["a", "b", "c", "caf\u{E9}"] where Int.random(in: 0..<3, using: &random) > 0 {
      fields[name] = value(depth, &random)
    }
    return .object(fields)
  }

  private static func edited(
    _ value: Value, _ depth: Int, _ random: inout SeededGenerator
  ) -> Value {
    guard case .object(var fields) = value else { return self.value(depth, &random) }
    for name in ["a", "b", "c", "d", "cafe\u{301}"]
    where Int.random(in: 0..<3, using: &random) == 0 {
      switch (fields[name], Int.random(in: 0..<4, using: &random)) {
      case (let old?, 0...2): fields[name] = edited(old, depth - 1, &random)
      case (_?, _): fields[name] = nil
      case (nil, _): fields[name] = self.value(max(depth - 1, 0), &random)
      }
    }
    return .object(fields)
  }

  private static let all: [Schema.FieldRule] = [
    .max, .min, .counter, .set, .manual, .lastWriterWins,
  ]

  @Test("an unchanged side leaves the other as it is, without a conflict")
  func unchangedSides() {
    for seed in Self.seeds {
      let sample = Case(seed: seed, rules: Self.all)
      let (base, ours) = (sample.base, sample.ours)
      let left = ThreeWayMerge(base: base, ours: ours, theirs: base, rules: sample.rules)
      let right = ThreeWayMerge(base: base, ours: base, theirs: ours, rules: sample.rules)
      guard left.value == ours, right.value == ours, left.isClean, right.isClean else {
        Issue.record("\(sample)\ngave \(left) and \(right)")
        return
      }
    }
  }

  @Test("equal changes give what both have; counters alone count both")
  func equalSides() {
    for seed in Self.seeds {
      let sample = Case(seed: seed, rules: Self.all.filter { $0 != .counter })
      let merge = ThreeWayMerge(
        base: sample.base, ours: sample.ours, theirs: sample.ours, rules: sample.rules)
      guard merge.value == sample.ours, merge.isClean else {
        Issue.record("\(sample)\ngave \(merge)")
        return
      }
    }
  }

  @Test("merging the outcome again changes nothing")
  func idempotence() {
    for seed in Self.seeds {
      let sample = Case(seed: seed, rules: Self.all)
      let merge = ThreeWayMerge(
        base: sample.base, ours: sample.ours, theirs: sample.theirs, rules: sample.rules)
      let again = ThreeWayMerge(
        base: sample.theirs, ours: merge.value, theirs: sample.theirs, rules: sample.rules)
      guard again.value == merge.value, again.isClean else {
        Issue.record("\(sample)\ngave \(merge), then \(again)")
        return
      }
    }
  }

  @Test("exchanging the sides exchanges the conflicts' sides, and nothing else")
  func symmetry() {
    let stamps = (1...2).map { HybridTimestamp(milliseconds: $0, replica: ReplicaID($0)) }
    var counts = (clean: 0, conflicting: 0)
    for seed in Self.seeds {
      // The order of a set's elements is the one thing that depends on the side.
      let sample = Case(seed: seed, rules: Self.all.filter { $0 != .set })
      let pair = seed % 2 == 0 ? (ours: stamps[0], theirs: stamps[1]) : nil
      let rule: Schema.DeletionRule? = seed % 3 == 0 ? .lastWriterWins : nil
      let merge = ThreeWayMerge(
        base: sample.base, ours: sample.ours, theirs: sample.theirs, rules: sample.rules,
        deletion: rule, stamps: pair)
      let swapped = ThreeWayMerge(
        base: sample.base, ours: sample.theirs, theirs: sample.ours, rules: sample.rules,
        deletion: rule, stamps: pair.map { (ours: $0.theirs, theirs: $0.ours) })
      let conflicts = swapped.conflicts.map {
        Document.ThreeWayConflict(path: $0.path, base: $0.base, ours: $0.theirs, theirs: $0.ours)
      }
      let shown = merge.conflicts.reduce(swapped.value ?? .null) {
        Self.with($1.ours, at: $1.path.names[...], in: $0)
      }
      guard conflicts == merge.conflicts, shown == merge.value else {
        Issue.record("\(sample)\ngave \(merge), exchanged \(swapped)")
        return
      }
      if merge.isClean { counts.clean += 1 } else { counts.conflicting += 1 }
    }
    #expect(counts.clean > 100 && counts.conflicting > 100, "\(counts)")
  }

  @Test("sets have the same elements whichever side is ours, each once")
  func sets() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      func elements() -> [Value] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.value(1, &random) }
      }
      let (base, ours, theirs) = (elements(), elements(), elements())
      guard Set([base, ours, theirs]).count == 3 else { continue }
      let rules = Schema.Collection(fields: [[]: .set])
      let merge = ThreeWayMerge(
        base: .array(base), ours: .array(ours), theirs: .array(theirs), rules: rules)
      let expected = Set(ours).union(theirs).subtracting(
        Set(base).subtracting(ours).union(Set(base).subtracting(theirs)))
      guard case .array(let merged) = merge.value, merge.isClean, Set(merged) == expected,
        merged.count == expected.count
      else {
        Issue.record("seed \(seed)\nbase \(base)\nours \(ours)\ntheirs \(theirs)\n\(merge)")
        return
      }
    }
  }

  @Test("edits of different fields are both there")
  func disjointEdits() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let names = (0..<6).map { "n\($0)" }
      let base = Dictionary(uniqueKeysWithValues: names.map { ($0, Self.value(2, &random)) })
      var (ours, theirs, both) = (base, base, base)
      for name in names + ["new", "other"] {
        let value: Value? =
          Int.random(in: 0..<4, using: &random) == 0 ? nil : Self.value(2, &random)
        both[name] = value
        if Bool.random(using: &random) { ours[name] = value } else { theirs[name] = value }
      }
      let merge = ThreeWayMerge(base: .object(base), ours: .object(ours), theirs: .object(theirs))
      guard merge.value == .object(both), merge.isClean else {
        Issue.record("seed \(seed)\nbase \(base)\nours \(ours)\ntheirs \(theirs)\n\(merge)")
        return
      }
    }
  }

  /// An object in which another value, or none, stands at a path.
  private static func with(
    _ new: Value?, at path: ArraySlice<String>, in value: Value
  ) -> Value {
    guard let name = path.first, case .object(var fields) = value else { return new ?? .null }
    let rest = path.dropFirst()
    fields[name] = rest.isEmpty ? new : with(new, at: rest, in: fields[name] ?? .object([:]))
    return .object(fields)
  }
}
