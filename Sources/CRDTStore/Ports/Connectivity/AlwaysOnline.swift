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
