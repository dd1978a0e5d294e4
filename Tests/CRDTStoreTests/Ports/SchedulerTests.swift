import CRDTStore
import CRDTStoreTesting
import Testing

@Suite("Schedulers")
struct SchedulerTests {
  @Test("The scheduler of tasks keeps the contract")
  func tasks() async {
    let found = await SchedulerContract.check { run in
      let (clock, connectivity) = (ManualClock(), ConnectivityReporter(.online))
      return SchedulerContract.Subject(
        TaskScheduler(connectivity: connectivity, clock: clock, run: run),
        pass: { clock.advance(by: $0) },
        setOnline: { connectivity.report($0 ? .online : .offline) })
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("The scheduler of tests keeps the contract, whatever it can do")
  func fake() async {
    let full = await SchedulerContract.check { run in
      let scheduler = FakeScheduler(run: run)
      return SchedulerContract.Subject(
        scheduler, pass: { await scheduler.advance(by: $0) },
        setOnline: { await scheduler.setHolding($0 ? [.network, .unmetered] : []) })
    }
    #expect(full.isEmpty, "\(full)")
    let little = await SchedulerContract.check { run in
      let scheduler = FakeScheduler(.none, run: run)
      return SchedulerContract.Subject(scheduler, pass: { await scheduler.advance(by: $0) })
    }
    #expect(little.isEmpty, "\(little)")
  }

  @Test(
    "Schedulers that break the contract are found out", arguments: BrokenScheduler.Flaw.allCases)
  func broken(flaw: BrokenScheduler.Flaw) async {
    let found = await impatiently {
      await SchedulerContract.check { run in
        let scheduler = BrokenScheduler(flaw, run: run)
        return SchedulerContract.Subject(
          scheduler, pass: { await scheduler.fake.advance(by: $0) },
          setOnline: { await scheduler.fake.setHolding($0 ? [.network, .unmetered] : []) })
      }
    }
    #expect(!found.isEmpty, "\(flaw)")
  }

  @Test("A job waits for what isn't metered, and its tasks go with the scheduler")
  func unmetered() async {
    let (clock, connectivity) = (ManualClock(), ConnectivityReporter(.metered))
    let names = Recorded<String>()
    do {
      let scheduler = TaskScheduler(connectivity: connectivity, clock: clock) { names.append($0) }
      let job = ScheduledJob("a", .once(after: .zero), constraints: .unmetered)
      #expect(await scheduler.schedule(job) == .scheduled)
      #expect(
        await scheduler.schedule(ScheduledJob("b", .once(after: .zero), constraints: .network))
          == .scheduled)
      #expect(await eventually { names.values == ["b"] && connectivity.listenerCount == 1 })
      connectivity.report(.online)
      #expect(await eventually { names.values == ["b", "a"] })
      #expect(await eventually { await scheduler.names.isEmpty })
      #expect(
        await scheduler.schedule(ScheduledJob("c", .periodic(every: .seconds(1)))) == .scheduled)
      #expect(await eventually { clock.sleeperCount == 1 })
    }
    #expect(await eventually { clock.sleeperCount == 0 && connectivity.listenerCount == 0 })
  }

  @Test("Times of a periodic job that were missed are not made up for")
  func missed() async {
    let (clock, names) = (ManualClock(), Recorded<String>())
    let scheduler = TaskScheduler(clock: clock) { names.append($0) }
    _ = await scheduler.schedule(ScheduledJob("p", .periodic(every: .seconds(10))))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(35))
    #expect(await eventually { clock.nextWaking == .seconds(40) })
    #expect(names.values == ["p"])
    await scheduler.cancelAll()
    #expect(await eventually { clock.sleeperCount == 0 })
  }

  @Test("A failed job is run again after 30 seconds, then twice as long each time, or as is set")
  func backoff() async {
    let usual = ScheduledJob.Backoff()
    #expect((1...4).map { usual.delay(after: $0) } == [30, 60, 120, 240].map { .seconds($0) })
    #expect(usual.delay(after: .max) == .seconds(18_000))
    #expect(ScheduledJob.Backoff(first: .zero).delay(after: .max) == .zero)
    let short = ScheduledJob.Backoff(first: .seconds(9), max: .seconds(5))
    #expect(short.delay(after: 1) == .seconds(5))
    struct Failed: Error {}
    let (clock, moments) = (ManualClock(), Recorded<Duration>())
    let scheduler = TaskScheduler(clock: clock) { _ in
      moments.append(clock.elapsed)
      if moments.values.count < 4 { throw Failed() }
    }
    // The backoff of one that fails between its times, and its times again once it has not.
    let backoff = ScheduledJob.Backoff(first: .seconds(10))
    _ = await scheduler.schedule(
      ScheduledJob("p", .periodic(every: .seconds(25)), backoff: backoff))
    let wanted = [25, 35, 50, 75, 100].map { Duration.seconds($0) }
    for moment in wanted {
      #expect(await eventually { clock.nextWaking == moment })
      clock.advance(by: moment - clock.elapsed)
      #expect(await eventually { moments.values.last == moment })
    }
    #expect(moments.values == wanted)
    await scheduler.cancelAll()
  }

  @Test("A job may schedule its own next run, and cancel itself")
  func withinJobs() async {
    let (clock, names) = (ManualClock(), Recorded<String>())
    let box = Recorded<TaskScheduler>()
    let scheduler = TaskScheduler(clock: clock) { name in
      names.append(name)
      guard names.values.count < 3 else { return }
      let job = ScheduledJob(name, .once(after: .seconds(1)))
      #expect(await box.values[0].schedule(job) == .scheduled)
    }
    box.append(scheduler)
    _ = await scheduler.schedule(ScheduledJob("a", .once(after: .zero)))
    for count in 1...2 {
      #expect(await eventually { names.values.count == count && clock.sleeperCount == 1 })
      clock.advance(by: .seconds(1))
    }
    #expect(await eventually { names.values.count == 3 })
  }
}

/// A scheduler with a flaw.
actor BrokenScheduler: Scheduler {
  enum Flaw: CaseIterable {
    case ignoresConstraints, neverRuns, keepsNothing, replacesNothing, cancelsNothing
    case runsTwice, overlaps, acceptsAnything, runsEarly, ignoresStopping
    case forgetsFailures, retriesAtOnce
  }

  nonisolated let fake: FakeScheduler
  private let flaw: Flaw
  private var number = 0

  init(_ flaw: Flaw, run: @escaping @Sendable (String) async throws -> Void) {
    self.flaw = flaw
    let known: ScheduledJob.Constraints = [.network, .unmetered]
    fake = FakeScheduler(
      SchedulerCapabilities(
        supportsPeriodic: true, requiresUserGesture: false, minimumInterval: .zero,
        constraints: known)
    ) { name in
      let name = String(name.prefix { $0 != "#" })
      switch flaw {
      case .neverRuns: return
      case .runsTwice:
        try await run(name)
        try await run(name)
      case .overlaps: Task { try await run(name) }
      case .ignoresStopping: try await Task { try await run(name) }.value
      case .forgetsFailures: try? await run(name)
      default: try await run(name)
      }
    }
  }

  var capabilities: SchedulerCapabilities {
    get async { await fake.capabilities }
  }

  func schedule(_ job: ScheduledJob) async -> SchedulingAnswer {
    var job = job
    number += 1
    switch flaw {
    case .ignoresConstraints: job.constraints = []
    case .keepsNothing where job.existing == .keep: job.name += "#\(number)"
    case .replacesNothing: job.existing = .keep
    case .runsEarly: job.timing = .once(after: .zero)
    case .retriesAtOnce: job.backoff = ScheduledJob.Backoff(first: .milliseconds(1))
    case .acceptsAnything:
      _ = await fake.schedule(job)
      return .scheduled
    default: break
    }
    return await fake.schedule(job)
  }

  func cancel(_ name: String) async {
    if flaw != .cancelsNothing { await fake.cancel(name) }
  }
}
