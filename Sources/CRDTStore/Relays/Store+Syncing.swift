public import CRDTKit

extension Store {
  /// Receives what is new on the other side, and sends what is new here: one round.
  ///
  ///     let report = try await store.sync(with: .folder("/Volumes/Shared/notes"))
  ///     if !report.missing.isEmpty { /* some files have not come yet */ }
  ///
  /// When the call returns, received changes are durable. Nothing is sent that a crash
  /// could take back. The next round completes whatever was interrupted.
  ///
  /// - Returns: What was sent, what was received, and what was not.
  /// - Throws: ``StoreError`` if the store can't commit, the folder can't be read or
  ///   written, or the other side has another document.
  /// - Complexity: O(size of what is new), and O(number of files) for a folder.
  @discardableResult
  public nonisolated(nonsending) func sync(
    with target: Store.SyncTarget
  ) async throws(StoreError) -> Store.SyncReport {
    let round = target.partner(of: core)
    return try await StoreThread.run(round)
  }

  /// Receives what is new on the other side, sends what is new here, and waits in place.
  @discardableResult
  public func sync(with target: Store.SyncTarget) throws(StoreError) -> Store.SyncReport {
    try target.partner(of: core)()
  }

  /// Keeps the store in sync: at once, soon after each commit, and at an interval.
  ///
  /// It returns when the task is cancelled or the store is closed. A round that fails, for
  /// example because a disk isn't there, is reported, and tried again the next time.
  ///
  /// - Parameters:
  ///   - target: The other side.
  ///   - interval: How long to wait for a commit before the next round.
  ///   - delay: How long to gather commits before they are sent together.
  ///   - onRound: Receives the result of each round.
  /// - Throws: ``StoreError/stopped(_:path:)`` if the store accepts no more commits;
  ///   ``StoreError/countedTwice(collection:field:)`` if it must not sync with peers.
  public func keepInSync(
    with target: Store.SyncTarget, every interval: Duration = .seconds(5),
    gathering delay: Duration = .milliseconds(200),
    onRound: @Sendable (Result<Store.SyncReport, StoreError>) -> Void = { _ in }
  ) async throws(StoreError) {
    let round = target.partner(of: core)
    let (alarms, alarm) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = core.changes.subscribe()
    let watching = Task {
      while await changes.next() != nil { alarm.yield() }
      alarm.finish()
    }
    let ticking = Task {
      while (try? await Task.sleep(for: interval)) != nil { alarm.yield() }
    }
    defer {
      watching.cancel()
      ticking.cancel()
    }
    alarm.yield()
    for await _ in alarms {
      do throws(StoreError) { onRound(.success(try await StoreThread.run(round))) } catch {
        switch error {
        case .closed: return
        case .stopped, .countedTwice: throw error
        default: onRound(.failure(error))
        }
      }
      // Commits made until then are sent together.
      guard (try? await Task.sleep(for: delay)) != nil else { return }
    }
  }

  /// A relay's folder, to sync with more than once and to list its other users.
  public func relay(at path: String, options: FolderRelay.Options = .standard) -> FolderRelay {
    FolderRelay(self, RelayExchange(core: core, path: path, options: options))
  }
}

extension Store {
  /// The result of one round of syncing.
  public struct SyncReport: Hashable, Sendable {
    /// The number of deltas that were sent.
    public var deltasSent = 0
    /// The number of bytes that were sent.
    public var bytesSent = 0
    /// The number of deltas that were received.
    public var deltasTaken = 0
    /// The number of bytes that were received.
    public var bytesTaken = 0
    /// The events that found deltas build on, and that can't be found anywhere yet.
    ///
    /// Those deltas wait for them.
    public var missing: VersionVector = [:]
    /// What was found and not received.
    public var findings: [FolderRelay.Finding] = []
    /// Why the session with a peer ended, if it failed.
    public var failure: SyncFailure?
    /// Whether the store and the other side held the same in the end.
    public var isSynchronized = false

    /// Creates an empty report.
    public init() {}
  }

  /// The other side that a store syncs with.
  ///
  ///     try await store.sync(with: .folder("/Volumes/Shared/notes"))
  ///     try await store.sync(with: .store(other))
  public struct SyncTarget: Sendable {
    enum Kind: Sendable {
      case folder(String, FolderRelay.Options)
      case store(StoreCore)
    }

    let kind: Kind
    /// Keeps the other store open meanwhile.
    private let owner: (any Sendable)?

    private init(_ kind: Kind, owner: (any Sendable)? = nil) {
      self.kind = kind
      self.owner = owner
    }

    /// A folder that others sync with too.
    ///
    /// It may be on this machine, on a shared disk, or copied between machines by a tool that
    /// syncs folders. It is created if its parent exists. It must not be the folder of a
    /// store. The article *Relays* describes what happens in it.
    public static func folder(_ path: String, options: FolderRelay.Options = .standard)
      -> Store.SyncTarget
    {
      Store.SyncTarget(.folder(path, options))
    }

    /// Another store in this process.
    public static func store(_ other: Store) -> Store.SyncTarget {
      Store.SyncTarget(.store(other.core), owner: other)
    }
  }
}

extension Store.SyncReport: CustomStringConvertible {
  /// Whether both sides hold the same, what was exchanged, and what went wrong.
  public var description: String {
    var parts = [isSynchronized ? "in sync" : "not in sync"]
    if deltasTaken > 0 { parts.append("\(deltasTaken) deltas received, \(bytesTaken) bytes") }
    if deltasSent > 0 { parts.append("\(deltasSent) deltas sent, \(bytesSent) bytes") }
    if !missing.isEmpty { parts.append("still missing \(missing.excerpt)") }
    parts += findings.map { "\($0)" }
    if let failure { parts.append("ended early: \(failure)") }
    return parts.joined(separator: "; ")
  }
}

extension Store.SyncTarget {
  /// Makes a function that runs one round with this target per call, and remembers what
  /// earlier rounds have found.
  func partner(of core: StoreCore) -> @Sendable () throws(StoreError) -> Store.SyncReport {
    switch kind {
    case .folder(let path, let options):
      let relay = RelayExchange(core: core, path: path, options: options)
      return { () throws(StoreError) in try relay.round() }
    case .store(let other):
      guard other !== core else {
        return { () throws(StoreError) in
          var report = Store.SyncReport()
          report.isSynchronized = true
          return report
        }
      }
      let pair = StorePair(left: core, right: other)
      return { [self] () throws(StoreError) in
        defer { withExtendedLifetime(owner) {} }
        return try pair.round()
      }
    }
  }
}
