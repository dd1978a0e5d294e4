import CRDTStore

/// A clock that goes on by a second each time that it is asked, so that a scenario is the
/// same in every run.
final class ScenarioClock: WallClock {
  private let state = Locked<UInt64>(1_750_000_000_000)

  var milliseconds: UInt64 {
    state.withLock { time in
      time += 1_000
      return time
    }
  }
}
