/// Tells which way out there is, now and whenever it changes.
///
/// A platform's adapter hands what its system reports to a ``ConnectivityReporter``.
/// What a system reports is often too hopeful: ``ProbedConnectivity`` tries it. A
/// process that can't tell uses ``AlwaysOnline``: transports find out by themselves.
/// Contract:
/// - Both can be asked on any thread, by any number at once, and don't wait.
/// - ``states`` gives the present state first, then each new one: never the same
///   twice in a row. Who is slow misses states in between, but never the newest.
/// - A loop over the states ends when its task is cancelled; others go on.
/// - Nothing here fails: what can't be known is `online`.
public protocol Connectivity: Sendable {
  /// The present state.
  var state: ConnectivityState { get }

  /// The present state, and each new one.
  var states: ConnectivityStates { get }
}

/// Which way out there is, and whether it costs anything.
public enum ConnectivityState: String, Hashable, Sendable, CaseIterable {
  /// There is none.
  case offline
  /// There is a network, but it answers in place of the servers: somebody must sign
  /// in to it first.
  case captive
  /// Servers are reached, over what is paid for by size or is to be used sparingly.
  case metered
  /// Servers are reached.
  case online

  /// Whether servers are reached.
  public var reachesServers: Bool { self == .metered || self == .online }
}

/// The states of a ``Connectivity``: the present one first, never the same twice in
/// a row.
public struct ConnectivityStates: AsyncSequence, Sendable {
  /// Which way out there is.
  public typealias Element = ConnectivityState

  private let makeStream: @Sendable () -> AsyncStream<ConnectivityState>

  /// Creates the states of a stream that is made anew for each loop.
  ///
  /// The stream gives the present state at once; repeated ones are left out here.
  public init(_ makeStream: @escaping @Sendable () -> AsyncStream<ConnectivityState>) {
    self.makeStream = makeStream
  }

  /// Hands out the states.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var states: AsyncStream<ConnectivityState>.Iterator
    var last: ConnectivityState?

    /// Waits for the next state; `nil` when there will be none.
    public mutating func next() async -> ConnectivityState? {
      await next(isolation: nil)
    }

    /// Waits for the next state; `nil` when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectivityState? {
      while let state = await states.next(isolation: actor) {
        guard state != last else { continue }
        last = state
        return state
      }
      return nil
    }
  }

  /// Begins to hand out the states.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(states: makeStream().makeAsyncIterator())
  }
}

/// The connectivity of a process that can't tell: it is online.
public struct AlwaysOnline: Connectivity {
  /// Creates it; there is nothing to set.
  public init() {}

  /// Online.
  public var state: ConnectivityState { .online }

  /// Online, and then nothing until the loop's task is cancelled.
  public var states: ConnectivityStates {
    ConnectivityStates {
      let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
      continuation.yield(.online)
      return stream
    }
  }
}

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
