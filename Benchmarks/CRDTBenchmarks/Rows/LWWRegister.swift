import CRDTKit
import CRDTStoreTesting

extension Benchmark {
  func addLWWRegisterBenchmarks() throws {
    try measure(
      Title("lww.merge", n: n, against: "comparing pairs", bar: .ratio(1.5)), units: n
    ) {
      let (left, right) = (stamps(seed: 5), stamps(seed: 6))
      let ours = Workload(
        prepare: { (left: left.map(\.register), right: right.map(\.register)) },
        run: { state in
          for place in state.left.indices { state.left[place].merge(state.right[place]) }
        },
        outcome: { $0.left.reduce(0) { $0 &+ $1.value } }
      )
      let baseline = Stamped.merge(left, right) { $0.reduce(0) { $0 &+ $1.value } }
      return (ours, baseline)
    }
  }

  /// Times at random: which of a pair is the later nothing can foresee.
  private func stamps(seed: UInt64) -> [Stamped<Int>] {
    var generator = SeededGenerator(seed: seed)
    return (0..<n).map { place in
      Stamped(time: UInt64.random(in: 0..<1 << 40, using: &generator), writer: seed, value: place)
    }
  }
}

extension Stamped<Int> {
  fileprivate var register: LWWRegister<Int> {
    LWWRegister(
      value,
      at: HybridTimestamp(milliseconds: time, logical: 0, replica: ReplicaID(writer))
    )
  }
}
