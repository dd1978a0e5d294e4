import CRDTTestSupport
import Testing

@testable import CRDTSimulator

@Suite("Random worlds")
struct RandomWorldTests {
  @Test("go wrong in no schedule")
  func soak() async {
    let count = scheduleCount(8_000, long: 1_000_000)
    let lanes: UInt64 = 4
    let total = await withTaskGroup(of: SoakRun.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var run = SoakRun()
          for seed in stride(from: 1 + lane, through: count, by: Int(lanes)) {
            run.play(seed: seed)
            // Others have tests to run too.
            if run.schedules % 50 == 0 { await Task.yield() }
            if run.failures.count > 2 { break }
          }
          return run
        }
      }
      return await group.reduce(into: SoakRun()) { $0.add($1) }
    }
    print(total.report)
    for failure in total.failures.prefix(2) { Issue.record("\(failure)") }
    #expect(total.schedules == Int(count))
    #expect(!playsAll || total.counts.faults.allSatisfy { $0.count > 0 })
  }
}
