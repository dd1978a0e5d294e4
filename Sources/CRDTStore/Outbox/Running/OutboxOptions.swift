/// What an outbox needs besides a way to the server.
public struct OutboxOptions: Sendable {
  /// How long a call of the transport, or of ``renewCredentials``, may take.
  ///
  /// One that takes longer is cancelled and not waited for, and counts as
  /// ``RemoteError/Kind/timeout``: the server may have done what it was asked.
  public var callLimit: Duration = .seconds(60)
  /// Gives new credentials to the transport when the server wants them; says whether
  /// there are any.
  public var renewCredentials: @Sendable () async -> Bool = { false }
  /// Tells when there is a way to servers.
  public var connectivity: any Connectivity = AlwaysOnline()
  /// Measures time that passes.
  public var clock: any MonotonicClock = SystemMonotonicClock()
  /// Says what is synced when.
  public var policy = SyncPolicy()
  /// Is told what is done.
  public var logger: any Logger = NoLogger()

  /// Creates the usual options.
  public init() {}
}
