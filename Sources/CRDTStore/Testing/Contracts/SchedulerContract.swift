public import CRDTStore

/// The contract of `Scheduler`.
public enum SchedulerContract {
  /// The closure that runs a job; if it throws, the job has failed.
  public typealias Runner = @Sendable (_ name: String) async throws -> Void

  /// A scheduler to check, and the controls of its environment.
  public struct Subject: Sendable {
    /// The scheduler to check.
    public var scheduler: any Scheduler
    /// Lets time pass for it.
    public var pass: @Sendable (Duration) async -> Void
    /// Sets whether it reaches servers; `nil` if a test can't.
    public var setOnline: (@Sendable (Bool) async -> Void)?

    /// Creates a subject.
    public init(
      _ scheduler: any Scheduler, pass: @escaping @Sendable (Duration) async -> Void,
      setOnline: (@Sendable (Bool) async -> Void)? = nil
    ) {
      self.scheduler = scheduler
      self.pass = pass
      self.setOnline = setOnline
    }
  }

  /// Checks a kind of scheduler.
  ///
  /// - Parameter make: Creates an online scheduler that runs its jobs with the given
  ///   closure.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ make: (@escaping Runner) async -> Subject
  ) async -> [ContractViolation] {
    var report = ContractReport("Scheduler")
    await checkOnce(Bench(make), &report)
    await checkNames(Bench(make), &report)
    await checkCancelling(Bench(make), &report)
    await checkPeriodic(Bench(make), &report)
    await checkRunning(Bench(make), &report)
    await checkStopping(Bench(make), &report)
    await checkConstraints(Bench(make), &report)
    await checkFailing(Bench(make), &report)
    return report.violations
  }

  /// A subject, the jobs that it has begun, and the gate at which they wait.
  private struct Bench {
    let subject: Subject
    let begun = Locked<[String]>([])
    let ended = Locked<[String]>([])
    let gate = Gate()

    init(_ make: (@escaping Runner) async -> Subject) async {
      subject = await make { [begun, ended, gate] name in
        begun.withLock { $0.append(name) }
        if name.hasPrefix("waiting") { await gate.wait() }
        ended.withLock { $0.append(name) }
        if name.hasPrefix("failing") { throw Failed() }
      }
    }

    private struct Failed: Error {}

    var scheduler: any Scheduler { subject.scheduler }

    /// Lets time pass, and returns whether the job of a name has begun exactly this many
    /// times.
    func pass(_ seconds: Int, expecting count: Int, of name: String) async -> Bool {
      await subject.pass(.seconds(seconds))
      let comes = await Waiting.until { self.count(of: name) >= count }
      await Waiting.aWhile()
      return comes && self.count(of: name) == count
    }

    func count(of name: String) -> Int { begun.withLock { $0.count { $0 == name } } }
  }

  private static func checkOnce(_ bench: Bench, _ report: inout ContractReport) async {
    let answer = await bench.scheduler.schedule(ScheduledJob("a", .once(after: .seconds(100))))
    guard answer == .scheduled else {
      if case .notSupported(.background) = answer { return }
      return report.expect(false, "a job without constraints is scheduled", "\(answer)")
    }
    let early = await bench.pass(90, expecting: 0, of: "a")
    report.expect(early, "no job is begun before its time")
    let due = await bench.pass(20, expecting: 1, of: "a")
    report.expect(due, "a job is begun after its time")
    let later = await bench.pass(1_000, expecting: 1, of: "a")
    report.expect(later, "a job is begun once")
    let again = await bench.scheduler.schedule(ScheduledJob("a", .once(after: .seconds(1))))
    report.expect(again, is: .scheduled, "the name of a job that was run is free")
    let second = await bench.pass(2, expecting: 2, of: "a")
    report.expect(second, "a job of a name that was run is begun")
  }

  private static func checkNames(_ bench: Bench, _ report: inout ContractReport) async {
    let scheduler = bench.scheduler
    guard await scheduler.schedule(ScheduledJob("a", .once(after: .seconds(100)))) == .scheduled
    else { return }
    let kept = await scheduler.schedule(ScheduledJob("a", .once(after: .seconds(10))))
    report.expect(kept, is: .kept, "a second job of a name is dropped where it is to be")
    let first = await bench.pass(50, expecting: 0, of: "a")
    report.expect(first, "a job that was dropped isn't begun")
    let own = await bench.pass(60, expecting: 1, of: "a")
    report.expect(own, "a job is begun once when a second one was dropped")
    _ = await scheduler.schedule(ScheduledJob("b", .once(after: .seconds(10))))
    let replaced = await scheduler.schedule(
      ScheduledJob("b", .once(after: .seconds(100)), existing: .replace))
    report.expect(replaced, is: .scheduled, "a second job of a name replaces where it is to")
    let none = await bench.pass(50, expecting: 0, of: "b")
    report.expect(none, "a job that was replaced isn't begun")
    let late = await bench.pass(60, expecting: 1, of: "b")
    report.expect(late, "a job that replaced another is begun once")
  }

  private static func checkCancelling(_ bench: Bench, _ report: inout ContractReport) async {
    await bench.scheduler.cancel("nothing")
    for name in ["a", "b"] {
      _ = await bench.scheduler.schedule(ScheduledJob(name, .once(after: .seconds(10))))
    }
    await bench.scheduler.cancel("a")
    let other = await bench.pass(20, expecting: 1, of: "b")
    report.expect(other, "cancelling a job leaves the others", "it did not")
    report.expect(bench.count(of: "a"), is: 0, "a job that was cancelled isn't begun")
  }

  private static func checkPeriodic(_ bench: Bench, _ report: inout ContractReport) async {
    let capabilities = await bench.scheduler.capabilities
    let interval = max(capabilities.minimumInterval, .seconds(900))
    let seconds = Int(interval.components.seconds)
    let job = ScheduledJob("p", .periodic(every: interval))
    let answer = await bench.scheduler.schedule(job)
    guard capabilities.supportsPeriodic else {
      return report.expect(
        answer, is: .notSupported(.periodic), "periodic jobs are refused where there are none")
    }
    report.expect(answer, is: .scheduled, "periodic jobs are scheduled where there are any")
    guard answer == .scheduled else { return }
    for round in 1...3 {
      let comes = await bench.pass(seconds, expecting: round, of: "p")
      report.expect(comes, "a periodic job is begun once each time", "not in round \(round)")
    }
    let kept = await bench.scheduler.schedule(job)
    report.expect(kept, is: .kept, "a periodic job keeps its name")
    await bench.scheduler.cancel("p")
    let none = await bench.pass(3 * seconds, expecting: 3, of: "p")
    report.expect(none, "a periodic job that was cancelled isn't begun")
    let zero = await bench.scheduler.schedule(ScheduledJob("z", .periodic(every: .zero)))
    report.expect(zero != .scheduled, "a periodic job without pause is refused")
    await bench.scheduler.cancel("z")
  }

  /// Checks that one job of a name runs at a time, while another one may wait.
  private static func checkRunning(_ bench: Bench, _ report: inout ContractReport) async {
    let job = ScheduledJob("waiting", .once(after: .seconds(1)))
    guard await bench.scheduler.schedule(job) == .scheduled else { return }
    let begins = await bench.pass(2, expecting: 1, of: "waiting")
    report.expect(begins, "a job is begun after its time")
    let second = await bench.scheduler.schedule(job)
    report.expect(second, is: .scheduled, "the name of a job that has begun is free")
    let alone = await bench.pass(2, expecting: 1, of: "waiting")
    report.expect(alone, "of one name one job runs at a time")
    bench.gate.open()
    let follows = await bench.pass(2, expecting: 2, of: "waiting")
    report.expect(follows, "a job that waited for another of its name is begun")
  }

  private static func checkStopping(_ bench: Bench, _ report: inout ContractReport) async {
    let job = ScheduledJob("waiting", .once(after: .seconds(1)))
    guard await bench.scheduler.schedule(job) == .scheduled else { return }
    _ = await bench.pass(2, expecting: 1, of: "waiting")
    await bench.scheduler.cancel("waiting")
    let stops = await Waiting.until { bench.ended.withLock { $0 } == ["waiting"] }
    report.expect(stops, "a job that runs is told to stop when it is cancelled")
    bench.gate.open()
  }

  /// Checks that a failed job runs again after 30 and 60 seconds by default.
  private static func checkFailing(_ bench: Bench, _ report: inout ContractReport) async {
    let scheduler = bench.scheduler
    let job = ScheduledJob("failing", .once(after: .seconds(1)))
    guard await scheduler.schedule(job) == .scheduled else { return }
    _ = await bench.pass(2, expecting: 1, of: "failing")
    for (round, seconds) in [30, 60].enumerated() {
      let early = await bench.pass(seconds - 5, expecting: round + 1, of: "failing")
      report.expect(early, "a job that has failed isn't run again before its backoff")
      let kept = await scheduler.schedule(job)
      report.expect(kept, is: .kept, "a job that has failed waits")
      let again = await bench.pass(10, expecting: round + 2, of: "failing")
      report.expect(again, "a job that has failed is run again after its backoff")
    }
    await scheduler.cancel("failing")
    let none = await bench.pass(1_000, expecting: 3, of: "failing")
    report.expect(none, "a job that has failed isn't run again once it was cancelled")
  }

  private static func checkConstraints(_ bench: Bench, _ report: inout ContractReport) async {
    let known = await bench.scheduler.capabilities.constraints
    let all: ScheduledJob.Constraints = [.network, .unmetered, .charging, .idle, .batteryNotLow]
    let unknown = all.subtracting(known)
    if !unknown.isEmpty {
      let answer = await bench.scheduler.schedule(
        ScheduledJob("u", .once(after: .seconds(1)), constraints: unknown))
      report.expect(
        answer, is: .notSupported(.constraints(unknown)),
        "constraints of which nothing is known are refused")
      await bench.scheduler.cancel("u")
    }
    guard known.contains(.network), let setOnline = bench.subject.setOnline else { return }
    await setOnline(false)
    let answer = await bench.scheduler.schedule(
      ScheduledJob("n", .once(after: .seconds(1)), constraints: .network))
    report.expect(answer, is: .scheduled, "a job that waits for the network is scheduled")
    let none = await bench.pass(10, expecting: 0, of: "n")
    report.expect(none, "a job isn't begun while its constraints don't hold")
    await setOnline(true)
    let comes = await bench.pass(0, expecting: 1, of: "n")
    report.expect(comes, "a job is begun when its constraints hold")
  }
}
