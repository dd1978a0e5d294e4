import CRDTKit

extension Benchmark {
  func addORSetMergeBenchmarks() throws {
    try addORSetMerges(
      "orset.int",
      bars: ORSetMergeBars(
        new: 1.0 / 1_000, lookup: 1, shared: 1.0 / 200, equal: 1.0 / 200, scattered: 1.0 / 15
      ),
      element: { $0 }
    )
    try addORSetMerges(
      "orset.string",
      bars: ORSetMergeBars(
        new: 1.0 / 2_000, lookup: nil, shared: 1.0 / 800, equal: 1.0 / 800, scattered: 1.0 / 30
      ),
      element: Elements.string17
    )
  }

  private func addORSetMerges<Element: Hashable & CanonicalCodable>(
    _ name: String, bars: ORSetMergeBars, element: @escaping (Int) -> Element
  ) throws {
    let merges = ORSetMerges(n: n, element: element)
    try measure(
      Title("\(name).merge.new", n: n, against: "Set.union", bar: .ratio(bars.new)), units: n
    ) { try merges.new() }
    try measure(
      Title(
        "\(name).merge.new+lookup", n: n, against: "Set.union, contains",
        bar: bars.lookup.map(Bar.ratio)
      ), units: n
    ) { try merges.newAndLookup() }
    try measure(
      Title("\(name).merge.shared90", n: n, against: "Dictionary.merge", bar: .ratio(bars.shared)),
      units: n
    ) { try merges.againstDictionary(.shared90(n)) }
    try measure(
      Title("\(name).merge.equal", n: n, against: "Dictionary.merge", bar: .ratio(bars.equal)),
      units: n
    ) { try merges.againstDictionary(.equal(n)) }
    try measure(
      Title("\(name).merge.equal.shared", n: n, against: "Dictionary.merge"), units: n
    ) { try merges.sharedStorage() }
    try measure(
      Title(
        "\(name).merge.scattered", n: n, against: "Dictionary.merge", bar: .ratio(bars.scattered)),
      units: n
    ) { try merges.againstDictionary(.scattered(n)) }
  }
}

/// What merges of sets must show, as ratios.
private struct ORSetMergeBars {
  let new: Double
  let lookup: Double?
  let shared: Double
  let equal: Double
  let scattered: Double
}
