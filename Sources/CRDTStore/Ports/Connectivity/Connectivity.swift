/// Reports whether servers can be reached, now and whenever it changes.
///
/// A platform's adapter passes the system's reports to a ``ConnectivityReporter``. Systems
/// often report connectivity too optimistically: ``ProbedConnectivity`` checks it. A
/// process that has no reports uses ``AlwaysOnline``: transports detect failures by
/// themselves. Contract:
/// - You can read both properties on any thread, concurrently, and they don't wait.
/// - ``states`` yields the current state first, then each new one, never the same twice in
///   a row. A slow reader misses states in between, but never the newest.
/// - A loop over the states ends when its task is cancelled; other loops continue.
/// - Nothing here fails: an unknown state is `online`.
public protocol Connectivity: Sendable {
  /// The current state.
  var state: ConnectivityState { get }

  /// The current state, and each new one.
  var states: ConnectivityStates { get }
}

/// Whether servers can be reached, and whether the connection is metered.
public enum ConnectivityState: String, Hashable, Sendable, CaseIterable {
  /// There is no network.
  case offline
  /// There is a captive network, which answers in place of the servers until the user signs
  /// in.
  case captive
  /// Servers are reached over a metered connection, which you should use sparingly.
  case metered
  /// Servers are reached.
  case online

  /// Whether servers are reached.
  public var reachesServers: Bool { self == .metered || self == .online }
}

/// The states of a ``Connectivity``: the current one first, never the same twice in a row.
public struct ConnectivityStates: AsyncSequence, Sendable {
  /// A state.
  public typealias Element = ConnectivityState

  private let makeStream: @Sendable () -> AsyncStream<ConnectivityState>

  /// Creates a sequence from a stream that is created for each loop.
  ///
  /// The stream must yield the current state at once. The sequence drops repeated states.
  public init(_ makeStream: @escaping @Sendable () -> AsyncStream<ConnectivityState>) {
    self.makeStream = makeStream
  }

  /// The iterator of the states.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var states: AsyncStream<ConnectivityState>.Iterator
    var last: ConnectivityState?

    /// Waits for the next state; returns `nil` after the last one.
    public mutating func next() async -> ConnectivityState? {
      await next(isolation: nil)
    }

    /// Waits for the next state; returns `nil` after the last one.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectivityState? {
      while let state = await states.next(isolation: actor) {
        guard state != last else { continue }
        last = state
        return state
      }
      return nil
    }
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(states: makeStream().makeAsyncIterator())
  }
}

/// A connectivity that is always online, for processes that receive no reports.
public struct AlwaysOnline: Connectivity {
  /// Creates an instance.
  public init() {}

  /// Online.
  public var state: ConnectivityState { .online }

  /// Yields `online`, and then nothing until the loop's task is cancelled.
  public var states: ConnectivityStates {
    ConnectivityStates {
      let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
      continuation.yield(.online)
      return stream
    }
  }
}

/// A connectivity whose states you set, for example in an adapter's callbacks.
///
///     let reporter = ConnectivityReporter(.offline)
///     monitor.pathUpdateHandler = { path in
///       reporter.report(path.status != .satisfied ? .offline : path.isExpensive ? .metered :
///     .online) }
public final class ConnectivityReporter: Connectivity {
  private struct Shared {
    var state: ConnectivityState
    var listeners: [Int: AsyncStream<ConnectivityState>.Continuation] = [:]
    var nextListener = 0
  }

  private let shared: Locked<Shared>

  /// Creates a reporter with its initial state.
  public init(_ state: ConnectivityState) {
    shared = Locked(Shared(state: state))
  }

  deinit {
    let listeners = shared.withLock { $0.listeners }
    for listener in listeners.values { listener.finish() }
  }

  /// Sets the state, from any thread.
  ///
  /// It may be the same as before.
  ///
  /// - Complexity: O(number of loops over the states).
  public func report(_ state: ConnectivityState) {
    shared.withLock { shared in
      guard state != shared.state else { return }
      shared.state = state
      // Yield with the lock held, so that all listeners receive the states in order.
      for listener in shared.listeners.values { listener.yield(state) }
    }
  }

  /// The latest state.
  public var state: ConnectivityState { shared.withLock { $0.state } }

  /// The current state, and each new one; the sequence ends with the reporter.
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

  /// The number of active loops over the states.
  package var listenerCount: Int { shared.withLock { $0.listeners.count } }
}
