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

  static let known: [ArgumentScanner.Option] = [
    .init(name: "seed", letter: "s"),
    .init(name: "schedules", letter: "n"),
    .init(name: "minutes", letter: "m"),
    .init(name: "lanes", letter: "l"),
    "style",
    "sabotage",
    .flag("quiet", "q"),
  ]

  init() {}

  init(_ arguments: Arguments) throws(UsageError) {
    try arguments.checkNoOperands()
    isQuiet = arguments.has("quiet")
    for (name, text) in arguments.options where name != "quiet" { try set(name, to: text) }
    try check()
  }

  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "seed": seed = try value.seed()
    case "schedules": schedules = try value.integer(in: 1...1_000_000_000_000)
    case "minutes": minutes = try value.number(in: 0.001...1e6)
    case "style": style = try value.choice(of: WorldStyle.self)
    case "sabotage": sabotage = try value.choice(of: WorldFault.self)
    default: lanes = try value.integer(in: 1...256)
    }
  }

  /// Throws if the options contradict each other.
  private func check() throws(UsageError) {
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

  package static var options: [ArgumentScanner.Option] { SoakOptions.known }

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
