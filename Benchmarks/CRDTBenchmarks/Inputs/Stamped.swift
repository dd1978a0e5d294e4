/// A stamp and a value, the greater stamp winning: the least that a register needs.
struct Stamped<Value> {
  var time: UInt64
  var writer: UInt64
  var value: Value

  func isBefore(_ other: Stamped) -> Bool {
    (time, writer) < (other.time, other.writer)
  }

  /// Comparing the pairs of two arrays and keeping the later of each.
  static func merge(
    _ left: [Stamped], _ right: [Stamped], outcome: @escaping ([Stamped]) -> Int
  ) -> Workload {
    Workload(
      prepare: { (left: Array(left.lazy.map { $0 }), right: right) },
      run: { state in
        for place in state.left.indices where state.left[place].isBefore(state.right[place]) {
          state.left[place] = state.right[place]
        }
      },
      outcome: { outcome($0.left) }
    )
  }
}
