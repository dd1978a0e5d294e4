import Toolkit

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

  /// The schedule of a seed.
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
