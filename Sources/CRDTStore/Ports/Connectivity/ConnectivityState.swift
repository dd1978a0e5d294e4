/// Which way out there is, and whether it costs anything.
public enum ConnectivityState: String, Hashable, Sendable, CaseIterable {
  /// There is none.
  case offline
  /// There is a network, but it answers in place of the servers: somebody must sign
  /// in to it first.
  case captive
  /// Servers are reached, over what is paid for by size or is to be used sparingly.
  case metered
  /// Servers are reached.
  case online

  /// Whether servers are reached.
  public var reachesServers: Bool { self == .metered || self == .online }
}
