/// What a node does in an experiment.
enum ExperimentUpdate: Equatable, Sendable {
  /// Adds an element to a set.
  case insert(Int)
  /// Adds one to a counter.
  case increment
  /// Gives keys of a map a new time, all in one delta.
  case stamp(keys: [Int], time: UInt64)

  /// How many elements it makes or changes.
  var elementCount: Int {
    switch self {
    case .insert, .increment: 1
    case .stamp(let keys, _): keys.count
    }
  }
}
