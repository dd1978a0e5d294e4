/// Delivers changes to all subscriptions.
final class ChangeBroadcaster: @unchecked Sendable {
  private let monitor = Monitor()
  // Both are guarded by the monitor.
  private var subscriptions: [WeakSubscription] = []
  private var isFinished = false

  private struct WeakSubscription {
    weak var subscription: ChangeSubscription?
  }

  /// Whether there are subscriptions.
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

  func send(_ change: Store.Change) {
    let all = monitor.withLock { subscriptions.compactMap(\.subscription) }
    for subscription in all { subscription.send(change) }
  }

  /// Ends all subscriptions: there will be no more changes.
  func finish() {
    let all = monitor.withLock {
      isFinished = true
      return subscriptions.compactMap(\.subscription)
    }
    for subscription in all { subscription.finish() }
  }
}

/// A subscription to changes: all changes since the last read are delivered as one.
final class ChangeSubscription: @unchecked Sendable {
  private let monitor = Monitor()
  // All are guarded by the monitor.
  private var pending: Store.Change?
  /// The waiting readers; the first one receives the next change.
  private var waiters: [Waiter] = []
  private var isFinished = false

  private typealias Continuation = Handover<Store.Change?>

  /// A waiting reader, which may be cancelled.
  private final class Waiter: @unchecked Sendable {
    // Guarded by the subscription's monitor.
    var continuation: Continuation?
  }

  func send(_ change: Store.Change) {
    let waiting = monitor.withLock { () -> Continuation? in
      if !waiters.isEmpty { return waiters.removeFirst().continuation }
      if pending == nil { pending = change } else { pending?.merge(change) }
      return nil
    }
    waiting?.resume(returning: change)
  }

  /// The changes since the last read; `nil` if there were none.
  func takePending() -> Store.Change? {
    monitor.withLock {
      defer { pending = nil }
      return pending
    }
  }

  /// Ends the subscription after the pending changes.
  func finish() {
    let waiting = monitor.withLock { () -> [Waiter] in
      isFinished = true
      defer { waiters = [] }
      return waiters
    }
    for waiter in waiting { waiter.continuation?.resume(returning: nil) }
  }

  /// The next change; `nil` if there will be none, or if the task is cancelled.
  ///
  /// A cancelled task receives nothing, even if a change is pending. Otherwise its loop
  /// would run for as long as commits come faster than it reads them. After the store is
  /// closed, it still receives the pending change.
  nonisolated(nonsending) func next() async -> Store.Change? {
    let waiter = Waiter()
    return await withTaskCancellationHandler {
      await Continuation.wait { continuation in
        let ready = monitor.withLock { () -> Store.Change?? in
          if Task.isCancelled { return .some(nil) }
          if let change = pending {
            pending = nil
            return .some(change)
          }
          if isFinished { return .some(nil) }
          waiter.continuation = continuation
          waiters.append(waiter)
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      cancel(waiter)
    }
  }

  /// Cancels a reader, if it still waits.
  private func cancel(_ waiter: Waiter) {
    let waiting = monitor.withLock { () -> Continuation? in
      guard let place = waiters.firstIndex(where: { $0 === waiter }) else { return nil }
      return waiters.remove(at: place).continuation
    }
    waiting?.resume(returning: nil)
  }
}
