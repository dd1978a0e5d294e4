import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension StoreNode {
  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    var dice = SeededGenerator(seed: draw, stream: 32)
    switch kind {
    case .crash: stop(&dice)
    case .torn: tear(draw, &dice)
    case .restore:
      stop(&dice)
      restore()
    case .inPlace:
      stop(&dice)
      putBack(&dice)
    }
    restart(&dice)
  }

  /// Cuts the power while the store does something.
  private mutating func tear(_ draw: UInt64, _ dice: inout SeededGenerator) {
    let before = disk.callCount
    switch dice.below(4) {
    case 0:
      compact()
      disk.tally.cutsInCompactions += 1
    case 1:
      _ = commit(draw, .relaxed)
      try? store?.flush()
      disk.tally.cutsInCommits += 1
    default:
      _ = commit(draw, .full)
      disk.tally.cutsInCommits += 1
    }
    disk.cutPower(since: before, using: &dice)
  }

  /// Goes on with the last backup, if there is one.
  private mutating func restore() {
    guard let backup else { return }
    // What is written there from now on is the store, and no backup any more.
    (path, self.backup) = (backup, nil)
    if let imageBackup { shadow = imageBackup.shadow }
    disk.tally.lostRelaxed += acknowledgedCount
    (pending, acknowledgedCount, doubtful, durableVersion) = ([], 0, nil, [:])
    forgetStore()
    open(creating: false)
    // Its store must have noticed, and taken a name of its own.
    if let store, !store.recovery.isCopy {
      failures.append("the store doesn't notice that it was restored")
    }
    disk.kill()
  }

  /// Starts again after a commit has failed, on a disk that is well again.
  mutating func startAnew(_ dice: inout SeededGenerator) {
    let capacity = disk.capacity
    if dice.below(2) == 0 { disk.kill() } else { disk.cutPower(using: &dice) }
    if let capacity {
      // Full as it is, everything can be read.
      disk.capacity = capacity
      forgetStore()
      open(creating: false)
      if let store, !store.document.version.contains(durableVersion) {
        failures.append("on a full disk \(store.document.version) is left of \(durableVersion)")
      }
      disk.kill()
    }
    restart(&dice)
  }

  /// Finds out what the store has, and what of the pending edits is left.
  mutating func resume() {
    guard let store else { return }
    value = store.document
    if settings.hasForks {
      replica = store.replica
    } else if store.replica != replica {
      if path == "/store" { failures.append("a replica of its own was taken for another") }
      replica = store.replica
      restores += 1
    }
    if path == "/store", store.recovery.isCopy, !settings.hasForks {
      failures.append("the store is taken for a copy")
    }
    // Events of a line that was mended are there under another name.
    let isThere =
      settings.hasForks
      ? value.version.eventCount >= durableVersion.eventCount
      : value.version.contains(durableVersion)
    if !isThere {
      failures.append("durable commits are gone: \(value.version) is left of \(durableVersion)")
    }
    for (number, edit) in pending.enumerated() {
      if edit.counter <= value.version[edit.replica] {
        record([edit])
      } else if number < acknowledgedCount {
        disk.tally.lostRelaxed += 1
      }
    }
    (pending, acknowledgedCount) = ([], 0)
    if let doubtful {
      add(doubtful.changes, after: doubtful.before, serial: doubtful.serial)
      record(pending)
      pending = []
    }
    doubtful = nil
    durableVersion = value.version
  }

  /// How far ahead a clock is at least that a store must warn of, in milliseconds.
  static var warnedAheadMin: Int64 { 600_000 }

  /// Notes an edit that was made under a clock that was far ahead.
  mutating func noteAhead(_ context: Context) {
    guard context.aheadMilliseconds >= Self.warnedAheadMin else { return }
    restampTick = ticks + 3
    if let store, store.clockWarning == nil {
      failures.append("the store doesn't warn of a clock that is far ahead")
    }
  }

  /// Writes anew what was stamped in the future, as an app does that was warned.
  mutating func restampIfDue(_ context: Context) {
    guard let restampTick, ticks >= restampTick, let store else { return }
    self.restampTick = nil
    let before = store.document.version
    do throws(StoreError) { _ = try store.restampFutureWrites() } catch {
      failures.append("what is stamped in the future can't be written anew: \(error)")
    }
    settle()
    if store.clockWarning != nil { failures.append("the store still warns of its clock") }
    let events = value.version[replica] - before[replica]
    let serial = takeSerial()
    let wall = context.wallMilliseconds
    record([
      RecordedEdit(
        replica: replica, counter: value.version[replica], observed: before,
        change: OracleChange(key: -3, kind: .add),
        // Later than all that stays, so it is no time of the clock alone.
        stamp: value.delta(since: before).latestTimestamp
          ?? HybridTimestamp(milliseconds: wall, replica: replica), serial: serial,
        place: place, events: events, restampsBeyond: (wall + 300_000) << 16 | 0xFFFF)
    ])
  }

  /// Whether a failure is what a clock that is ahead brings.
  func isOfClock(_ failure: SyncFailure) -> Bool {
    switch failure {
    case .refused, .endedByPeer(.refused): settings.hasAhead
    default: false
    }
  }
}
