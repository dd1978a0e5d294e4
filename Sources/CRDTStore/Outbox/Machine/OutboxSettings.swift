/// How an outbox sends: how much at once, how often again, and when it warns.
public struct OutboxSettings: Hashable, Sendable {
  /// How many operations are sent at once: 1 to 100.
  public var batchSize: Int {
    didSet { batchSize = min(max(batchSize, 1), Self.batchSizeMax) }
  }
  /// How often an operation that the server could not do is sent again before it is
  /// set aside; the first time it is sent doesn't count.
  public var retriesMax: Int
  /// How long a server that only fails is given before an operation's failure counts all
  /// the same, and before each further one does.
  ///
  /// Else it counts only where the server does the next thing that it is asked: while it is
  /// down as a whole, it is no operation's fault.
  public var outageMilliseconds: UInt64
  /// How long the first failure is waited out; each further one twice as long.
  public var backoffMilliseconds: UInt64
  /// How long a failure is waited out at most, unless the server says how long.
  public var backoffMaxMilliseconds: UInt64
  /// By which part a wait is made longer or shorter at random, so that not all
  /// clients come back at once; a wait that the server asked for is only made longer.
  public var jitter: Double {
    didSet { jitter = jitter.isFinite ? min(max(jitter, 0), 1) : 0 }
  }
  /// How long a server can make an operation wait: an hour usually.
  public var hintMaxMilliseconds: UInt64
  /// How many operations that wait are reported as a backlog.
  public var backlogWarning: Int

  /// How many operations are sent at once at most.
  public static var batchSizeMax: Int { 100 }

  /// Creates the usual settings: batches of 50, five retries after 1, 2, 4, 8 and 16
  /// seconds, give or take a quarter, four hours for a server that only fails, and so a day
  /// before an operation is set aside by that, and a warning at 500 operations.
  public init() {
    batchSize = 50
    retriesMax = 5
    outageMilliseconds = 14_400_000
    backoffMilliseconds = 1_000
    backoffMaxMilliseconds = 16_000
    jitter = 0.25
    hintMaxMilliseconds = 3_600_000
    backlogWarning = 500
  }
}

extension OutboxSettings {
  /// How long to wait after so many failures, the first of which is 1.
  func delay(
    after failures: Int, hint: Duration?, using random: inout some RandomNumberGenerator
  ) -> UInt64 {
    if let hint {
      let asked = min(hint.clampedMilliseconds, hintMaxMilliseconds)
      return asked + share(of: asked, from: 0, using: &random)
    }
    let doublings = UInt64(min(max(failures - 1, 0), 32))
    let (product, overflows) = backoffMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
    let delay = min(overflows ? .max : product, backoffMaxMilliseconds, hintMaxMilliseconds)
    let spread = share(of: delay, from: -1, using: &random)
    return delay &+ spread
  }

  /// A random part of a wait, from that many times the ``jitter`` to all of it, in
  /// two's complement.
  private func share(
    of delay: UInt64, from least: Double, using random: inout some RandomNumberGenerator
  ) -> UInt64 {
    // Waits are far below 2⁵³: they were bounded before.
    let part = Double.random(in: least...1, using: &random) * jitter
    let most = Double(min(delay, 1 << 52))
    return UInt64(bitPattern: Int64(part * most))
  }

  /// More than any wait: what would take longer was set by another clock.
  var longestWaitMilliseconds: UInt64 {
    min(hintMaxMilliseconds, .max / 4) * 2 + 1
  }
}
