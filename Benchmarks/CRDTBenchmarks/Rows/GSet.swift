import CRDTKit

extension Benchmark {
  func addGSetBenchmarks() throws {
    try measure(Title("gset.int.merge.new", n: n, against: "Set.union"), units: n) {
      try gsetMerge(.new(n))
    }
    try measure(Title("gset.int.merge.shared90", n: n, against: "Set.union"), units: n) {
      try gsetMerge(.shared90(n))
    }
    try measure(Title("gset.int.insert", n: n, against: "Set.insert"), units: n) {
      let elements = Elements.shuffled(n)
      let ours = Workload(
        prepare: { GSet<Int>() },
        run: { set in for element in elements { set.insert(element, by: .author) } },
        outcome: { $0.count }
      )
      return (ours, Baseline.insert(elements))
    }
  }

  private func gsetMerge(_ shape: Shape) throws -> (ours: Workload, baseline: Workload) {
    let fork = try Fork(shape, from: GSet<Int>(), insert: { $0.insert($1, by: $2) })
    return (fork.merge { $0.count }, Baseline.union(Set(shape.left), Set(shape.right)))
  }
}
