import CRDTStore
import Synchronization

/// A clock that stands still until a test sets it.
final class TestClock: WallClock {
  private let time: Atomic<UInt64>

  init(_ milliseconds: UInt64) {
    time = Atomic(milliseconds)
  }

  var milliseconds: UInt64 { time.load(ordering: .relaxed) }

  /// Sets the clock, back too.
  func set(_ milliseconds: UInt64) {
    time.store(milliseconds, ordering: .relaxed)
  }

  /// Lets the time go on.
  func advance(by milliseconds: UInt64) {
    time.add(milliseconds, ordering: .relaxed)
  }
}
