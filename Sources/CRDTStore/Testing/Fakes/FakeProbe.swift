public import CRDTStore

/// A probe that answers what it is told to, or doesn't.
public final class FakeProbe: ConnectivityProbe {
  private struct State {
    var answer: ConnectivityProbeAnswer?
    var count = 0
  }

  private let state: Locked<State>

  /// Creates a probe with its answer; `nil` if it is to wait until it is cancelled.
  public init(_ answer: ConnectivityProbeAnswer? = .reached) {
    state = Locked(State(answer: answer))
  }

  /// What it answers from now on; `nil` if it is to wait until it is cancelled.
  public var answer: ConnectivityProbeAnswer? {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  /// How often it was asked.
  public var count: Int { state.withLock { $0.count } }

  /// Answers.
  public func probe() async -> ConnectivityProbeAnswer {
    let answer = state.withLock { state in
      state.count += 1
      return state.answer
    }
    if let answer { return answer }
    await Gate().wait()
    return .unreachable
  }
}
