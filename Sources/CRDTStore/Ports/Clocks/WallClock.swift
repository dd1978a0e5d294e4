#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Tells the time of day, which may be wrong, stand still or be set back.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970.
  var milliseconds: UInt64 { get }
}

/// The clock of the machine.
public struct SystemClock: WallClock {
  /// Creates it; there is nothing to set.
  public init() {}

  /// Milliseconds since 1970; 0 where the clock stands before that.
  public var milliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (seconds, _) = UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000)
    return seconds &+ UInt64(clamping: time.tv_nsec / 1_000_000)
  }
}
