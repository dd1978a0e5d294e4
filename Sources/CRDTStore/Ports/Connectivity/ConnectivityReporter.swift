/// A connectivity that is told its states: by an adapter's callbacks, or by hand.
///
///     let reporter = ConnectivityReporter(.offline)
///     monitor.pathUpdateHandler = { path in
///       reporter.report(path.status != .satisfied ? .offline : path.isExpensive ? .metered : .online)
///     }
public final class ConnectivityReporter: Connectivity {
  private struct Shared {
    var state: ConnectivityState
    var listeners: [Int: AsyncStream<ConnectivityState>.Continuation] = [:]
    var nextListener = 0
  }

  private let shared: Locked<Shared>

  /// Creates it with the state at first.
  public init(_ state: ConnectivityState) {
    shared = Locked(Shared(state: state))
  }

  deinit {
    let listeners = shared.withLock { $0.listeners }
    for listener in listeners.values { listener.finish() }
  }

  /// Tells the state, from any thread; it may be the same as before.
  ///
  /// - Complexity: O(number of loops over the states).
  public func report(_ state: ConnectivityState) {
    shared.withLock { shared in
      guard state != shared.state else { return }
      shared.state = state
      // With the lock held, so that all hear of the states in their order.
      for listener in shared.listeners.values { listener.yield(state) }
    }
  }

  /// The state that was told last.
  public var state: ConnectivityState { shared.withLock { $0.state } }

  /// The present state, and each new one; they end with the reporter.
  public var states: ConnectivityStates {
    ConnectivityStates { [shared] in
      let (stream, continuation) = AsyncStream.makeStream(
        of: ConnectivityState.self, bufferingPolicy: .bufferingNewest(1))
      let listener = shared.withLock { shared in
        defer { shared.nextListener += 1 }
        shared.listeners[shared.nextListener] = continuation
        continuation.yield(shared.state)
        return shared.nextListener
      }
      continuation.onTermination = { [weak shared] _ in
        shared?.withLock { _ = $0.listeners.removeValue(forKey: listener) }
      }
      return stream
    }
  }

  /// How many loops over the states there are.
  package var listenerCount: Int { shared.withLock { $0.listeners.count } }
}
