/// When a ``ProbedConnectivity`` asks.
public struct ConnectivityProbeTiming: Hashable, Sendable {
  /// How long an answer is waited for.
  public var timeout: Duration = .seconds(5)
  /// How long after an answer that servers are reached it asks again.
  public var interval: Duration = .seconds(60)
  /// How long after the first answer that they are not it asks again; each time after
  /// that, twice as long.
  public var retryMin: Duration = .seconds(1)
  /// How long it waits at most before it asks again.
  public var retryMax: Duration = .seconds(60)

  /// Creates the times that are usual.
  public init() {}
}
