/// Plays the schedules of the seeds; says, of the first that goes wrong, what went
/// wrong and the least part of it that still does.
package func firstFailure<Root: RootShape>(
  of shape: Root.Type, seeds: Range<UInt64>, stepCounts: ClosedRange<Int>,
  blockSizes: ClosedRange<Int> = 0...6
) -> String? {
  for seed in seeds {
    let schedule = Schedule(
      of: shape, seed: seed, stepCounts: stepCounts, blockSizes: blockSizes)
    if let failure = leastFailure(of: schedule, on: shape) { return failure }
  }
  return nil
}

/// Plays a schedule; says, if it goes wrong, what went wrong and the least part of
/// it that still does.
package func leastFailure<Root: RootShape>(
  of schedule: Schedule, on shape: Root.Type
) -> String? {
  guard failure(of: schedule, on: shape) != nil else { return nil }
  let least = shrink(schedule) { failure(of: $0, on: shape) != nil }
  return "\(failure(of: least, on: shape).map(\.description) ?? "")\nin \(least)"
}

private func failure<Root: RootShape>(
  of schedule: Schedule, on _: Root.Type
) -> Discrepancy? {
  do throws(Discrepancy) {
    try Player<Root>.play(schedule)
    return nil
  } catch {
    return error
  }
}

/// The schedule without all that can be left out so that it still fails: steps,
/// then operations in edit blocks.
package func shrink(_ schedule: Schedule, while fails: (Schedule) -> Bool) -> Schedule {
  var least = schedule
  least.steps = shrink(schedule.steps) { steps in
    var shorter = least
    shorter.steps = steps
    return fails(shorter)
  }
  for place in least.steps.indices {
    guard case .edit(let who, let operations) = least.steps[place] else { continue }
    let fewer = shrink(operations) { operations in
      var shorter = least
      shorter.steps[place] = .edit(who, operations)
      return fails(shorter)
    }
    least.steps[place] = .edit(who, fewer)
  }
  return least
}

/// What goes wrong in the steps that a seed draws, with the least of them in which something
/// does; `nil` if nothing.
package func shrunkenFailure<Step>(
  of steps: [Step], seed: UInt64, _ failure: ([Step]) -> String?
) -> String? {
  guard let problem = failure(steps) else { return nil }
  let least = shrink(steps) { failure($0) != nil }
  let lines = least.map { "  \($0)" }.joined(separator: "\n")
  return "seed \(seed): \(problem)\n\(lines)\n\(failure(least) ?? "")"
}

/// The items without those that can be left out, tried in ever smaller chunks.
package func shrink<Item>(_ items: [Item], while fails: ([Item]) -> Bool) -> [Item] {
  var least = items
  var size = max(items.count / 2, 1)
  while true {
    var start = 0
    var hasShrunk = false
    while start < least.count {
      var shorter = least
      shorter.removeSubrange(start..<min(start + size, least.count))
      if fails(shorter) {
        least = shorter
        hasShrunk = true
      } else {
        start += size
      }
    }
    if size == 1, !hasShrunk { return least }
    size = max(size / 2, 1)
  }
}
