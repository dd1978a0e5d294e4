/// What was found out: ours and the baseline's figures.
struct Row {
  let title: Title
  let ours: Samples
  let baseline: Samples

  /// Whether the bar speaks of this run: bars are stated for 1,000,000 elements
  /// and a release build.
  let isJudged: Bool

  var ratio: Double { ours.median / baseline.median }

  /// The figure that the bar is about; `nil` without a bar.
  var measured: Double? { title.bar?.measured(ours.median, baseline.median) }

  /// Whether the bar is met; `nil` where there is none that speaks of this run.
  var isMet: Bool? {
    guard let bar = title.bar, let measured, isJudged else { return nil }
    return measured <= bar.limit
  }

  /// How many elements a second; `nil` where the figure is not one element's
  /// time.
  var elementsPerSecond: Double? {
    guard title.unit == .nanoseconds, title.scope == .element else { return nil }
    return 1e9 / ours.median
  }
}
