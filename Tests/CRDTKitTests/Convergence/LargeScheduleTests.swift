import CRDTKit
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
}
