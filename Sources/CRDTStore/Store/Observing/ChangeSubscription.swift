/// One who wants to hear of changes: what came since they last asked is one change.
final class ChangeSubscription: @unchecked Sendable {
  private let monitor = Monitor()
  // All are guarded by the monitor.
  private var pending: StoreChange?
  private var continuation: UnsafeContinuation<StoreChange?, Never>?
  private var isFinished = false

  func send(_ change: StoreChange) {
    let waiting = monitor.withLock { () -> UnsafeContinuation<StoreChange?, Never>? in
      if let continuation {
        self.continuation = nil
        return continuation
      }
      if pending == nil { pending = change } else { pending?.merge(change) }
      return nil
    }
    waiting?.resume(returning: change)
  }

  /// What came since it was last asked; `nil` where nothing did.
  func takePending() -> StoreChange? {
    monitor.withLock {
      defer { pending = nil }
      return pending
    }
  }

  /// There will be no more changes than those that wait.
  func finish() {
    let waiting = monitor.withLock { () -> UnsafeContinuation<StoreChange?, Never>? in
      isFinished = true
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: nil)
  }

  /// The next change; `nil` where there will be none, or the task is cancelled.
  nonisolated(nonsending) func next() async -> StoreChange? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let ready = monitor.withLock { () -> StoreChange?? in
          if let change = pending {
            pending = nil
            return .some(change)
          }
          if isFinished || Task.isCancelled { return .some(nil) }
          self.continuation = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      finish()
    }
  }
}
