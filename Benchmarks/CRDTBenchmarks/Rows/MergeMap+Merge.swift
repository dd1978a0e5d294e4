import CRDTKit

/// The map that the rows are about.
typealias RegisterMap = MergeMap<String, MVRegister<Int>>

extension Benchmark {
  func addMergeMapMergeBenchmarks() throws {
    try addMergeMapMerge("new", bar: .ratio(1.0 / 1_000)) { .new($0) }
    try addMergeMapMerge("shared90", bar: .ratio(1.0 / 200)) { .shared90($0) }
    try addMergeMapMerge("equal", bar: nil) { .equal($0) }
    try addOverwritten("overwritten", bar: .ratio(1.0 / 3), order: .anyhow)
    try addOverwritten("overwritten.rounds", bar: nil, order: .rounds)
  }

  private func addMergeMapMerge(
    _ name: String, bar: Bar?, _ shape: (Int) -> Shape
  ) throws {
    try measure(
      Title("mergemap.string.merge.\(name)", n: n, against: "Dictionary.merge", bar: bar), units: n
    ) {
      let shape = shape(n)
      let fork = try Fork(
        shape, from: RegisterMap(),
        insert: { map, number, replica in
          map.update(Elements.string17(number), by: replica) { $0.set(number) }
        }
      )
      return (fork.merge { $0.count }, dictionaryMerge(shape))
    }
  }

  private func dictionaryMerge(_ shape: Shape) -> Workload {
    func dictionary(_ numbers: [Int]) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: numbers.map { (Elements.string17($0), $0) })
    }
    return Baseline.merge(dictionary(shape.left), dictionary(shape.right))
  }

  private func addOverwritten(
    _ name: String, bar: Bar?, order: Overwriting.Order
  ) throws {
    try measure(
      Title("mergemap.string.merge.\(name)", n: n, against: "Dictionary.merge", bar: bar), units: n
    ) {
      let overwriting = Overwriting(n: n, order: order)
      return (
        try overwriting.fork().merge { $0.sum }, overwriting.dictionaryMerge()
      )
    }
  }
}

extension RegisterMap {
  /// What the rows hold, to see that the newest value of each key came through.
  fileprivate var sum: Int {
    reduce(0) { sum, entry in entry.value.values.reduce(sum, &+) }
  }
}
