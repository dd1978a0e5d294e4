import CRDTKit

/// Sends what a store has queued for a server, and takes in what changes there.
///
///     let outbox = store.outbox(over: transport)
///     let report = await outbox.sync()
///
/// An edit is queued in the commit that makes it; whether and when it is sent is
/// decided by ``OutboxMachine``. What comes from the server is written as the authority
/// that the store's options name, which saw just what it has acknowledged: so "server
/// wins", "client wins", field by field and "ask the user" are the rules of the fields.
///
/// Nothing here throws for what a server or a network does: reports say what happened,
/// and what waits is tried again. A store has one outbox; several of these share it.
public final class Outbox: Sendable {
  /// The store.
  public let store: Store
  let transport: any OutboxTransport
  let options: OutboxOptions
  let told = OutboxActivities()

  init(_ store: Store, _ transport: any OutboxTransport, _ options: OutboxOptions) {
    self.store = store
    self.transport = transport
    self.options = options
  }

  var core: StoreCore { store.core }

  var now: UInt64 { core.options.clock.milliseconds }
}

extension Store {
  /// The store's outbox, over a way to the server.
  public func outbox(
    over transport: any OutboxTransport, options: OutboxOptions = OutboxOptions()
  ) -> Outbox {
    Outbox(self, transport, options)
  }
}

/// What an outbox needs besides a way to the server.
public struct OutboxOptions: Sendable {
  /// How long a call of the transport, or of ``renewCredentials``, may take.
  ///
  /// One that takes longer is cancelled and not waited for, and counts as
  /// ``RemoteError/Kind/timeout``: the server may have done what it was asked.
  public var callLimit: Duration = .seconds(60)
  /// Gives new credentials to the transport when the server wants them; says whether
  /// there are any.
  public var renewCredentials: @Sendable () async -> Bool = { false }
  /// Tells when there is a way to servers.
  public var connectivity: any Connectivity = AlwaysOnline()
  /// Measures time that passes.
  public var clock: any MonotonicClock = SystemMonotonicClock()
  /// Says what is synced when.
  public var policy = SyncPolicy()
  /// Is told what is done.
  public var logger: any Logger = NoLogger()

  /// Creates the usual options.
  public init() {}
}

extension Outbox {
  /// Keeps the store in sync with the server, until the task is cancelled or the store
  /// closed.
  ///
  /// It syncs at once, sends what is committed soon after, fetches every so often and
  /// when servers are reached again, as the options' policy says, and tries again when
  /// the time for that has come. What it does, and what came of it, is told by
  /// ``activities``.
  ///
  /// - Parameter triggers: What else happens in the app, as that it comes to the front.
  public func run(triggers: AsyncStream<SyncTrigger> = AsyncStream { $0.finish() }) async {
    let (happenings, line) = AsyncStream.makeStream(
      of: SyncTrigger.self, bufferingPolicy: .bufferingNewest(64))
    // Many commits are one happening, so that they don't crowd out what else happens.
    let hasMutation = Locked(false)
    // Asked before anything is done: what changes from here on is a change.
    let isReached = options.connectivity.state.reachesServers
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [options] in
        var wasReached = isReached
        for await state in options.connectivity.states {
          if state.reachesServers, !wasReached { line.yield(.networkRestored) }
          wasReached = state.reachesServers
        }
      }
      group.addTask { for await trigger in triggers { line.yield(trigger) } }
      group.addTask { [store] in
        for await change in store.changes where change.hasLocalChanges {
          let isNew = hasMutation.withLock { hasMutation in
            defer { hasMutation = true }
            return !hasMutation
          }
          if isNew { line.yield(.mutation) }
        }
        line.finish()
      }
      group.addTask { [options] in
        while (try? await options.clock.sleep(for: options.policy.timerInterval)) != nil {
          line.yield(.timer)
        }
      }
      await self.sync(upon: .launch)
      var waking = wake(line)
      for await trigger in happenings {
        if Task.isCancelled { break }
        if trigger == .mutation {
          hasMutation.withLock { $0 = false }
          guard await hasDueAfterDelay() else { continue }
        }
        await self.sync(upon: trigger)
        waking?.cancel()
        waking = wake(line)
      }
      waking?.cancel()
      group.cancelAll()
    }
  }

  /// Does what the policy says is to be done upon something that happened.
  ///
  /// - Returns: What came of it.
  @discardableResult
  public func sync(
    upon trigger: SyncTrigger, within limit: Duration? = nil
  ) async -> OutboxReport {
    let plan = options.policy.plan(for: trigger, SyncProfile(options.connectivity.state))
    if trigger == .networkRestored {
      core.monitor.withLock { core.outbox.networkRestored() }
    }
    var report = OutboxReport()
    if plan.isEmpty {
      report.pending = core.monitor.withLock { core.outbox.pendingCount }
      return report
    }
    switch plan.fetches {
    case .everything: report = await sync(within: limit)
    case .collections(let names) where !names.isEmpty:
      report = plan.sends ? await sync(names, within: limit) : await pull(names, within: limit)
    case .collections: report = await drain(within: limit)
    }
    log(report, upon: trigger)
    return report
  }

  /// Waits a moment for what is committed meanwhile, to be sent together; says whether
  /// there is anything to be sent then.
  private func hasDueAfterDelay() async -> Bool {
    guard isSomethingDue else { return false }
    try? await options.clock.sleep(for: options.policy.mutationDelay)
    return isSomethingDue
  }

  private var isSomethingDue: Bool { nextAttemptMilliseconds.map { $0 <= now } ?? false }

  /// Has what waits for its time sent when that has come.
  private func wake(_ line: AsyncStream<SyncTrigger>.Continuation) -> Task<Void, Never>? {
    guard let moment = nextAttemptMilliseconds, moment > now else { return nil }
    let span = Duration.milliseconds(moment - now)
    return Task { [options] in
      guard (try? await options.clock.sleep(for: span)) != nil else { return }
      line.yield(.mutation)
    }
  }

  private func log(_ report: OutboxReport, upon trigger: SyncTrigger) {
    var fields: [String: LogValue] = ["trigger": .string("\(trigger)")]
    let counts = [
      "sent": report.sent, "accepted": report.accepted, "deadLettered": report.deadLettered,
      "conflicts": report.conflicts, "pulled": report.pulled, "pending": report.pending,
    ]
    for (name, count) in counts { fields[name] = .integer(Int64(count)) }
    options.logger.info("sync.done", fields)
  }
}
