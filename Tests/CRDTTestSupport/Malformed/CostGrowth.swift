#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How many times as much work something is for four times as much input: 4 where it is
/// linear, 16 where it is quadratic.
///
/// It is counted in the processor's time of this thread alone, of which others take nothing;
/// the least of several runs counts.
package func costGrowth<Input>(
  from count: Int, runs: Int = 3, _ make: (Int) throws -> Input,
  _ body: (inout Input) throws -> Void
) rethrows -> Double {
  func least(_ count: Int) throws -> UInt64 {
    let input = try make(count)
    var least = UInt64.max
    for _ in 0..<runs {
      var copy = input
      let start = threadTime()
      try body(&copy)
      least = min(least, threadTime() - start)
    }
    return least
  }
  let small = try least(count)
  return Double(try least(4 * count)) / Double(max(small, 1))
}

private func threadTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
