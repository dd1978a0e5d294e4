import CRDTStore
import Synchronization

/// The wall clock of a node in a ``World``, which may be wrong.
struct WorldClock: Equatable, Sendable {
  /// The time at which all worlds begin.
  static let beginning: UInt64 = 1_800_000_000_000

  /// The offset in milliseconds; negative if the clock is behind.
  var offset: Int64 = 0
  /// The drift in parts per million; positive if the clock is fast.
  var drift: Int64 = 0

  /// The time that it shows at a virtual time in microseconds.
  func milliseconds(at now: UInt64) -> UInt64 {
    guard offset != 0 || drift != 0 else { return Self.beginning &+ now / 1_000 }
    let elapsed = Int64(clamping: now / 1_000)
    let error = offset + (elapsed / 1_000_000) * drift + (elapsed % 1_000_000) * drift / 1_000_000
    return UInt64(clamping: Int64(Self.beginning) + elapsed + error)
  }
}

/// The clock of a store in a ``World``, which shows the time of its node's last call.
final class NodeClock: WallClock {
  private let time = Atomic<UInt64>(WorldClock.beginning)
  private let greatest = Atomic<UInt64>(WorldClock.beginning)

  var milliseconds: UInt64 { time.load(ordering: .relaxed) }

  /// The latest time that it has shown.
  var latest: UInt64 { greatest.load(ordering: .relaxed) }

  func set(_ milliseconds: UInt64) {
    time.store(milliseconds, ordering: .relaxed)
    greatest.max(milliseconds, ordering: .relaxed)
  }
}

/// The monotonic clock of a store in a ``World``, independent of its wall clock.
final class NodeElapsed: MonotonicClock {
  private let microseconds = Atomic<UInt64>(0)

  var elapsed: Duration { .microseconds(microseconds.load(ordering: .relaxed)) }

  func set(_ now: UInt64) { microseconds.store(now, ordering: .relaxed) }

  /// Nothing waits in virtual time.
  func sleep(until moment: Duration) async throws(CancellationError) {}
}
