#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Darwin)
@preconcurrency import Darwin
#endif

/// Measures how long this process has worked: the lesser of the time that went
/// by and the processor's time that the process took; or, where what is measured
/// waits for the disk, the time that went by.
///
/// On a machine that others use too, the first counts the moments in which they
/// had the processor; the second, which takes a system call to ask for, counts
/// those calls. The work is done by one thread, so alone both are the same.
struct Stopwatch {
  private static let clock = ContinuousClock()

  private let processorStart: Double
  private let start: ContinuousClock.Instant

  /// Starts to measure.
  init() {
    processorStart = Self.processorTime()
    start = Self.clock.now
  }

  /// The nanoseconds of work since the start, with those of waiting or without.
  func elapsed(countingWaits: Bool) -> Double {
    let wall = wallTime()
    if countingWaits { return wall }
    return min(wall, Self.processorTime() - processorStart)
  }

  /// The part of the time since the start in which the process had a processor.
  func processorShare() -> Double {
    let wall = wallTime()
    return (Self.processorTime() - processorStart) / wall
  }

  private func wallTime() -> Double {
    let (seconds, attoseconds) = start.duration(to: Self.clock.now).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
