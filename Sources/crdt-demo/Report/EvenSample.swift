/// Takes some of many, evenly.
enum EvenSample {
  /// The places of at most so many of `count` things, the first and the last among
  /// them where there is room for both.
  static func places(of count: Int, max: Int) -> [Int] {
    guard count > max else { return Array(0..<count) }
    guard max > 1 else { return max == 1 ? [0] : [] }
    return (0..<max).map { $0 * (count - 1) / (max - 1) }
  }

  /// At most so many elements.
  static func elements<Element>(of all: [Element], max: Int) -> [Element] {
    places(of: all.count, max: max).map { all[$0] }
  }
}
