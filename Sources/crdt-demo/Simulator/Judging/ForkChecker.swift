import CRDTKit
import CRDTStoreTesting

/// Checks a ``World`` in which one name may be used in two places.
///
/// Edit numbers identify what nodes have seen, for nodes that report it. Acknowledged edits
/// must be present at the end, unless the only node that had them was restored from an
/// older copy, or has left.
struct ForkChecker<Node: ReplicaNode> {
  private(set) var oracle = LineOracle(rule: Node.Value.rule)
  private(set) var problems: [(place: Int?, words: String)] = []
  /// Edits that may be lost everywhere.
  private var lost = Shadow()
  /// Edits that are lost at their origin; other nodes may have them.
  private var gone = Shadow()
  /// The names that may have been used in two places.
  private var sharedNames: Set<ReplicaID> = []
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed, stream: 5 << 60)
  }

  /// Records a durable edit.
  mutating func record(_ edit: RecordedEdit) {
    if let problem = oracle.record(edit) { report(problem, edit.place) }
  }

  /// Returns and clears the violations found.
  mutating func takeProblems() -> [(place: Int?, words: String)] {
    defer { problems = [] }
    return problems
  }

  private mutating func report(_ words: String, _ place: Int?) {
    problems.append((place, words))
  }

  /// Records that a name may be used in two places from now on.
  mutating func noteShared(_ name: ReplicaID) { sharedNames.insert(name) }

  /// Records which edits may be lost everywhere, after a node was restored or has left.
  mutating func noteLosses(in world: World<Node>) {
    let places = world.nodes.indices.filter { !world.hasLeft($0) }
    for edit in oracle.edits where !lost.contains(edit.serial) {
      if !world.nodes[edit.place].shadow.contains(edit.serial) { gone.insert(edit.serial) }
      let isKept = places.contains { place in
        let node = world.nodes[place]
        if node.shadow.contains(edit.serial) { return true }
        return !Node.seesAll && !sharedNames.contains(edit.replica)
          && node.durableVersion[edit.replica] >= edit.counter
      }
      if !isKept { lost.insert(edit.serial) }
    }
  }

  /// Checks the state of a replica.
  mutating func check(_ place: Int, in world: World<Node>) {
    let value = world.nodes[place].value
    checkCopy(of: value, place)
    if Node.seesAll { checkReading(of: value, at: world.nodes[place].shadow, "", place) }
    if generator.below(4) == 0 { checkLaws(place, world) }
  }

  /// Checks that equal versions have equal bytes, also after decoding them again.
  private mutating func checkCopy(of value: Node.Value, _ place: Int) {
    if let problem = value.problemOfCopy() { report(problem, place) }
  }

  private mutating func checkReading(
    of value: Node.Value, at seen: Shadow, _ when: String, _ place: Int
  ) {
    for key in oracle.keys {
      let problem = oracle.problem(of: key, reading: value.reading(of: key), at: seen)
      if let problem { report("key \(key)\(when)\(problem)", place) }
    }
    let (found, expected) = (value._table.distinctEventCount, oracle.eventCount(at: seen))
    if found != expected {
      report("there are \(found) events\(when), not \(expected)", place)
    }
  }

  /// Merges with two others in every order, some of them decoded again from bytes.
  private mutating func checkLaws(_ place: Int, _ world: World<Node>) {
    let (second, third) = (generator.below(world.nodes.count), generator.below(world.nodes.count))
    let (one, other) = (drawn(world.nodes[place].value), drawn(world.nodes[second].value))
    let last = drawn(world.nodes[third].value)
    let both = one.merging(other)
    if Node.seesAll {
      var seen = world.nodes[place].shadow
      seen.join(world.nodes[second].shadow)
      checkReading(of: both, at: seen, ", merged with replica \(second + 1),", place)
    }
    let problems = one.problemsOfMerging(other, last) { (copy) throws(DeltaError) in
      try copy.apply(mending: other.delta(since: [:]))
    }
    for problem in problems {
      report("\(problem), with replicas \(second + 1) and \(third + 1)", place)
    }
  }

  /// A value, or its decoded copy.
  private mutating func drawn(_ value: Node.Value) -> Node.Value {
    guard generator.below(2) == 0 else { return value }
    return (try? Node.Value(decoding: value.encoded())) ?? value
  }
}

extension ForkChecker {
  /// Checks the final states of replicas that can all reach each other.
  mutating func finish(_ places: [Int], areAll: Bool, in world: World<Node>) {
    guard let first = places.first else { return }
    let value = world.nodes[first].value
    checkCopy(of: value, first)
    let digest = value.digest
    for place in places.dropFirst() where world.nodes[place].value.digest != digest {
      report("does not agree with replica \(first + 1) in the end", place)
    }
    var (required, possible) = (Shadow(), Shadow())
    for edit in oracle.edits {
      possible.insert(edit.serial)
      // Other nodes that have it may be unreachable.
      let isHere = areAll || places.contains(edit.place) && !gone.contains(edit.serial)
      if isHere, !lost.contains(edit.serial) { required.insert(edit.serial) }
    }
    guard !Node.seesAll else {
      let seen = world.nodes[first].shadow
      for edit in oracle.edits where required.contains(edit.serial) && !seen.contains(edit.serial) {
        report("the durable edit \(edit.serial) of replica \(edit.place + 1) is lost", first)
      }
      return checkReading(of: value, at: seen, " in the end", first)
    }
    let found = value._table.distinctEventCount
    let bounds = oracle.eventCount(at: required)...oracle.eventCount(at: possible)
    if !bounds.contains(found) {
      report("there are \(found) events in the end, not \(bounds)", first)
    }
    for key in oracle.keys {
      let problem = oracle.problem(
        of: key, reading: value.reading(of: key), required: required, possible: possible)
      if let problem { report("key \(key)\(problem)", first) }
    }
  }
}

extension WorldValue {
  /// The laws of merging that the value breaks with two others; `applyDelta` is to do what a
  /// merge with the first does.
  func problemsOfMerging(
    _ other: Self, _ third: Self, _ applyDelta: (inout Self) throws(DeltaError) -> Void
  ) -> [String] {
    var problems: [String] = []
    let both = merging(other)
    let digest = both.digest
    if other.merging(self).digest != digest { problems.append("merging is not commutative") }
    if both.merging(third).digest != merging(other.merging(third)).digest {
      problems.append("merging is not associative")
    }
    if merging(self).digest != self.digest || both.merging(other).digest != digest {
      problems.append("merging is not idempotent")
    }
    var copy = self
    do throws(DeltaError) {
      try applyDelta(&copy)
      if copy.digest != digest { problems.append("a delta does something else than a merge") }
    } catch {
      problems.append("a delta was refused: \(error)")
    }
    return problems
  }

  /// The difference between the value and its decoded copy, if any.
  func problemOfCopy() -> String? {
    guard let copy = try? Self(decoding: encoded()) else {
      return "the value can't be read back from its bytes"
    }
    guard copy.version == version, copy == self else { return "a copy from bytes is not equal" }
    if copy.digest != digest { return "a copy from bytes has other bytes" }
    if copy.contentDigest != contentDigest { return "a copy from bytes has another content" }
    return nil
  }
}

extension DotTable {
  /// How many events were seen: those that several lines of one replica share count once.
  ///
  /// A line that parted from another in a stretch of its own has the events before it in
  /// the same stretches.
  var distinctEventCount: UInt64 {
    var lengths: [Stretches.Stretch: UInt64] = [:]
    var count: UInt64 = 0
    for column in columns {
      let kept = column.stretches.kept
      count += kept.first.map { $0.first - 1 } ?? column.seen
      for (place, stretch) in kept.enumerated() {
        let end = place + 1 < kept.count ? kept[place + 1].first - 1 : column.seen
        lengths[stretch] = max(lengths[stretch] ?? 0, end - stretch.first + 1)
      }
    }
    return lengths.values.reduce(count, +)
  }
}

extension VersionVector {
  /// How many events there are under all names.
  var eventCount: UInt64 { reduce(0) { $0 + $1.counter } }
}
