import CRDTKit

extension Benchmark {
  func addORSetCodingBenchmarks() throws {
    try addORSetCoding("orset.int", bars: (.difference(5), .difference(15)), element: { $0 })
    try addORSetCoding("orset.string", bars: (nil, nil), element: Elements.string17)
    try measure(
      Title(
        "orset.int.known", n: n, against: "copying the bytes", bar: .value(2_000), scope: .all),
      units: 1
    ) { try takeInKnownState() }
    try measure(
      Title(
        "orset.int.known.delta", n: n, against: "copying the bytes", bar: .value(2_000),
        scope: .all
      ), units: 1
    ) { try takeInKnownDelta() }
  }

  private func addORSetCoding<Element: Hashable & CanonicalCodable>(
    _ name: String, bars: (encode: Bar?, decode: Bar?), element: @escaping (Int) -> Element
  ) throws {
    try measure(
      Title("\(name).encode", n: n, against: "copying the bytes", bar: bars.encode), units: n
    ) {
      let bytes = ORSet(Elements.shuffled(n).map(element), by: .author).encoded()
      let ours = Workload(
        prepare: { (set: try ORSet<Element>(decoding: bytes), bytes: [UInt8]()) },
        run: { $0.bytes = $0.set.encoded() },
        outcome: { $0.bytes == bytes ? 1 : 0 }
      )
      return (ours, Baseline.copy(of: bytes))
    }
    try measure(
      Title("\(name).decode", n: n, against: "copying the bytes", bar: bars.decode), units: n
    ) {
      let bytes = ORSet(Elements.shuffled(n).map(element), by: .author).encoded()
      let ours = Workload(
        prepare: { ORSet<Element>() },
        run: { $0 = try ORSet<Element>(decoding: bytes) },
        outcome: { $0.encoded() == bytes ? 1 : 0 }
      )
      return (ours, Baseline.copy(of: bytes))
    }
  }

  private func takeInKnownState() throws -> (ours: Workload, baseline: Workload) {
    let bytes = ORSet(Elements.shuffled(n), by: .author).encoded()
    let set = try ORSet<Int>(decoding: bytes)
    let repetitions = 100
    let ours = Workload(
      repetitions: repetitions,
      prepare: { (set: set, wasNew: false) },
      run: { state in
        for _ in 0..<repetitions where try state.set.merge(decoding: bytes) {
          state.wasNew = true
        }
      },
      outcome: { $0.wasNew ? 0 : 1 }
    )
    return (ours, Baseline.copy(of: bytes))
  }

  private func takeInKnownDelta() throws -> (ours: Workload, baseline: Workload) {
    let numbers = Elements.shuffled(n)
    var set = ORSet(numbers.dropLast(100), by: .author)
    let bytes = set.edit(by: .author) { editor in
      for number in numbers.suffix(100) { editor.insert(number) }
    }.encoded()
    let full = set
    let repetitions = 100
    let ours = Workload(
      repetitions: repetitions,
      prepare: { (set: full, wasNew: false) },
      run: { state in
        for _ in 0..<repetitions where try state.set.apply(decoding: bytes) {
          state.wasNew = true
        }
      },
      outcome: { $0.wasNew ? 0 : 1 }
    )
    return (ours, Baseline.copy(of: bytes, repetitions: repetitions))
  }
}
