import CRDTKit

extension Benchmark {
  func addMergeMapBenchmarks() throws {
    try measure(
      Title("mergemap.string.update", n: n, against: "Dictionary.updateValue"), units: n
    ) { update() }
    try measure(
      Title("mergemap.string.lookup", n: n, against: "Dictionary lookup"), units: n
    ) { try lookUp() }
    try addMapBytes("", bar: .value(12), value: Elements.randomText)
    try addMapBytes(".shuffled", bar: nil, isShuffled: true, value: Elements.randomText)
    try addMapBytes(".similar", bar: nil, value: Elements.similarText)
  }

  private func update() -> (ours: Workload, baseline: Workload) {
    let keys = Elements.shuffled(n).map(Elements.string17)
    let ours = Workload(
      prepare: { RegisterMap() },
      run: { map in
        for (place, key) in keys.enumerated() { map.update(key, by: .author) { $0.set(place) } }
      },
      outcome: { $0.count }
    )
    let baseline = Workload(
      prepare: { [String: Int]() },
      run: { map in
        for (place, key) in keys.enumerated() { map.updateValue(place, forKey: key) }
      },
      outcome: { $0.count }
    )
    return (ours, baseline)
  }

  private func lookUp() throws -> (ours: Workload, baseline: Workload) {
    var map = RegisterMap()
    for number in 0..<n { map.update(Elements.string17(number), by: .author) { $0.set(number) } }
    let dictionary = Dictionary(
      uniqueKeysWithValues: (0..<n).map { (Elements.string17($0), $0) }
    )
    let keys = Elements.shuffled(n).map(Elements.string17)
    let full = map
    let ours = Workload(
      prepare: { 0 },
      run: { sum in for key in keys { sum &+= full[key]?.value ?? 0 } },
      outcome: { $0 }
    )
    let baseline = Workload(
      prepare: { 0 },
      run: { sum in for key in keys { sum &+= dictionary[key] ?? 0 } },
      outcome: { $0 }
    )
    return (ours, baseline)
  }

  /// Keys of 10 bytes in ascending order, texts of 7: as many keys as have six
  /// digits at most.
  private func addMapBytes(
    _ suffix: String, bar: Bar?, isShuffled: Bool = false, value: (Int) -> String
  ) throws {
    let keyCount = min(n, 1_000_000)
    try count(
      Title(
        "mergemap.string17.bytes\(suffix)", n: keyCount, against: "payload, 10 + 7", bar: bar,
        unit: .bytes
      )
    ) {
      var map = MergeMap<String, MVRegister<String>>()
      for number in isShuffled ? Elements.shuffled(keyCount) : Array(0..<keyCount) {
        map.update(Elements.key(number), by: .author) { $0.set(value(number)) }
      }
      return (Double(map.encoded().count) / Double(keyCount), 17)
    }
  }
}
