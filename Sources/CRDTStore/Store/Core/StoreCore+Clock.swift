import CRDTKit

extension StoreCore {
  /// Makes the stamp of a commit; the monitor is held.
  func nextStamp() -> HybridTimestamp {
    let wall = options.clock.milliseconds
    lookAtClock(wall)
    return clock.now(wallMilliseconds: wall)
  }

  /// Sets the clock back if no remaining stamp is ahead of it, and checks it for the first
  /// time.
  ///
  /// It runs when the store is opened, before anything is written.
  func beginClock() {
    let wall = options.clock.milliseconds
    if isAhead(clock.latest.time, of: wall) {
      let latest = working.document.latestRestampable(by: identity.replica)
      // A stored time that is ahead matters only for stamps that still have it.
      if !isAhead(latest, of: wall) { setClock(to: latest) }
    }
    clockWatch = ClockWatch(
      wall: wall, elapsed: monotonicClock?.elapsed, stamps: clock.latest.milliseconds,
      contact: identity.peers.map(\.lastContactMilliseconds).max() ?? 0,
      maximumDriftMilliseconds: options.maximumClockDrift.clampedMilliseconds,
      maximumAbsenceMilliseconds: options.maximumAbsence.clampedMilliseconds)
    lookAtClock(wall)
  }

  /// Measures how long the store has been open.
  private var monotonicClock: (any MonotonicClock)? {
    options.monotonicClock ?? (options.clock is SystemClock ? SystemMonotonicClock() : nil)
  }

  private func lookAtClock(_ wall: UInt64) {
    let stamps = clock.latest.milliseconds
    guard
      let warning = clockWatch?.look(
        wall: wall, elapsed: monotonicClock?.elapsed, stamps: stamps)
    else { return }
    clockWarning = warning
    switch warning {
    case .jumped(let span):
      tell(.clockJumped(by: span), "clock.jumped", ["seconds": .integer(span.components.seconds)])
    case .stampsAhead(let span):
      tell(
        .stampsAhead(by: span), "clock.stamps_ahead",
        ["seconds": .integer(span.components.seconds)])
    }
  }

  /// Sends an event to the app and to its log.
  private func tell(_ event: Store.Event, _ name: String, _ fields: [String: LogEvent.Value]) {
    guard options.hasThreads else { return }
    let (onEvent, logger) = (options.onEvent, options.logger)
    eventTeller.tell {
      logger.warning(name, fields)
      onEvent(event)
    }
  }

  /// Whether a time is ahead of the clock by more than the limit.
  private func isAhead(_ time: UInt64, of wall: UInt64) -> Bool { time > timeLimit(at: wall) }

  /// The greatest time that no peer refuses.
  private func timeLimit(at wall: UInt64) -> UInt64 {
    let (limit, isBeyond) = wall.addingReportingOverflow(
      options.maximumClockDrift.clampedMilliseconds)
    guard !isBeyond, limit < HybridTimestamp.maximumMilliseconds else { return .max }
    return limit << 16 | 0xFFFF
  }

  private func setClock(to time: UInt64) {
    clock = HybridLogicalClock(
      replica: identity.replica,
      resuming: HybridTimestamp(time: time, replica: identity.replica),
      maximumDrift: options.maximumClockDrift)
  }
}

extension StoreCore {
  /// Rewrites values that are stamped in the future, in memory; returns the commit to wait
  /// for.
  func restampFutureWrites() throws(StoreError) -> (Store.RestampReport, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let wall = options.clock.milliseconds
    let limit = timeLimit(at: wall)
    var report = Store.RestampReport()
    report.countsLeft = working.document.foreignCounts(after: limit, of: identity.replica)
    if let limitError, isAhead(working.document.latestRestampable(by: identity.replica), of: wall) {
      throw limitError
    }
    let now = min(wall, HybridTimestamp.maximumMilliseconds) << 16
    let wasCommitted = committed
    keepSeen()
    let restamping = working.document.restamp(
      after: limit, at: HybridTimestamp(time: now, replica: identity.replica))
    if isAhead(clock.latest.time, of: wall) {
      setClock(to: restamping?.latest ?? working.document.latestRestampable(by: identity.replica))
    }
    clockWatch?.noteRestamping(wall: wall, elapsed: monotonicClock?.elapsed)
    clockWarning = nil
    guard let restamping else {
      committed = wasCommitted
      return (report, commitRead(.full))
    }
    report.valuesWritten = restamping.moves.count
    report.records = Set(restamping.moves.map(\.record))
    var local = outbox.restamped(restamping.moves).localChanges
    local.append(LocalChange(key: Self.restampKey, value: restamping.delta.version.encoded()))
    add(restamping.delta, local, Store.Change(report.records), waits: true)
    return (report, appended)
  }

  private static let restampKey = "restamped"

  /// The version that the delta of the last restamping led to.
  ///
  /// A replica that hasn't applied everything before it may have refused that, and needs
  /// all values anew.
  var lastRestamping: VersionVector? {
    local[Self.restampKey].flatMap { try? VersionVector(decoding: $0) }
  }
}

extension StoreCore {
  /// Reads all files while the store is open.
  func verify() throws(StoreError) -> Store.VerificationReport {
    let folder = try holdFiles()
    defer { endCompaction() }
    var verifier = StoreVerifier(folder)
    var report = try verifier.run()
    // The write that is under way isn't whole yet.
    report.bytesUnfinished = 0
    return report
  }

  /// Prevents files from being replaced and the folder from being closed, until
  /// ``endCompaction()``.
  func holdFiles() throws(StoreError) -> StoreFolder {
    monitor.lock()
    defer { monitor.unlock() }
    while isCompacting { monitor.wait(for: .done) }
    guard let folder, !isClosing else { throw .closed(path: path) }
    guard !folder.isBesideWriter else { throw .locked(path: path) }
    isCompacting = true
    return folder
  }
}
