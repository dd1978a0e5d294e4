import CRDTStore
import Synchronization

/// The wall clock of a node in a ``World``, which may be wrong.
struct WorldClock: Equatable, Sendable {
  /// When all worlds begin.
  static let beginning: UInt64 = 1_800_000_000_000

  /// Milliseconds that it is ahead, or behind where negative.
  var offset: Int64 = 0
  /// How much too fast it goes, in parts per million.
  var drift: Int64 = 0

  /// What it shows at a moment of virtual time, in microseconds.
  func milliseconds(at now: UInt64) -> UInt64 {
    guard offset != 0 || drift != 0 else { return Self.beginning &+ now / 1_000 }
    let elapsed = Int64(clamping: now / 1_000)
    let error = offset + (elapsed / 1_000_000) * drift + (elapsed % 1_000_000) * drift / 1_000_000
    return UInt64(clamping: Int64(Self.beginning) + elapsed + error)
  }
}

/// The clock of a store in a ``World``: it shows the time that its node was last called
/// at.
final class NodeClock: WallClock {
  private let time = Atomic<UInt64>(WorldClock.beginning)
  private let greatest = Atomic<UInt64>(WorldClock.beginning)

  var milliseconds: UInt64 { time.load(ordering: .relaxed) }

  /// The greatest time that it has shown.
  var latest: UInt64 { greatest.load(ordering: .relaxed) }

  func set(_ milliseconds: UInt64) {
    time.store(milliseconds, ordering: .relaxed)
    greatest.max(milliseconds, ordering: .relaxed)
  }
}

/// The time that has passed for a store in a ``World``, whatever its clock says.
final class NodeElapsed: MonotonicClock {
  private let microseconds = Atomic<UInt64>(0)

  var elapsed: Duration { .microseconds(microseconds.load(ordering: .relaxed)) }

  func set(_ now: UInt64) { microseconds.store(now, ordering: .relaxed) }

  /// Nothing waits in virtual time.
  func sleep(until moment: Duration) async throws(CancellationError) {}
}
