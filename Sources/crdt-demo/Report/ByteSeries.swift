/// How many bytes were sent until when, by one algorithm or in one run.
struct ByteSeries: Equatable, Sendable {
  /// So many bytes until this time.
  struct Point: Equatable, Sendable {
    /// In microseconds.
    var time: UInt64
    var bytes: Int
  }

  /// What the line is called.
  var name: String
  /// In the order of their times.
  var points: [Point]

  init(_ name: String, _ points: [Point]) {
    self.name = name
    self.points = points
  }
}
