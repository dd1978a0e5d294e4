import CRDTKit

extension Benchmark {
  func addFlagBenchmarks() throws {
    let count = max(1_000, n / 100)
    try measure(Title("ewflag.merge", n: count, against: "comparing pairs"), units: count) {
      let ours = try mergeFlags(
        count, EWFlag(), enable: { $0.enable(by: $1) }, disable: { $0.disable(by: $1) },
        isEnabled: { $0.isEnabled }
      )
      return (ours, stampedFlags(count))
    }
    try measure(Title("dwflag.merge", n: count, against: "comparing pairs"), units: count) {
      let ours = try mergeFlags(
        count, DWFlag(), enable: { $0.enable(by: $1) }, disable: { $0.disable(by: $1) },
        isEnabled: { $0.isEnabled }
      )
      return (ours, stampedFlags(count))
    }
  }

  /// Pairs of flags that were enabled, of which the right one was then disabled
  /// where its number is odd, and enabled anew where it is even.
  private func mergeFlags<Flag: Mergeable & BinaryCodable>(
    _ count: Int, _ flag: Flag, enable: (inout Flag, ReplicaID) -> Void,
    disable: (inout Flag, ReplicaID) -> Void, isEnabled: @escaping (Flag) -> Bool
  ) throws -> Workload {
    var left = flag
    enable(&left, .left)
    var (enabled, disabled) = (left, left)
    enable(&enabled, .right)
    disable(&disabled, .right)
    let bytes = (left: left.encoded(), rights: [enabled.encoded(), disabled.encoded()])
    return Workload(
      prepare: {
        (
          lefts: try (0..<count).map { _ in try Flag(decoding: bytes.left) },
          rights: try (0..<count).map { try Flag(decoding: bytes.rights[$0 % 2]) }
        )
      },
      run: { state in
        for place in state.lefts.indices { state.lefts[place].merge(state.rights[place]) }
      },
      outcome: { $0.lefts.count(where: isEnabled) }
    )
  }

  private func stampedFlags(_ count: Int) -> Workload {
    Stamped.merge(
      (0..<count).map { _ in Stamped(time: 1, writer: 1, value: true) },
      (0..<count).map { Stamped(time: 2, writer: 2, value: $0.isMultiple(of: 2)) }
    ) { $0.count(where: \.value) }
  }
}
