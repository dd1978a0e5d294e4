import CRDTKit

extension Benchmark {
  func addMVRegisterBenchmarks() throws {
    let count = max(1_000, n / 100)
    try measure(
      Title("mvregister.merge", n: count, against: "comparing pairs"), units: count
    ) { try mergeRegisters(count) }
    try measure(
      Title("mvregister.set", n: n, against: "comparing, assigning"), units: n
    ) { setRegister() }
  }

  /// Pairs of registers of which the right one's writer had seen the left one's
  /// value.
  private func mergeRegisters(_ count: Int) throws -> (ours: Workload, baseline: Workload) {
    let pairs = (0..<count).map { number in
      var register = MVRegister<Int>()
      register.set(number, by: .left)
      let left = register.encoded()
      register.set(number + 1, by: .right)
      return (left: left, right: register.encoded())
    }
    let ours = Workload(
      prepare: {
        (
          lefts: try pairs.map { try MVRegister<Int>(decoding: $0.left) },
          rights: try pairs.map { try MVRegister<Int>(decoding: $0.right) }
        )
      },
      run: { state in
        for place in state.lefts.indices { state.lefts[place].merge(state.rights[place]) }
      },
      outcome: { $0.lefts.reduce(0) { $0 + ($1.value ?? 0) } }
    )
    let baseline = Stamped.merge(
      (0..<count).map { Stamped(time: 1, writer: 1, value: $0) },
      (0..<count).map { Stamped(time: 2, writer: 2, value: $0 + 1) }
    ) { $0.reduce(0) { $0 + $1.value } }
    return (ours, baseline)
  }

  /// One register written n times.
  private func setRegister() -> (ours: Workload, baseline: Workload) {
    let n = n
    let ours = Workload(
      prepare: { MVRegister<Int>() },
      run: { register in for number in 0..<n { register.set(number, by: .left) } },
      outcome: { $0.value ?? 0 }
    )
    let baseline = Workload(
      prepare: { Stamped(time: 0, writer: 1, value: 0) },
      run: { register in
        for number in 0..<n {
          let next = Stamped(time: UInt64(number) + 1, writer: 1, value: number)
          if register.isBefore(next) { register = next }
          blackHole(register)
        }
      },
      outcome: { $0.value }
    )
    return (ours, baseline)
  }
}
