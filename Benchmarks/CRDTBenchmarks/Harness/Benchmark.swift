/// Runs the rows that are asked for and prints each as soon as it is known.
final class Benchmark {
  let options: Options
  private(set) var rowCount = 0

  /// How many elements the rows are about.
  var n: Int { options.count }

  init(_ options: Options) {
    self.options = options
  }

  /// Times both workloads in turns and reports the row.
  ///
  /// - Parameters:
  ///   - title: What the row is about.
  ///   - units: How many elements one run deals with: times are divided by it.
  ///   - make: Makes our workload and the baseline's; called only if the row is
  ///     asked for.
  /// - Throws: What the workloads throw, and ``UnequalOutcome``.
  func measure(
    _ title: Title, units: Int, _ make: () throws -> (ours: Workload, baseline: Workload)
  ) throws {
    guard options.wants(title.name) else { return }
    let (ours, baseline) = try make()
    try checkSameOutcome(title, ours, baseline)
    var times: (ours: [Double], baseline: [Double]) = ([], [])
    for run in -warmUpCount..<runCount(title.pace) {
      let sample = (ours: try ours.sample(), baseline: try baseline.sample())
      guard run >= 0 else { continue }
      times.ours.append(sample.ours)
      times.baseline.append(sample.baseline)
    }
    report(
      title, Samples(times.ours).divided(by: Double(units)),
      Samples(times.baseline).divided(by: Double(units))
    )
  }

  /// Reports a row of quantities that are counted, not timed.
  func count(
    _ title: Title, _ make: () throws -> (ours: Double, baseline: Double)
  ) throws {
    guard options.wants(title.name) else { return }
    let (ours, baseline) = try make()
    report(title, Samples(exact: ours), Samples(exact: baseline))
  }

  private func checkSameOutcome(
    _ title: Title, _ ours: Workload, _ baseline: Workload
  ) throws {
    guard let found = try ours.outcome?(), let expected = try baseline.outcome?() else { return }
    guard found == expected else {
      throw UnequalOutcome(name: title.name, ours: found, baseline: expected)
    }
  }

  func report(_ title: Title, _ ours: Samples, _ baseline: Samples) {
    let row = Row(
      title: title, ours: ours, baseline: baseline,
      isJudged: Build.isFast && n == Options.countUsual
    )
    if rowCount == 0, !options.writesJSON { Output.print(Table.header(options)) }
    rowCount += 1
    Output.print(options.writesJSON ? row.json : Table.line(row))
  }

  private var warmUpCount: Int { options.isQuick ? 1 : 2 }

  private func runCount(_ pace: Title.Pace) -> Int {
    switch pace {
    case .usual: options.isQuick ? 3 : 11
    case .slow: options.isQuick ? 1 : 5
    case .steps: options.isQuick ? 10 : 60
    }
  }
}
