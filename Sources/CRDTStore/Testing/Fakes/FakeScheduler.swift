public import CRDTStore

/// A scheduler whose time and conditions a test controls.
public actor FakeScheduler: Scheduler {
  private struct Entry {
    var job: ScheduledJob
    var due: Duration
    /// The number of consecutive failures.
    var failures = 0
  }

  /// The capabilities that it reports.
  public private(set) var capabilities: SchedulerCapabilities
  /// The names of the jobs that it began, in order.
  public private(set) var begun: [String] = []
  private let run: @Sendable (String) async throws -> Void
  private var elapsed = Duration.zero
  private var holding: ScheduledJob.Constraints
  private var waiting: [String: Entry] = [:]
  private var running: [String: Task<Void, Never>] = [:]

  /// Creates a scheduler that supports everything; all constraints hold.
  public init(
    _ capabilities: SchedulerCapabilities = SchedulerCapabilities(
      supportsPeriodic: true, requiresUserGesture: false, minimumInterval: .zero,
      constraints: [.network, .unmetered, .charging, .idle, .batteryNotLow]),
    run: @escaping @Sendable (_ name: String) async throws -> Void
  ) {
    self.capabilities = capabilities
    self.run = run
    holding = capabilities.constraints
  }

  /// Schedules a job, or returns why it can't.
  public func schedule(_ job: ScheduledJob) -> SchedulingAnswer {
    if let objection = capabilities.objection(to: job) { return .notSupported(objection) }
    if job.existing == .keep, waiting[job.name] != nil { return .kept }
    let delay =
      switch job.timing {
      case .once(let delay): delay
      case .periodic(let interval): interval
      }
    waiting[job.name] = Entry(job: job, due: elapsed + delay)
    beginDue()
    return .scheduled
  }

  /// Cancels the waiting job of a name, and tells a running one to stop.
  public func cancel(_ name: String) {
    waiting[name] = nil
    running[name]?.cancel()
  }

  /// Sets the capabilities.
  public func setCapabilities(_ capabilities: SchedulerCapabilities) {
    self.capabilities = capabilities
  }

  /// Sets which constraints hold.
  public func setHolding(_ constraints: ScheduledJob.Constraints) {
    holding = constraints
    beginDue()
  }

  /// Advances time, and begins the due jobs.
  public func advance(by span: Duration) {
    elapsed += span
    beginDue()
  }

  /// Tells a running job that its time is over.
  public func expire(_ name: String) {
    running[name]?.cancel()
  }

  /// The waiting jobs, by name.
  public var jobs: [String: ScheduledJob] { waiting.mapValues(\.job) }

  /// Waits until no job runs.
  public func waitUntilIdle() async {
    while let task = running.values.first { await task.value }
  }

  private func beginDue() {
    let due = waiting.filter { name, entry in
      entry.due <= elapsed && entry.job.constraints.isSubset(of: holding) && running[name] == nil
    }
    for (name, entry) in due.sorted(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }) {
      if case .periodic(let interval) = entry.job.timing {
        waiting[name]?.due = elapsed + interval
      } else {
        waiting[name] = nil
      }
      begun.append(name)
      running[name] = Task {
        var hasFailed = false
        do { try await run(name) } catch { hasFailed = !Task.isCancelled }
        running[name] = nil
        end(entry, hasFailed: hasFailed)
        beginDue()
      }
    }
  }

  /// Makes a failed job wait again, unless another job of its name waits.
  private func end(_ begun: Entry, hasFailed: Bool) {
    let name = begun.job.name
    var entry = waiting[name] ?? begun
    guard entry.job == begun.job else { return }
    if case .once = begun.job.timing, waiting[name] != nil || !hasFailed { return }
    if case .periodic = begun.job.timing, waiting[name] == nil { return }
    entry.failures = hasFailed ? begun.failures + 1 : 0
    if hasFailed {
      let again = elapsed + begun.job.backoff.delay(after: entry.failures)
      entry.due = if case .once = begun.job.timing { again } else { min(entry.due, again) }
    }
    waiting[name] = entry
  }
}

/// A probe with a fixed answer, or none.
public final class FakeProbe: ProbedConnectivity.Probe {
  private struct State {
    var answer: ProbedConnectivity.Answer?
    var count = 0
  }

  private let state: Locked<State>

  /// Creates a probe with its answer; with `nil` it waits until it is cancelled.
  public init(_ answer: ProbedConnectivity.Answer? = .reached) {
    state = Locked(State(answer: answer))
  }

  /// The answer from now on; with `nil` it waits until it is cancelled.
  public var answer: ProbedConnectivity.Answer? {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  /// The number of calls.
  public var count: Int { state.withLock { $0.count } }

  /// Answers.
  public func probe() async -> ProbedConnectivity.Answer {
    let answer = state.withLock { state in
      state.count += 1
      return state.answer
    }
    if let answer { return answer }
    await Gate().wait()
    return .unreachable
  }
}

/// A logger that keeps its events in memory.
public final class RecordingLogger: Logger {
  private let recorded = Locked<[LogEvent]>([])

  /// Creates a logger that has no events yet.
  public init() {}

  /// Keeps an event.
  public func log(_ event: LogEvent) {
    recorded.withLock { $0.append(event) }
  }

  /// The events, in the order of arrival.
  public var events: [LogEvent] { recorded.withLock { $0 } }
}
