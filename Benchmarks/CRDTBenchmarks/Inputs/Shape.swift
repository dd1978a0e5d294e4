import CRDTStoreTesting

/// What two replicas hold before they merge, in numbers that stand for
/// elements: a common past, and what each added and removed since.
struct Shape {
  var common: [Int] = []
  var leftAdded: [Int] = []
  var rightAdded: [Int] = []
  var leftRemoved: Set<Int> = []
  var rightRemoved: Set<Int> = []

  /// Each has n elements that the other has not.
  static func new(_ n: Int) -> Shape {
    let numbers = Elements.shuffled(2 * n)
    return Shape(leftAdded: Array(numbers[..<n]), rightAdded: Array(numbers[n...]))
  }

  /// Of the n elements of each, 90 % are shared.
  static func shared90(_ n: Int) -> Shape {
    shared(n - n / 10, added: n / 10)
  }

  /// Both have the same n elements.
  static func equal(_ n: Int) -> Shape {
    Shape(common: Elements.shuffled(n))
  }

  /// Of n shared elements each has removed 1 % at random, and each has added as
  /// many.
  static func scattered(_ n: Int) -> Shape {
    var shape = shared(n, added: n / 100)
    var generator = SeededGenerator(seed: 3)
    shape.leftRemoved = Set(shape.common.shuffled(using: &generator).prefix(n / 100))
    shape.rightRemoved = Set(shape.common.shuffled(using: &generator).prefix(n / 100))
    return shape
  }

  private static func shared(_ count: Int, added: Int) -> Shape {
    let numbers = Elements.shuffled(count + 2 * added)
    return Shape(
      common: Array(numbers[..<count]), leftAdded: Array(numbers[count..<count + added]),
      rightAdded: Array(numbers[(count + added)...])
    )
  }

  /// How many elements both hold once they are merged.
  var mergedCount: Int {
    common.count - leftRemoved.union(rightRemoved).count + leftAdded.count + rightAdded.count
  }

  /// What the left replica holds.
  var left: [Int] { common.filter { !leftRemoved.contains($0) } + leftAdded }

  /// What the right replica holds.
  var right: [Int] { common.filter { !rightRemoved.contains($0) } + rightAdded }
}
