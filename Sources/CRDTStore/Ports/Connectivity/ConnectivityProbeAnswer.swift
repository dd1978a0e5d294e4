/// What a ``ConnectivityProbe`` found.
public enum ConnectivityProbeAnswer: Hashable, Sendable, CaseIterable {
  /// The known answer came.
  case reached
  /// Another answer came: somebody sits in between.
  case intercepted
  /// No answer came.
  case unreachable
}
