/// `crdt-demo soak`: random worlds, one after another, until told to end.
enum SoakCommand {
  /// How many schedules are played between two looks at the clock.
  private static let batch: UInt64 = 100
  /// How many failures are shown; with so many, there is no need to look for more.
  private static let failuresMax = 3

  static func run(_ options: SoakOptions) async -> ExitStatus {
    var console = Console(isQuiet: options.isQuiet)
    Syscalls.noteInterrupts()
    let clock = ContinuousClock()
    let start = clock.now
    let end = options.minutes.map { start + .seconds($0 * 60) }
    let last = options.schedules.map { count in
      let (sum, isOver) = options.seed.addingReportingOverflow(UInt64(count))
      return isOver ? .max : sum
    }
    var total = options.run
    var next = options.seed
    while !Syscalls.wasInterrupted, total.failures.count < failuresMax {
      if let end, clock.now >= end { break }
      let ranges = ranges(from: &next, to: last, lanes: options.lanes)
      if ranges.isEmpty { break }
      total.add(await play(ranges, options.run))
      console.progress(
        "\(total.schedules.grouped) schedules, \(total.failures.count.grouped) faults found")
    }
    let seconds = (clock.now - start) / .seconds(1)
    console.clearProgress()
    console.write(total.report)
    console.write("\(Int(Double(total.schedules) / max(seconds, 0.001)).grouped) schedules/s\n")
    for failure in total.failures.prefix(failuresMax) { console.write("\n\(failure)") }
    let hidden = total.failures.dropFirst(failuresMax)
    if !hidden.isEmpty { console.write("\n\(hidden.count.grouped) more faults are not shown.\n") }
    return console.finish(total.failures.isEmpty ? .success : .diverged)
  }

  /// What each lane is to play next.
  private static func ranges(
    from next: inout UInt64, to last: UInt64?, lanes: Int
  ) -> [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    for _ in 0..<lanes {
      let end = min(next &+ batch, last ?? .max)
      guard next < end else { break }
      ranges.append(next..<end)
      next = end
    }
    return ranges
  }

  private static func play(_ ranges: [Range<UInt64>], _ fresh: SoakRun) async -> SoakRun {
    await withTaskGroup(of: (UInt64, SoakRun).self) { group in
      for range in ranges {
        group.addTask {
          var run = fresh
          for seed in range { run.play(seed: seed) }
          return (range.lowerBound, run)
        }
      }
      var runs: [(UInt64, SoakRun)] = []
      for await run in group { runs.append(run) }
      // In the order of the seeds, whoever was first.
      return runs.sorted { $0.0 < $1.0 }.reduce(into: fresh) { $0.add($1.1) }
    }
  }
}
