/// What is to be synced, and when.
public struct SyncPlan: Hashable, Sendable {
  /// What is to be fetched.
  public enum Fetch: Hashable, Sendable {
    /// What has changed in some collections; in none if there are none.
    case collections(Set<String>)
    /// What has changed.
    case everything

    /// Nothing.
    public static var nothing: Fetch { .collections([]) }

    /// What one of both fetches.
    public func union(_ other: Fetch) -> Fetch {
      guard case .collections(let mine) = self, case .collections(let theirs) = other else {
        return .everything
      }
      return .collections(mine.union(theirs))
    }
  }

  /// Whether changes that wait are to be sent.
  public var sends: Bool
  /// What is to be fetched.
  public var fetches: Fetch
  /// Whether what may be wanted soon is fetched as well: for the app, which knows what
  /// that is; an outbox fetches what has changed.
  public var prefetches: Bool
  /// How long to wait for further triggers, to do it all at once: ``Outbox/run(triggers:)``
  /// does, ``Outbox/sync(upon:within:)`` syncs at once.
  public var delay: Duration

  /// Creates a plan.
  public init(
    sends: Bool, fetches: Fetch, prefetches: Bool = false, delay: Duration = .zero
  ) {
    self.sends = sends
    self.fetches = fetches
    self.prefetches = prefetches
    self.delay = delay
  }

  /// The plan to do nothing.
  public static var nothing: SyncPlan { SyncPlan(sends: false, fetches: .nothing) }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { !sends && fetches == .nothing }

  /// The plan that does what one of both does, as soon as the sooner.
  public func union(_ other: SyncPlan) -> SyncPlan {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return SyncPlan(
      sends: sends || other.sends, fetches: fetches.union(other.fetches),
      prefetches: prefetches || other.prefetches, delay: min(delay, other.delay))
  }
}
