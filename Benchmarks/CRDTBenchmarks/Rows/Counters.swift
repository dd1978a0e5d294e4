import CRDTKit

extension Benchmark {
  func addCounterBenchmarks() throws {
    let size = 1_000
    try measure(
      Title(
        "pncounter.merge.\(size)", n: size, against: "sorted-array merge", bar: .ratio(2)),
      units: size
    ) { try CounterMerges(size: size, sharedCount: size / 2).pncounters() }
    try measure(
      Title(
        "pncounter.merge.\(size).same", n: size, against: "loop of maxima", bar: .ratio(1.2)),
      units: size
    ) { try CounterMerges(size: size, sharedCount: size).pncounters() }
    try measure(
      Title("gcounter.merge.\(size)", n: size, against: "sorted-array merge"), units: size
    ) { try CounterMerges(size: size, sharedCount: size / 2).gcounters() }
    try measure(
      Title("gcounter.merge.\(size).same", n: size, against: "loop of maxima"), units: size
    ) { try CounterMerges(size: size, sharedCount: size).gcounters() }
    try measure(
      Title("pncounter.increment", n: n, against: "Dictionary, += 1"), units: n
    ) { increments() }
  }

  /// Increments by sixteen replicas in turn.
  private func increments() -> (ours: Workload, baseline: Workload) {
    let replicas = (0..<16).map { ReplicaID(UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
    let n = n
    let ours = Workload(
      prepare: { PNCounter() },
      run: { counter in
        for place in 0..<n { try counter.increment(by: replicas[place % replicas.count]) }
      },
      outcome: { $0.value }
    )
    let baseline = Workload(
      prepare: { [ReplicaID: Int]() },
      run: { counts in
        for place in 0..<n { counts[replicas[place % replicas.count], default: 0] += 1 }
      },
      outcome: { $0.values.reduce(0, +) }
    )
    return (ours, baseline)
  }
}
