package import Toolkit

/// The options of `crdt-demo soak`.
struct SoakOptions: Equatable {
  /// The seed of the first schedule; those after it have the numbers that follow.
  var seed: UInt64 = 1
  /// How many schedules are played at most.
  var schedules: Int?
  var minutes: Double?
  /// How many are played at a time.
  var lanes = 1
  var isQuiet = false
  /// The style of all worlds; `nil` for any.
  var style: WorldStyle?
  var sabotage = WorldFault.none

  init(_ arguments: Arguments) throws(UsageError) {
    try arguments.checkNoOperands()
    isQuiet = arguments.has("quiet")
    seed = try arguments["seed"]?.seed() ?? 1
    schedules = try arguments["schedules"]?.integer(in: 1...1_000_000_000_000)
    minutes = try arguments["minutes"]?.number(in: 0.001...1e6)
    lanes = try arguments["lanes"]?.integer(in: 1...256) ?? 1
    style = try arguments["style"]?.choice(of: WorldStyle.self)
    sabotage = try arguments["sabotage"]?.choice(of: WorldFault.self) ?? .none
    if let style, !sabotage.fits(style) {
      throw UsageError("worlds of the style \(style) can't be sabotaged by \(sabotage.rawValue)")
    }
  }

  /// A run that has played nothing yet.
  var run: SoakRun { SoakRun(style: style, sabotage: sabotage) }
}

/// `crdt-demo soak`: random worlds, one after another, until told to end.
package enum SoakCommand {
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

  /// The next schedule of each thread.
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

extension SoakCommand: Command {
  package static let name = "soak"
  package static let operands = "[OPTION]..."
  package static let statuses =
    "0 if no fault was found, 1 if one was,"

  package static var options: [ArgumentScanner.Option] {
    [
      .init(name: "seed", letter: "s"), .init(name: "schedules", letter: "n"),
      .init(name: "minutes", letter: "m"), .init(name: "lanes", letter: "l"), "style", "sabotage",
      .flag("quiet", "q"),
    ]
  }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    await run(try SoakOptions(arguments))
  }

  package static let help = """
    soak plays small random worlds with every class of fault, one after another,
    until it is interrupted or three faults are found, and prints how many there
    were, what was injected and what was found. What fails is shown shrunken.

      -s, --seed=N           the seed of the first world (default 1)
      -n, --schedules=N      end after so many
      -m, --minutes=N        end after so long
      -l, --lanes=N          how many are played at a time (default 1)
          --style=STYLE      worlds of one style only: session, group, datagram,
                               store or outbox
          --sabotage=KIND    break something, to see it found: deaf, forgetful,
                               backwards or store-fdatasync (disks that ignore it);
                               of apps and a server: late-times (the server says
                               that all it has was changed just now), blind-retries
                               (what was refused is sent again as it was made),
                               old-receipts (what doesn't wait counts as delivered),
                               unqueued-edits (the server isn't told of what apps
                               write by edit) or doubled-counters (apps also sync
                               with each other);
                               of what tells that one name is used in two places:
                               unmarked (values read from bytes have forgotten it),
                               unnoticed (a backup put back isn't told from what it
                               is a copy of), unwritten (who takes a new name leaves
                               what it wrote as it is), homeless (a store doesn't
                               notice that its folder is a copy), same-dots (events
                               of one dot are taken for the same) or refused (the
                               other is refused for ever)
      -q, --quiet            show no progress
    """
}

/// Plays random schedules one after another, and sums up their counts.
struct SoakRun: Sendable {
  /// A schedule that has failed.
  struct Failure: Sendable {
    var seed: UInt64
    var schedule: WorldSchedule
    /// The arguments that play it again, without the command's name.
    var words: String
    var violation: Violation
  }

  /// The style of all worlds; `nil` for any.
  var style: WorldStyle?
  var sabotage = WorldFault.none
  private(set) var schedules = 0
  private(set) var counts = WorldCounts()
  private(set) var checks = 0
  private(set) var edits = 0
  private(set) var failures: [Failure] = []
  /// How many schedules met each class of fault.
  private(set) var schedulesByClass: [String: Int] = [:]

  /// Plays the schedule of a seed.
  mutating func play(seed: UInt64) {
    let schedule = schedule(seed: seed)
    take(schedule.play(), of: schedule)
  }

  func schedule(seed: UInt64) -> WorldSchedule {
    var schedule = WorldSchedule(
      seed: seed, of: style ?? sabotage.style, hasForks: sabotage.needsForks)
    guard sabotage != .none, sabotage.fits(schedule.style) else { return schedule }
    schedule.settings.sabotage = sabotage
    schedule.settings.isMortal = true
    if sabotage == .unmarked { schedule.settings.decoding = 0.5 }
    return schedule
  }

  private mutating func take(_ outcome: WorldOutcome, of schedule: WorldSchedule) {
    schedules += 1
    counts += outcome.counts
    checks += outcome.checks
    edits += outcome.edits
    for (name, count) in outcome.counts.faults where count > 0 {
      schedulesByClass[name, default: 0] += 1
    }
    if let violation = outcome.violations.first {
      failures.append(
        Failure(
          seed: schedule.seed, schedule: schedule, words: words(of: schedule.seed),
          violation: violation))
    }
  }

  private func words(of seed: UInt64) -> String {
    var words = ["soak --seed \(seed) --schedules 1"]
    if let style { words.append("--style \(style)") }
    if sabotage != .none { words.append("--sabotage \(sabotage.rawValue)") }
    return words.joined(separator: " ")
  }

  /// Adds the results of another run.
  mutating func add(_ other: SoakRun) {
    schedules += other.schedules
    counts += other.counts
    checks += other.checks
    edits += other.edits
    failures += other.failures
    for (name, count) in other.schedulesByClass { schedulesByClass[name, default: 0] += count }
  }

  /// What was done, in a few lines.
  var report: String {
    let faults = counts.faults.map { name, count in
      "  \(name): \(count.grouped) in \((schedulesByClass[name] ?? 0).counted("schedule"))\n"
    }
    return "\(schedules.grouped) schedules, \(edits.grouped) edits, "
      + "\(counts.delivered.grouped) messages delivered, \(checks.grouped) states judged\n"
      + "stores: \(counts.disks)\noutboxes: \(counts.outboxes)\n"
      + "faults injected:\n\(faults.joined())"
      + "faults found: \(failures.count.grouped)\n"
  }
}

extension SoakRun.Failure: CustomStringConvertible {
  /// What went wrong, the least part of the schedule that still does, and the command
  /// that plays it again.
  var description: String {
    let least = schedule.shrunken()
    let violation = least.play().violations.first ?? violation
    return "seed \(seed): \(self.violation)\nshrunken: \(violation)\n\(least)\n"
      + "To see it again:\n  crdt-demo \(words)\n"
  }
}
