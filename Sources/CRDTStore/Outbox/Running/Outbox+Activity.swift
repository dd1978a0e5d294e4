extension Outbox {
  /// What the outbox does now, by ``run(triggers:)`` or by calls, and what came of it.
  public var activity: OutboxActivity { told.activity }

  /// What the outbox does now, and each change of it.
  ///
  /// Where they come faster than they are taken, only the newest is given. They end with
  /// the outbox.
  public var activities: AsyncStream<OutboxActivity> { told.stream() }

  /// Does an exchange, and tells of it.
  func exchange(_ body: (inout OutboxReport) async -> Void) async -> OutboxReport {
    told.begin()
    var report = OutboxReport()
    await body(&report)
    await finish(&report)
    told.end(report, retrying: nextAttemptMilliseconds)
    return report
  }
}
