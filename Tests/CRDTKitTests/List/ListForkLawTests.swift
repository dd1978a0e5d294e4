import CRDTTestSupport
import Testing
import Toolkit

/// Copies of a list that go on under one name, over random schedules, beside a book of what was
/// written: each element is there with its own value, none is lost, and all copies come to the
/// same.
@Suite("Forks of lists against a book of what was written")
struct ListForkLawTests {
  @Test("nothing is lost or exchanged, in whatever order the copies meet")
  func schedules() {
    for seed in seeds(120, long: 20_000) { check(RandomListSchedule(seed: seed)) }
  }

  @Test("nor if it isn't known exactly where the lines part")
  func longer() {
    for seed in seeds(3, long: 500) {
      check(RandomListSchedule(seed: 1_000_000 + seed, stepCounts: 150...250))
    }
  }

  private func check(_ schedule: RandomListSchedule) {
    if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
  }

  private func failure(of schedule: RandomListSchedule) -> String? {
    var book = ListForkBook(schedule)
    return book.failure()
  }
}
