import CRDTKit

/// Sends a store's queued operations to a server, and applies the server's changes.
///
///     let outbox = store.outbox(over: transport)
///     let report = await outbox.sync()
///
/// The commit that makes an edit also queues it; `OutboxMachine` decides when it is sent.
/// The server's changes are written by the authority that the store's options name, which
/// has seen only what the server has acknowledged. The fields' rules therefore express
/// "server wins", "client wins", merging by field, and "ask the user".
///
/// Failures of a server or network are reported, not thrown, and pending operations are
/// retried. A store has one outbox; several `Outbox` instances share it.
public final class Outbox: Sendable {
  /// The store.
  public let store: Store
  let transport: any Outbox.Transport
  let options: Outbox.Options
  let told = OutboxActivities()
  /// The credential that the server has rejected, and that could not be replaced yet.
  let refused = Locked<Credential?>(nil)

  init(_ store: Store, _ transport: any Outbox.Transport, _ options: Outbox.Options) {
    self.store = store
    self.transport = transport
    self.options = options
  }

  var core: StoreCore { store.core }

  var now: UInt64 { core.options.clock.milliseconds }
}

extension Store {
  /// Creates the store's outbox over a transport.
  public func outbox(
    over transport: any Outbox.Transport, options: Outbox.Options = Outbox.Options()
  ) -> Outbox {
    Outbox(self, transport, options)
  }
}

extension Outbox {
  /// The options of an outbox.
  public struct Options: Sendable {
    /// How long a call of the transport, or of ``credentials``, may take.
    ///
    /// A call that takes longer is cancelled and abandoned. It counts as
    /// ``RemoteError/Kind/timeout``: the server may have processed the request.
    public var callLimit: Duration = .seconds(60)
    /// Replaces the credential that the transport uses if the server rejects it; `nil` if
    /// your app does that.
    ///
    /// Give the same provider to your transport, which asks for the credential with each
    /// request. If the server answers ``RemoteError/Kind/unauthorized``, the outbox asks for
    /// a newer one and repeats the request, once per exchange.
    public var credentials: (any CredentialProvider)?
    /// Reports whether servers can be reached.
    public var connectivity: any Connectivity = AlwaysOnline()
    /// The clock that measures time limits and delays.
    public var clock: any MonotonicClock = SystemMonotonicClock()
    /// Decides what is synced when.
    public var policy = SyncPolicy()
    /// Receives log events.
    public var logger: any Logger = NoLogger()

    /// Creates the default options.
    public init() {}
  }
}

extension Outbox {
  /// Keeps the store in sync with the server, until the task is cancelled or the store
  /// closed.
  ///
  /// It syncs at once, and sends new commits soon after they are made. It pulls at
  /// intervals and when servers are reached again, as the options' policy says, and retries
  /// operations when they are due. ``activities`` reports the progress and the results.
  ///
  /// - Parameter triggers: Other events in the app, such as coming to the foreground.
  public func run(triggers: AsyncStream<SyncPolicy.Trigger> = AsyncStream { $0.finish() }) async {
    let (happenings, line) = AsyncStream.makeStream(
      of: SyncPolicy.Trigger.self, bufferingPolicy: .bufferingNewest(64))
    // Many commits count as one event, so that they don't crowd out other events.
    let hasMutation = Locked(false)
    // Read this first, so that every later change is noticed.
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

  /// Syncs as the policy says for a trigger.
  ///
  /// If the user asked for it, operations that wait after a failure are sent at once.
  ///
  /// - Returns: The result.
  @discardableResult
  public func sync(
    upon trigger: SyncPolicy.Trigger, within limit: Duration? = nil
  ) async -> Outbox.Report {
    let plan = options.policy.plan(for: trigger, SyncPolicy.Profile(options.connectivity.state))
    switch trigger {
    case .networkRestored: core.monitor.withLock { core.outbox.networkRestored() }
    case .user: retryWaiting()
    case .launch, .mutation, .foreground, .timer, .push: break
    }
    var report = Outbox.Report()
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

  /// Waits briefly to collect further commits.
  ///
  /// Returns whether any operation is due then.
  private func hasDueAfterDelay() async -> Bool {
    guard isSomethingDue else { return false }
    try? await options.clock.sleep(for: options.policy.mutationDelay)
    return isSomethingDue
  }

  private var isSomethingDue: Bool { nextAttemptMilliseconds.map { $0 <= now } ?? false }

  /// Triggers sending when the next waiting operation is due.
  private func wake(_ line: AsyncStream<SyncPolicy.Trigger>.Continuation) -> Task<Void, Never>? {
    guard let moment = nextAttemptMilliseconds, moment > now else { return nil }
    let span = Duration.milliseconds(moment - now)
    return Task { [options] in
      guard (try? await options.clock.sleep(for: span)) != nil else { return }
      line.yield(.mutation)
    }
  }

  private func log(_ report: Outbox.Report, upon trigger: SyncPolicy.Trigger) {
    var fields: [String: LogEvent.Value] = ["trigger": .string("\(trigger)")]
    let counts = [
      "sent": report.sent, "accepted": report.accepted, "deadLettered": report.deadLettered,
      "conflicts": report.conflicts, "pulled": report.pulled, "pending": report.pending,
    ]
    for (name, count) in counts { fields[name] = .integer(Int64(count)) }
    options.logger.info("sync.done", fields)
  }
}
