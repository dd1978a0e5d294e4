/// Says what is to be synced upon a trigger.
///
///     let plan = policy.plan(for: .foreground(sinceLast: span), SyncProfile(connectivity.state))
///
/// It only decides: the same questions have the same answers.
public struct SyncPolicy: Hashable, Sendable {
  /// How long after the last sync coming to the front fetches everything.
  public var foregroundMin: Duration = .seconds(5 * 60)
  /// How often the timer is to go: 15 minutes, more often than which phones don't let
  /// apps wake up.
  public var timerInterval: Duration = .seconds(15 * 60)
  /// How long a change waits for others to be sent together with.
  public var mutationDelay: Duration = .milliseconds(500)
  /// The collections that are fetched where little can be; `nil` if all are.
  public var essentialCollections: Set<String>?

  /// Creates the policy that is usual.
  public init() {}

  /// What is to be synced upon a trigger.
  ///
  /// Where nothing can be, the plan is empty: changes wait for
  /// ``SyncTrigger/networkRestored``.
  public func plan(for trigger: SyncTrigger, _ profile: SyncProfile) -> SyncPlan {
    if profile == .nothing { return .nothing }
    let prefetches = profile == .prefetching
    let everything = SyncPlan(
      sends: true, fetches: limited(.everything, profile), prefetches: prefetches)
    switch trigger {
    case .mutation:
      return SyncPlan(sends: true, fetches: .nothing, delay: mutationDelay)
    case .launch, .networkRestored, .timer:
      return everything
    case .foreground(let span):
      if let span, span <= foregroundMin { return SyncPlan(sends: true, fetches: .nothing) }
      return everything
    case .push(let collection):
      guard let collection else { return everything }
      return SyncPlan(sends: false, fetches: limited(.collections([collection]), profile))
    case .user:
      // What was asked for is done in full.
      return SyncPlan(sends: true, fetches: .everything, prefetches: prefetches)
    }
  }

  private func limited(_ fetches: SyncPlan.Fetch, _ profile: SyncProfile) -> SyncPlan.Fetch {
    guard profile == .essential, let essentialCollections else { return fetches }
    guard case .collections(let collections) = fetches else {
      return .collections(essentialCollections)
    }
    return .collections(collections.intersection(essentialCollections))
  }
}

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

/// Something upon which an app may want to sync.
///
/// What happens in the app is told as one of these, by whoever hears of it, and a
/// ``SyncPolicy`` says what is to be synced.
public enum SyncTrigger: Hashable, Sendable {
  /// The user changed something.
  case mutation
  /// The app was started.
  case launch
  /// The app came to the front; how long after the last sync, `nil` if there was none.
  case foreground(sinceLast: Duration?)
  /// Servers are reached again.
  case networkRestored
  /// Some time has passed: see ``SyncPolicy/timerInterval``.
  case timer
  /// A server said that something in a collection has changed; `nil` if it didn't say
  /// in which.
  case push(collection: String?)
  /// The user asked for it, or waits for its outcome, as after a payment.
  case user
}
