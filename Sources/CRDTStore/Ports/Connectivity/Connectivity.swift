/// Tells which way out there is, now and whenever it changes.
///
/// A platform's adapter hands what its system reports to a ``ConnectivityReporter``.
/// What a system reports is often too hopeful: ``ProbedConnectivity`` tries it. A
/// process that can't tell uses ``AlwaysOnline``: transports find out by themselves.
/// Contract:
/// - Both can be asked on any thread, by any number at once, and don't wait.
/// - ``states`` gives the present state first, then each new one: never the same
///   twice in a row. Who is slow misses states in between, but never the newest.
/// - A loop over the states ends when its task is cancelled; others go on.
/// - Nothing here fails: what can't be known is `online`.
public protocol Connectivity: Sendable {
  /// The present state.
  var state: ConnectivityState { get }

  /// The present state, and each new one.
  var states: ConnectivityStates { get }
}
