import CRDTStore
import Synchronization

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
