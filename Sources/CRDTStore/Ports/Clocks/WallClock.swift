#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Gives the time of day, which may be wrong, stand still or be set back.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970.
  var milliseconds: UInt64 { get }
}

/// The system's clock.
public struct SystemClock: WallClock {
  /// Creates an instance.
  public init() {}

  /// Milliseconds since 1970; 0 if the clock shows an earlier time.
  public var milliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (seconds, _) = UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000)
    return seconds &+ UInt64(clamping: time.tv_nsec / 1_000_000)
  }
}
