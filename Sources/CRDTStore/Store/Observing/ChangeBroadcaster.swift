/// Hands changes on to all who want to hear of them.
final class ChangeBroadcaster: @unchecked Sendable {
  private let monitor = Monitor()
  // Both are guarded by the monitor.
  private var subscriptions: [WeakSubscription] = []
  private var isFinished = false

  private struct WeakSubscription {
    weak var subscription: ChangeSubscription?
  }

  /// Whether there is anybody.
  var hasSubscribers: Bool {
    monitor.withLock {
      if subscriptions.isEmpty { return false }
      subscriptions.removeAll { $0.subscription == nil }
      return !subscriptions.isEmpty
    }
  }

  func subscribe() -> ChangeSubscription {
    let subscription = ChangeSubscription()
    monitor.withLock {
      subscriptions.removeAll { $0.subscription == nil }
      subscriptions.append(WeakSubscription(subscription: subscription))
      if isFinished { subscription.finish() }
    }
    return subscription
  }

  func send(_ change: StoreChange) {
    let all = monitor.withLock { subscriptions.compactMap(\.subscription) }
    for subscription in all { subscription.send(change) }
  }

  /// There will be no more changes.
  func finish() {
    let all = monitor.withLock {
      isFinished = true
      return subscriptions.compactMap(\.subscription)
    }
    for subscription in all { subscription.finish() }
  }
}
