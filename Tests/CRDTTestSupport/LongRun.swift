#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whether the tests were asked to go on for minutes: `CRDT_LONG_TESTS=1 swift test`.
package let isLongRun = getenv("CRDT_LONG_TESTS") != nil

/// How many schedules a test plays: a third of the count in a build that isn't optimized, in
/// which each costs ten times as much, and more in long runs.
package func scheduleCount(_ count: UInt64, long longCount: UInt64) -> UInt64 {
  isLongRun ? longCount : playsAll ? count : (count + 2) / 3
}

/// Whether tests play all that they have: in long runs, and in optimized builds.
///
/// Otherwise each schedule costs ten times as much, and a part is played.
package let playsAll = isLongRun || isOptimized

/// The seeds that a test of random schedules plays: ``scheduleCount(_:long:)`` from 0 on, or
/// those that are named: `CRDT_SEEDS=3000..100000 swift test --filter OutboxStormTests`.
package func seeds(_ count: UInt64, long longCount: UInt64) -> Range<UInt64> {
  guard let named = getenv("CRDT_SEEDS").map({ String(cString: $0) }) else {
    return 0..<scheduleCount(count, long: longCount)
  }
  let bounds = named.split(separator: ".").compactMap { UInt64($0) }
  precondition(
    bounds.count == 2 && bounds[0] < bounds[1], "CRDT_SEEDS should be as 3000..100000: \(named)")
  return bounds[0]..<bounds[1]
}

/// Whether the build is optimized.
#if DEBUG
package let isOptimized = false
#else
package let isOptimized = true
#endif
