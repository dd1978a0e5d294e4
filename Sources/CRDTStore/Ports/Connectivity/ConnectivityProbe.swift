/// Tries whether servers are reached: by asking one for an answer that is known.
///
/// An adapter asks an address of the app's own for a fixed short answer, over a
/// connection of its own and past all caches. Contract:
/// - It says ``ConnectivityProbeAnswer/intercepted`` where an answer came, but not the known one, and
///   ``ConnectivityProbeAnswer/unreachable`` where none came.
/// - It may be asked on any task, returns soon when that is cancelled, and doesn't
///   fail in any other way.
public protocol ConnectivityProbe: Sendable {
  /// Asks once.
  func probe() async -> ConnectivityProbeAnswer
}
