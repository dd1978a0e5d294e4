import CRDTKit
import CRDTTestSupport
import Testing

/// Random schedules of every kind of edit, of deltas that are lost, repeated,
/// reordered or ahead, of whole merges and of older schemas, on documents and the
/// plain model side by side.
///
/// A failure prints the seed and the least part of its schedule that still fails.
@Suite("Schedules of documents")
struct DocumentScheduleTests {
  @Test("documents read as the plain model, and converge") func schedules() {
    let seeds = 0..<scheduleCount(20, long: 2_000)
    let failure = DocumentSchedule.firstFailure(seeds: seeds, stepCounts: 10...60)
    if let failure { Issue.record("\(failure)") }
  }
}
