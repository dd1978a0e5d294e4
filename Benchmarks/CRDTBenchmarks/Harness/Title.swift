/// What a row is about: its name and how its figures are to be read.
struct Title {
  /// What the figures count.
  enum Unit: String {
    case nanoseconds = "ns"
    case bytes
  }

  /// What one figure is for.
  enum Scope: String {
    /// One element or operation of many.
    case element
    /// All that the row's name says.
    case all
    /// One replica of those that took part.
    case replica
  }

  /// How many samples are taken.
  enum Pace {
    case usual
    /// For rows that take seconds a sample.
    case slow
    /// For short steps of a session that goes on.
    case steps
  }

  let name: String
  let n: Int
  let baseline: String
  let bar: Bar?
  let unit: Unit
  let scope: Scope
  let pace: Pace

  init(
    _ name: String, n: Int, against baseline: String, bar: Bar? = nil, unit: Unit = .nanoseconds,
    scope: Scope = .element, pace: Pace = .usual
  ) {
    self.name = name
    self.n = n
    self.baseline = baseline
    self.bar = bar
    self.unit = unit
    self.scope = scope
    self.pace = pace
  }
}
