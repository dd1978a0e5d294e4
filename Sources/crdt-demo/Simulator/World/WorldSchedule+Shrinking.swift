import CRDTKit

extension WorldSchedule {
  /// The schedule without all steps, link faults and replicas that are not needed for it to
  /// fail.
  ///
  /// The result is deterministic.
  func shrunken() -> WorldSchedule {
    var least = self
    func fails(_ schedule: WorldSchedule) -> Bool { !schedule.play().violations.isEmpty }
    guard fails(least) else { return self }
    least.sampling = 1
    if !fails(least) { least.sampling = sampling }
    var before: WorldSchedule?
    while before != least {
      before = least
      least.dropSteps(while: fails)
      for simpler in least.simpler where fails(simpler) { least = simpler }
      for simpler in least.simpler where fails(simpler) { least = simpler }
      while let fewer = least.withoutLastReplica, fails(fewer) { least = fewer }
    }
    return least
  }

  private mutating func dropSteps(while fails: (WorldSchedule) -> Bool) {
    var size = max(steps.count / 2, 1)
    while true {
      var start = 0
      var hasShrunk = false
      while start < steps.count {
        var shorter = self
        shorter.steps.removeSubrange(start..<min(start + size, steps.count))
        if fails(shorter) {
          self = shorter
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { return }
      size = max(size / 2, 1)
    }
  }

  /// The schedules with one fault less.
  private var simpler: [WorldSchedule] {
    let changes: [(inout WorldSchedule) -> Void] = [
      { $0.conditions.faults.loss = 0 }, { $0.conditions.faults.duplicate = 0 },
      { $0.conditions.faults.reorder = 0 }, { $0.conditions.faults.corrupt = 0 },
      { $0.conditions.faults.cut = 0 }, { $0.conditions.jitter = 0 },
      { $0.conditions.bandwidth = 0 }, { $0.settings.death = 0 }, { $0.settings.pieceMax = 0 },
      { $0.settings.stall = 0 }, { $0.settings.decoding = 0 },
      { $0.settings.limits = .standard }, { $0.clocks = [] }, { $0.topology = .mesh },
      { $0.settings.disks.relaxed = 0 }, { $0.settings.disks.faults = 0 },
      { $0.settings.disks.compaction = 0 },
    ]
    return changes.map { change in
      var copy = self
      change(&copy)
      return copy
    }.filter { $0 != self }
  }

  private var withoutLastReplica: WorldSchedule? {
    let last = replicas - 1
    guard last >= 2, !steps.contains(where: { Self.places(in: $0.what).contains(last) })
    else { return nil }
    var copy = self
    copy.replicas = last
    copy.clocks = Array(clocks.prefix(last))
    return copy
  }
}

extension WorldSchedule: CustomStringConvertible {
  /// The schedule in text, with a line for each step.
  var description: String {
    let faults = conditions.faults
    var lines = [
      title + ", \(settings.keys) keys, a tick every \(interval) µs",
      "links: delay \(conditions.delay) + \(conditions.jitter) µs, loss \(faults.loss), duplicate"
        + " \(faults.duplicate), reorder \(faults.reorder), corrupt \(faults.corrupt), cut"
        + " \(faults.cut), death \(settings.death), pieces \(settings.pieceMax),"
        + " stall \(settings.stall)"
        + (settings.decoding > 0 ? ", read back \(settings.decoding)" : "")
        + (conditions.bandwidth > 0 ? ", \(conditions.bandwidth) bytes a second" : ""),
    ]
    if style.hasDisks {
      lines.append(
        "disks: relaxed \(settings.disks.relaxed), faults \(settings.disks.faults), a snapshot"
          + " after \(settings.disks.compaction) bytes")
    }
    lines += steps.map { "  \($0.json)" }
    return lines.joined(separator: "\n")
  }
}
