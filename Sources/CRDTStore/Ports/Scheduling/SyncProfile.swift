/// How much is to be fetched, given what the way out can bear.
public enum SyncProfile: Hashable, Sendable, CaseIterable {
  /// Nothing: changes wait.
  case nothing
  /// Only what the app can't do without.
  case essential
  /// What has changed.
  case normal
  /// What has changed, and what may be wanted soon.
  case prefetching

  /// The profile that suits a way out; a constrained one takes one step less.
  public init(_ state: ConnectivityState, isConstrained: Bool = false) {
    switch state {
    case .offline, .captive: self = .nothing
    case .metered: self = isConstrained ? .essential : .normal
    case .online: self = isConstrained ? .normal : .prefetching
    }
  }
}
