import CRDTStore

/// Something that tasks wait at until it is opened.
public final class Gate: Sendable {
  private let state = Locked(State())

  private struct State {
    var isOpen = false
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  /// Creates a gate that is closed.
  public init() {}

  /// Waits until the gate is open; says whether it is, or the task was cancelled.
  @discardableResult
  public func wait() async -> Bool {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiting.append(continuation) }
      return state.isOpen
    }
    if isOpen { return true }
    for await _ in stream {}
    return !Task.isCancelled
  }

  /// Lets all through that wait, and all that come.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.finish() }
  }

  /// How many have come to wait and were not let through.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }
}
