#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whether the tests were asked to go on for minutes: `CRDT_LONG_TESTS=1 swift test`.
package let isLongRun = getenv("CRDT_LONG_TESTS") != nil

/// Whether the build is optimized: then there are more schedules, since each costs a tenth.
///
/// `.ci/run` runs the tests of both builds.
#if DEBUG
package let isOptimized = false
#else
package let isOptimized = true
#endif
