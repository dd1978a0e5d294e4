import CRDTKit

/// All that can happen to three replicas with a few operations: every order of
/// operations and exchanges, each situation once.
///
/// In each situation every exchange is made in every way there is (whole or as a
/// delta, as a value or as bytes, from a kept log or a cut one), and all must come
/// to the same, so that equal versions mean equal bytes.
package struct SmallWorlds<Root: RootShape> {
  typealias Value = Root.Value

  struct World {
    var values: [Value]
    var models: [ReferenceTable]
  }

  private let ids = [ReplicaID(2), ReplicaID(3), ReplicaID(1)]
  private let operationMax: Int
  private var known: Set<[ReferenceTable]> = []

  /// How many different situations there were.
  package var count: Int { known.count }

  package init(operationMax: Int) {
    self.operationMax = operationMax
  }

  package mutating func visitAll() throws(Discrepancy) {
    let empty = World(
      values: Array(repeating: Root.make(), count: 3),
      models: Array(repeating: ReferenceTable(), count: 3))
    known.insert(empty.models)
    var open = [empty]
    while let world = open.popLast() {
      for next in try successors(of: world) where known.insert(next.models).inserted {
        open.append(next)
      }
    }
  }

  private func successors(of world: World) throws(Discrepancy) -> [World] {
    var successors: [World] = []
    // Who acts first makes no difference: the names before and after it are both tried.
    let isEmpty = world.models.allSatisfy(\.seen.isEmpty)
    for place in 0..<(isEmpty ? 1 : 3) {
      for operation in Root.fewOperations {
        var next = world
        Root.perform(operation, on: &next.values[place], by: ids[place])
        Root.perform(operation, on: &next.models[place], under: [], by: ids[place])
        guard operationCount(of: next) <= operationMax else { continue }
        try inspect(next, place)
        successors.append(next)
      }
      for other in 0..<3 where !world.models[place].hasSeen(world.models[other].seen) {
        try exchange(world, place, from: other)
        var next = world
        next.values[place].merge(next.values[other])
        next.models[place].merge(next.models[other])
        try inspect(next, place)
        successors.append(next)
      }
    }
    try checkGrouping(of: world)
    return successors
  }

  private func operationCount(of world: World) -> UInt64 {
    ids.reduce(0) { sum, id in sum + (world.models.compactMap { $0.seen[id] }.max() ?? 0) }
  }

  private func inspect(_ world: World, _ place: Int) throws(Discrepancy) {
    let value = world.values[place]
    try value._table.checkSoundness()
    let reading = Root.reading(of: value)
    let expected = Root.reading(of: world.models[place], under: [])
    try check(reading == expected, "\(value.version): reads \(reading), model \(expected)")
    for other in world.values where other.version == value.version {
      try check(other.encoded() == value.encoded(), "two states of \(value.version) differ")
      try check(other == value, "two states of \(value.version) are not ==")
    }
  }

  /// Takes in one replica at another in every way, and in the other order.
  private func exchange(
    _ world: World, _ place: Int, from other: Int
  ) throws(Discrepancy) {
    let (mine, theirs) = (world.values[place], world.values[other])
    let both = mine.merging(theirs)
    let bytes = both.encoded()
    try check(theirs.merging(mine).encoded() == bytes, "\(mine) and \(theirs) do not commute")
    try check(both.merging(theirs) == both, "\(theirs) is new twice to \(mine)")
    try check(both.merging(both).encoded() == bytes, "\(both) is not idempotent")
    var forgetful = theirs
    for column in forgetful._table.columns.indices {
      forgetful._table.columns[column].kills = KillLog(floor: theirs._table.columns[column].seen)
    }
    do {
      for version in Set([mine.version, [:], world.values[3 - place - other].version]) {
        for sender in [theirs, forgetful, try theirs.readBack()] {
          let delta = sender.delta(since: version)
          var taken = try mine.readBack()
          guard mine._table.contains(delta.base) else {
            try checkGap(of: delta, at: mine)
            continue
          }
          try taken.apply(delta)
          try check(taken.encoded() == bytes, "a delta since \(version) differs from the state")
          taken = mine
          try taken.apply(decoding: delta.encoded())
          try check(taken.encoded() == bytes, "an encoded delta since \(version) differs")
        }
      }
      var taken = mine
      try taken.merge(decoding: theirs.encoded())
      try check(taken.encoded() == bytes, "an encoded state differs from the state")
      let read = try mine.readBack().merging(theirs.readBack())
      try check(read == both && read.encoded() == bytes, "states that were read back differ")
    } catch let error as Discrepancy {
      throw error
    } catch {
      throw Discrepancy("\(theirs) was refused by \(mine): \(error)")
    }
  }

  private func checkGap(of delta: Value.Delta, at value: Value) throws(Discrepancy) {
    var refused = value
    do throws(DeltaError) {
      try refused.apply(decoding: delta.encoded())
    } catch {
      guard case .gap = error else { throw Discrepancy("not a gap: \(error)") }
      return
    }
    throw Discrepancy("a delta since \(delta.base) was taken in at \(value.version)")
  }

  private func checkGrouping(of world: World) throws(Discrepancy) {
    let (a, b, c) = (world.values[0], world.values[1], world.values[2])
    let left = a.merging(b).merging(c)
    let right = a.merging(b.merging(c))
    try check(left.encoded() == right.encoded(), "\(a), \(b), \(c) depend on the grouping")
  }
}
