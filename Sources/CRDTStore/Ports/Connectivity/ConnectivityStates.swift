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
