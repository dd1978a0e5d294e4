import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Thousands of rows over many pages, sparse and packed, on replicas that lay them
/// out differently; checked against the plain model like the small schedules.
@Suite("Large schedules")
struct LargeScheduleTests {
  private func play<Root: RootShape>(
    _ shape: Root.Type, stepCount: Int, blockSizes: ClosedRange<Int>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for seed in 0..<(isOptimized ? 2 : 1) as Range<UInt64> {
      let schedule = Schedule(
        large: shape, seed: seed, stepCount: stepCount, blockSizes: blockSizes)
      guard let failure = leastFailure(of: schedule, on: shape) else { continue }
      Issue.record("\(failure)", sourceLocation: sourceLocation)
      return
    }
  }

  @Test("sets of thousands") func sets() {
    play(WideSetShape.self, stepCount: 40, blockSizes: 200...1_400)
  }

  @Test("registers overwritten tens of thousands of times") func overwrites() {
    play(OverwriteShape.self, stepCount: 50, blockSizes: 400...1_800)
  }

  /// What was read from bytes lies packed, and what was changed in place has gaps: so the
  /// same events lie in other pages on either side.
  @Test("copies that were packed anew, and removals on both sides")
  func layouts() throws {
    let writer = ReplicaID(1)
    let reader = ReplicaID(2)
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var ours: ORSet<Int> = ORSet()
      for element in 0..<3_000 { ours.insert(element, by: writer) }
      var model = Set(0..<3_000)
      func remove(_ count: Int, from set: inout ORSet<Int>, by replica: ReplicaID) -> Set<Int> {
        let first = Int.random(in: 0..<2_900, using: &random)
        let range = first..<first + 300
        let some = Set(range.filter { _ in Int.random(in: 0..<count, using: &random) == 0 })
        for element in some { set.remove(element, by: replica) }
        return some
      }
      // So thin that several blocks go into one page where they are packed.
      for element in 0..<3_000 where Int(seed) % 4 > 0 && element % (16 << (seed % 4)) != 0 {
        ours.remove(element, by: writer)
        model.remove(element)
      }
      var theirs = try ORSet<Int>(decoding: ours.encoded())
      for _ in 0..<3 {
        model.subtract(remove(3, from: &ours, by: writer))
        model.subtract(remove(3, from: &theirs, by: reader))
      }
      for element in 5_000..<5_000 + Int.random(in: 1...900, using: &random) {
        ours.insert(element, by: writer)
        model.insert(element)
      }
      let merged = [ours.merging(theirs), theirs.merging(ours)]
      for one in merged { #expect(Set(one) == model, "seed \(seed)") }
      #expect(merged[0] == merged[1], "seed \(seed)")
    }
  }
}
