import CRDTStore
import Synchronization

/// The time that has passed for a store in a ``World``, whatever its clock says.
final class NodeElapsed: MonotonicClock {
  private let microseconds = Atomic<UInt64>(0)

  var elapsed: Duration { .microseconds(microseconds.load(ordering: .relaxed)) }

  func set(_ now: UInt64) { microseconds.store(now, ordering: .relaxed) }

  /// Nothing waits in virtual time.
  func sleep(until moment: Duration) async throws(CancellationError) {}
}
