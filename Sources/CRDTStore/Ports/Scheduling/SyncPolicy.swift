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
