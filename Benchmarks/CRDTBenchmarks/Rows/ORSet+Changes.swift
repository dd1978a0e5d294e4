import CRDTKit

extension Benchmark {
  func addORSetChangeBenchmarks() throws {
    try measure(
      Title(
        "orset.int.append-after-copy", n: n, against: "copying n integers",
        bar: .ratio(1.0 / 10), scope: .all
      ), units: 1
    ) { try appendAfterCopy() }
    try addInsert("orset.int.insert", bar: .ratio(2), element: { $0 })
    try addInsert("orset.string.insert", bar: nil, element: Elements.string17)
    try measure(Title("orset.int.insert.edit", n: n, against: "Set.insert"), units: n) {
      insertInOneEdit()
    }
    try measure(Title("orset.int.remove", n: n, against: "Set.remove"), units: n) {
      try removeOneByOne()
    }
    try measure(Title("orset.int.contains", n: n, against: "Set.contains"), units: n) {
      try containsOneByOne()
    }
    try measure(Title("orset.int.iterate", n: n, against: "Set iteration"), units: n) {
      try iterate()
    }
  }

  /// One insert into a set of which a copy is held; its index is there already.
  private func appendAfterCopy() throws -> (ours: Workload, baseline: Workload) {
    let numbers = Elements.shuffled(n + 1)
    let base = try ORSet<Int>.indexed(of: numbers.dropLast())
    let ours = Workload(
      prepare: { (set: base, copy: base) },
      run: { $0.set.insert(numbers[numbers.count - 1], by: .author) },
      outcome: { $0.set.count - $0.copy.count }
    )
    let array = Array(numbers.dropLast())
    let baseline = Workload(
      prepare: { (array: array, copy: array) },
      run: { $0.array[0] = -1 },
      outcome: { $0.array[0] != $0.copy[0] ? 1 : 0 }
    )
    return (ours, baseline)
  }

  private func addInsert<Element: Hashable & CanonicalCodable>(
    _ name: String, bar: Bar?, element: @escaping (Int) -> Element
  ) throws {
    try measure(Title(name, n: n, against: "Set.insert", bar: bar), units: n) {
      let elements = Elements.shuffled(n).map(element)
      let ours = Workload(
        prepare: { ORSet<Element>() },
        run: { set in for element in elements { set.insert(element, by: .author) } },
        outcome: { $0.count }
      )
      return (ours, Baseline.insert(elements))
    }
  }

  private func insertInOneEdit() -> (ours: Workload, baseline: Workload) {
    let elements = Elements.shuffled(n)
    let ours = Workload(
      prepare: { (set: ORSet<Int>(), delta: ORSet<Int>.Delta?.none) },
      run: { state in
        state.delta = state.set.edit(by: .author) { editor in
          for element in elements { editor.insert(element) }
        }
      },
      outcome: { $0.set.count }
    )
    return (ours, Baseline.insert(elements))
  }

  private func removeOneByOne() throws -> (ours: Workload, baseline: Workload) {
    let elements = Elements.shuffled(n)
    let bytes = ORSet(elements, by: .author).encoded()
    let ours = Workload(
      prepare: { try ORSet<Int>.indexed(decoding: bytes, asking: elements[0]) },
      run: { set in for element in elements { set.remove(element, by: .author) } },
      outcome: { $0.count }
    )
    let full = Set(elements)
    let baseline = Workload(
      prepare: { full.filter { _ in true } },
      run: { set in for element in elements { set.remove(element) } },
      outcome: { $0.count }
    )
    return (ours, baseline)
  }

  /// Every other one is there.
  private func containsOneByOne() throws -> (ours: Workload, baseline: Workload) {
    let asked = Elements.shuffled(n)
    let held = (0..<n).map { 2 * $0 }
    let set = try ORSet<Int>.indexed(of: held)
    let ours = Workload(
      prepare: { 0 },
      run: { found in for element in asked where set.contains(element) { found += 1 } },
      outcome: { $0 }
    )
    let plain = Set(held)
    let baseline = Workload(
      prepare: { 0 },
      run: { found in for element in asked where plain.contains(element) { found += 1 } },
      outcome: { $0 }
    )
    return (ours, baseline)
  }

  private func iterate() throws -> (ours: Workload, baseline: Workload) {
    let elements = Elements.shuffled(n)
    let set = ORSet(elements, by: .author)
    let ours = Workload(
      prepare: { 0 },
      run: { sum in for element in set { sum &+= element } },
      outcome: { $0 }
    )
    let plain = Set(elements)
    let baseline = Workload(
      prepare: { 0 },
      run: { sum in for element in plain { sum &+= element } },
      outcome: { $0 }
    )
    return (ours, baseline)
  }
}
