import CRDTStoreTesting

extension Schedule {
  /// A schedule in which one of three replicas writes much, another less, and what
  /// they exchange is laid out differently on each.
  package init<Root: RootShape>(
    large shape: Root.Type, seed: UInt64, stepCount: Int, blockSizes: ClosedRange<Int>
  ) {
    var random = SeededGenerator(seed: seed)
    let steps = (0..<stepCount).map { _ in
      let who = [0, 0, 0, 0, 1, 1, 2].randomElement(using: &random) ?? 0
      let other = Int.random(in: 0..<3, using: &random)
      let flag = Bool.random(using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        let count = Int.random(in: blockSizes, using: &random)
        return Step.edit(who, (0..<count).map { _ in shape.operation(using: &random) })
      case 10..<12: return .answer(other, to: who)
      case 12..<15:
        return .deliver(other, message: Int.random(in: 0..<1_000, using: &random), asBytes: flag)
      case 15..<17: return .merge(other, from: who, asBytes: flag)
      case 17: return .recode(other)
      case 18: return .copy(who)
      default: return .cutLog(who, column: other, whole: flag)
      }
    }
    self.init(seed: seed, replicaCount: 3, steps: steps, readsInPlace: seed % 2 == 0)
  }
}
