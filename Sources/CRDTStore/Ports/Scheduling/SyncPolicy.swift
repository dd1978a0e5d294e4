/// Decides what to sync after a trigger.
///
///     let plan = policy.plan(for: .foreground(sinceLast: span), SyncProfile(connectivity.state))
///
/// It is a pure function: equal arguments give equal plans.
public struct SyncPolicy: Hashable, Sendable {
  /// How long after the last sync a return to the foreground fetches everything.
  public var foregroundInterval: Duration = .seconds(5 * 60)
  /// The interval of the timer: 15 minutes, the shortest at which phones wake apps.
  public var timerInterval: Duration = .seconds(15 * 60)
  /// How long a change waits for further ones to send together.
  public var mutationDelay: Duration = .milliseconds(500)
  /// The collections that are fetched under the profile `essential`; `nil` for all.
  public var essentialCollections: Set<String>?

  /// Creates the default policy.
  public init() {}

  /// Returns what to sync after a trigger.
  ///
  /// If nothing can be synced, the plan is empty: changes wait for
  /// ``SyncPolicy/Trigger/networkRestored``.
  public func plan(for trigger: SyncPolicy.Trigger, _ profile: SyncPolicy.Profile)
    -> SyncPolicy.Plan
  {
    if profile == .nothing { return .nothing }
    let prefetches = profile == .prefetching
    let everything = SyncPolicy.Plan(
      sends: true, fetches: limited(.everything, profile), prefetches: prefetches)
    switch trigger {
    case .mutation:
      return SyncPolicy.Plan(sends: true, fetches: .nothing, delay: mutationDelay)
    case .launch, .networkRestored, .timer:
      return everything
    case .foreground(let span):
      if let span, span <= foregroundInterval {
        return SyncPolicy.Plan(sends: true, fetches: .nothing)
      }
      return everything
    case .push(let collection):
      guard let collection else { return everything }
      return SyncPolicy.Plan(sends: false, fetches: limited(.collections([collection]), profile))
    case .user:
      // A user's request is performed in full.
      return SyncPolicy.Plan(sends: true, fetches: .everything, prefetches: prefetches)
    }
  }

  private func limited(_ fetches: SyncPolicy.Plan.Fetch, _ profile: SyncPolicy.Profile)
    -> SyncPolicy.Plan.Fetch
  {
    guard profile == .essential, let essentialCollections else { return fetches }
    guard case .collections(let collections) = fetches else {
      return .collections(essentialCollections)
    }
    return .collections(collections.intersection(essentialCollections))
  }
}

extension SyncPolicy {
  /// What to sync, and when.
  public struct Plan: Hashable, Sendable {
    /// What to fetch.
    public enum Fetch: Hashable, Sendable {
      /// The changes of some collections; nothing if the set is empty.
      case collections(Set<String>)
      /// All changes.
      case everything

      /// Nothing.
      public static var nothing: Fetch { .collections([]) }

      /// Everything that either of both fetches.
      public func union(_ other: Fetch) -> Fetch {
        guard case .collections(let mine) = self, case .collections(let theirs) = other else {
          return .everything
        }
        return .collections(mine.union(theirs))
      }
    }

    /// Whether to send pending changes.
    public var sends: Bool
    /// What to fetch.
    public var fetches: Fetch
    /// Whether to prefetch content that the user may want soon.
    ///
    /// This is for the app, which knows that content; an outbox only fetches changes.
    public var prefetches: Bool
    /// How long to wait for further triggers, to sync once for all.
    ///
    /// ``Outbox/run(triggers:)`` waits; ``Outbox/sync(upon:within:)`` syncs at once.
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
    public static var nothing: SyncPolicy.Plan { SyncPolicy.Plan(sends: false, fetches: .nothing) }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { !sends && fetches == .nothing }

    /// The plan that does everything that either of both does, after the shorter delay.
    public func union(_ other: SyncPolicy.Plan) -> SyncPolicy.Plan {
      if isEmpty { return other }
      if other.isEmpty { return self }
      return SyncPolicy.Plan(
        sends: sends || other.sends, fetches: fetches.union(other.fetches),
        prefetches: prefetches || other.prefetches, delay: min(delay, other.delay))
    }
  }

  /// How much to fetch over the current connection.
  public enum Profile: Hashable, Sendable, CaseIterable {
    /// Nothing: changes wait.
    case nothing
    /// Only the essential collections.
    case essential
    /// All changes.
    case normal
    /// All changes, and content that the user may want soon.
    case prefetching

    /// Creates the profile for a connectivity; a constrained connection lowers it by one
    /// step.
    public init(_ state: ConnectivityState, isConstrained: Bool = false) {
      switch state {
      case .offline, .captive: self = .nothing
      case .metered: self = isConstrained ? .essential : .normal
      case .online: self = isConstrained ? .normal : .prefetching
      }
    }
  }

  /// An event after which an app may want to sync.
  ///
  /// Report events of your app as triggers. A ``SyncPolicy`` decides what to sync.
  public enum Trigger: Hashable, Sendable {
    /// The user changed something.
    case mutation
    /// The app was started.
    case launch
    /// The app came to the foreground, this long after the last sync; `nil` if there was
    /// none.
    case foreground(sinceLast: Duration?)
    /// Servers are reached again.
    case networkRestored
    /// Some time has passed: see ``SyncPolicy/timerInterval``.
    case timer
    /// A server announced a change in a collection; `nil` if it didn't name one.
    case push(collection: String?)
    /// The user requested it, or waits for its outcome, for example after a payment.
    case user
  }
}
