/// How long some steps took, each done once.
struct Steps {
  private var times: [(name: String, nanoseconds: Double)] = []

  /// The step that took longest.
  var costliest: (name: String, nanoseconds: Double) {
    times.max { $0.nanoseconds < $1.nanoseconds } ?? ("nothing", 0)
  }

  /// How long a step took in all.
  subscript(name: String) -> Double {
    times.reduce(0) { $0 + ($1.name == name ? $1.nanoseconds : 0) }
  }

  /// Does a step and notes how long it took; what it gives is freed outside of the timer.
  @discardableResult
  mutating func time<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let stopwatch = Stopwatch()
    let result = try body()
    times.append((name, stopwatch.elapsed(countingWaits: false)))
    blackHole(result)
    return result
  }
}

extension Benchmark {
  /// Reports the costliest of some steps, beside the same step with a quarter of the input:
  /// 4 times as much is linear, 16 times quadratic.
  func measureSteps(
    _ name: String, size: Int, bar: Bar, _ run: (_ size: Int) throws -> Steps
  ) throws {
    guard options.wants(name) else { return }
    let quarter = try run(size / 4)
    let costliest = try run(size).costliest
    let title = Title(
      name, n: size, against: "a quarter's '\(costliest.name)'", bar: bar, scope: .all)
    report(
      title, Samples(exact: costliest.nanoseconds), Samples(exact: quarter[costliest.name]))
  }
}
