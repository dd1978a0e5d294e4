import CRDTKit

extension Outbox {
  /// Settings of an outbox: the batch size, the retries and the backlog warning.
  public struct Settings: Hashable, Sendable {
    /// How many operations a batch has at most: 1 to 100.
    public var batchSize: Int {
      didSet { batchSize = min(max(batchSize, 1), Self.maximumBatchSize) }
    }
    /// How often an operation is retried before it becomes a dead letter.
    ///
    /// The first attempt doesn't count.
    public var maximumRetries: Int
    /// How long the server may fail every request before an operation's failure counts, and
    /// before each further one counts.
    ///
    /// Otherwise a failure counts only if the server processes the next request: an outage is
    /// not the fault of an operation.
    public var minimumOutage: Duration
    /// The delay after the first failure.
    ///
    /// It doubles with each further one.
    public var minimumBackoff: Duration
    /// The longest delay after a failure, unless the server asks for another one.
    public var maximumBackoff: Duration
    /// The fraction by which a delay is randomly lengthened or shortened, so that clients
    /// don't all return at once.
    ///
    /// A delay that the server asked for is only lengthened.
    public var jitter: Double {
      didSet { jitter = jitter.isFinite ? min(max(jitter, 0), 1) : 0 }
    }
    /// The longest delay that a server can ask for.
    ///
    /// The default is an hour.
    public var maximumRetryAfter: Duration
    /// The number of pending operations that is reported as a backlog.
    public var backlogWarning: Int

    /// The largest batch size.
    public static var maximumBatchSize: Int { 100 }

    /// Creates the default settings: batches of 50; five retries after 1, 2, 4, 8 and 16
    /// seconds, plus or minus a quarter; four hours for a server that only fails, so about a
    /// day before it makes an operation a dead letter; a warning at 500 operations.
    public init() {
      batchSize = 50
      maximumRetries = 5
      minimumOutage = .seconds(4 * 3_600)
      minimumBackoff = .seconds(1)
      maximumBackoff = .seconds(16)
      jitter = 0.25
      maximumRetryAfter = .seconds(3_600)
      backlogWarning = 500
    }
  }
}

extension Outbox.Settings {
  /// The delay after a number of failures, counted from 1.
  func delay(
    after failures: Int, hint: Duration?, using random: inout some RandomNumberGenerator
  ) -> UInt64 {
    if let hint {
      let asked = min(hint.clampedMilliseconds, longestDelay)
      return asked + share(of: asked, from: 0, using: &random)
    }
    let doublings = UInt64(min(max(failures - 1, 0), 32))
    let first = minimumBackoff.clampedMilliseconds
    let (product, overflows) = first.multipliedReportingOverflow(by: 1 << doublings)
    let delay = min(overflows ? .max : product, maximumBackoff.clampedMilliseconds, longestDelay)
    let spread = share(of: delay, from: -1, using: &random)
    return delay &+ spread
  }

  /// A random share of a delay, from `least` to 1 times the ``jitter``, in two's
  /// complement.
  private func share(
    of delay: UInt64, from least: Double, using random: inout some RandomNumberGenerator
  ) -> UInt64 {
    // Delays are bounded far below 2⁵³.
    let part = Double.random(in: least...1, using: &random) * jitter
    let most = Double(min(delay, 1 << 52))
    return UInt64(bitPattern: Int64(part * most))
  }

  /// The longest delay before it is lengthened at random, with room for that.
  private var longestDelay: UInt64 { min(maximumRetryAfter.clampedMilliseconds, .max / 4) }

  /// An upper bound of every delay.
  ///
  /// A longer one was set by another clock.
  var longestWaitMilliseconds: UInt64 {
    longestDelay * 2 + 1
  }
}
