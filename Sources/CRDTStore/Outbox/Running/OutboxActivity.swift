/// What an outbox does, and whether its server could be asked: what an app shows.
///
///     for await activity in outbox.activities {
///       banner = activity.failure == nil ? nil : "Couldn't sync, will retry"
///       isSpinning = activity.isSyncing
///     }
public struct OutboxActivity: Hashable, Sendable {
  /// Whether an exchange with the server is under way.
  public var isSyncing = false
  /// What came of the last exchange that has ended; `nil` before the first.
  public var report: OutboxReport?
  /// Why the last exchange that asked the server failed, if it did.
  ///
  /// It stays until the server has answered all that it was asked. An exchange that ran out
  /// of its own time hasn't failed.
  public var failure: OutboxReport.Interruption?
  /// When what waits is to be sent again, in milliseconds since 1970; `nil` where nothing
  /// waits for its time.
  public var retryMilliseconds: UInt64?

  /// Creates what is so before the first exchange.
  public init() {}
}

extension OutboxActivity {
  /// Notes what came of an exchange.
  mutating func note(_ report: OutboxReport) {
    self.report = report
    switch report.interruption {
    case .remote, .store: failure = report.interruption
    // Where nothing was asked, it isn't known to be better than before.
    case nil where report.answers > 0: failure = nil
    case .deadline, nil: break
    }
  }
}
