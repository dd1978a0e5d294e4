#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whether the tests were asked to go on for minutes: `CRDT_LONG_TESTS=1 swift test`.
package let isLongRun = getenv("CRDT_LONG_TESTS") != nil

/// The seeds that a test of random schedules plays: so many from 0 on, more in long runs, or
/// those that are named: `CRDT_SEEDS=3000..100000 swift test --filter OutboxStormTests`.
package func seeds(_ count: UInt64, long longCount: UInt64) -> Range<UInt64> {
  guard let named = getenv("CRDT_SEEDS").map({ String(cString: $0) }) else {
    return 0..<(isLongRun ? longCount : count)
  }
  let bounds = named.split(separator: ".").compactMap { UInt64($0) }
  precondition(
    bounds.count == 2 && bounds[0] < bounds[1], "CRDT_SEEDS should be as 3000..100000: \(named)")
  return bounds[0]..<bounds[1]
}

/// Whether the build is optimized: then there are more schedules, since each costs a tenth.
///
/// `.ci/run` runs the tests of both builds.
#if DEBUG
package let isOptimized = false
#else
package let isOptimized = true
#endif
