import CRDTKit
import CRDTTestSupport
import Testing

/// Thousands of rows over many pages, sparse and packed, on replicas that lay them
/// out differently; checked against the plain model like the small schedules.
@Suite("Large schedules")
struct LargeScheduleTests {
  private func play<Root: RootShape>(
    _ shape: Root.Type, seeds: Range<UInt64>, stepCount: Int, blockSizes: ClosedRange<Int>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for seed in seeds {
      let schedule = Schedule(
        large: shape, seed: seed, stepCount: stepCount, blockSizes: blockSizes)
      guard let failure = leastFailure(of: schedule, on: shape) else { continue }
      Issue.record("\(failure)", sourceLocation: sourceLocation)
      return
    }
  }

  @Test("sets of thousands") func sets() {
    play(WideSetShape.self, seeds: 0..<2, stepCount: 40, blockSizes: 200...1_400)
  }

  @Test("registers overwritten tens of thousands of times") func overwrites() {
    play(OverwriteShape.self, seeds: 0..<2, stepCount: 50, blockSizes: 400...1_800)
  }
}
