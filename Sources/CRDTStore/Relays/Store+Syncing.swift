public import CRDTKit

extension Store {
  /// Takes in what is new on the other side, and sends what is new here: one round.
  ///
  ///     let report = try await store.sync(with: .folder("/Volumes/Shared/notes"))
  ///     if !report.missing.isEmpty { /* some files have not come yet */ }
  ///
  /// What is taken in is durable when it returns, and nothing is sent that a crash
  /// could take back. Whatever is cut short is made up for in the next round.
  ///
  /// - Returns: What was sent and taken in, and what was not.
  /// - Throws: ``StoreError`` where the store can't commit, or the folder can't be read
  ///   or written.
  /// - Complexity: O(what is new), and O(number of files) for a folder.
  @discardableResult
  public nonisolated(nonsending) func sync(
    with target: SyncTarget
  ) async throws(StoreError) -> SyncReport {
    let round = target.partner(of: core)
    return try await StoreThread.run(round)
  }

  /// Takes in what is new on the other side, and sends what is new here, in place.
  @discardableResult
  public func sync(with target: SyncTarget) throws(StoreError) -> SyncReport {
    try target.partner(of: core)()
  }

  /// Keeps the store in sync: at once, soon after each commit, and every so often.
  ///
  /// It returns when the task is cancelled or the store is closed. A round that fails,
  /// as where a disk isn't there, is reported, and tried again the next time.
  ///
  /// - Parameters:
  ///   - target: What to keep it in sync with.
  ///   - interval: How long to wait for a commit before looking for news.
  ///   - delay: How long to gather commits before they are sent together.
  ///   - onRound: Is told what each round did.
  /// - Throws: ``StoreError/stopped(_:path:)`` where the store takes no more commits;
  ///   ``StoreError/countedTwice(collection:field:)`` where it must not sync with peers.
  public func keepInSync(
    with target: SyncTarget, every interval: Duration = .seconds(5),
    gathering delay: Duration = .milliseconds(200),
    onRound: @Sendable (Result<SyncReport, StoreError>) -> Void = { _ in }
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
      // What is committed until then goes together.
      guard (try? await Task.sleep(for: delay)) != nil else { return }
    }
  }

  /// The folder of a relay, to sync with more than once, and to see who else does.
  public func relay(at path: String, options: RelayOptions = .standard) -> FolderRelay {
    FolderRelay(self, RelayExchange(core: core, path: path, options: options))
  }
}

/// What one round of syncing did.
public struct SyncReport: Hashable, Sendable {
  /// How many deltas were sent.
  public var deltasSent = 0
  /// How many bytes were sent.
  public var bytesSent = 0
  /// How many deltas were taken in.
  public var deltasTaken = 0
  /// How many bytes were taken in.
  public var bytesTaken = 0
  /// The events that deltas build on which are there, and that are nowhere to be had
  /// yet: those deltas wait.
  public var missing: VersionVector = [:]
  /// What was found and not taken in.
  public var findings: [RelayFinding] = []
  /// Why a peer and this side parted, if they did.
  public var failure: SyncFailure?
  /// Whether the store and the other side held the same in the end.
  public var isSynchronized = false

  /// Creates the report of a round that did nothing.
  public init() {}
}

/// What a store is brought in sync with.
///
///     try await store.sync(with: .folder("/Volumes/Shared/notes"))
///     try await store.sync(with: .store(other))
public struct SyncTarget: Sendable {
  enum Kind: Sendable {
    case folder(String, RelayOptions)
    case store(StoreCore)
  }

  let kind: Kind
  /// Keeps the other store open meanwhile.
  private let owner: (any Sendable)?

  private init(_ kind: Kind, owner: (any Sendable)? = nil) {
    self.kind = kind
    self.owner = owner
  }

  /// A folder that others sync with as well: on this machine, on a shared disk, or
  /// copied from machine to machine by a tool that syncs folders.
  ///
  /// It is made where it isn't there, if the folder around it is. It must not be the
  /// folder of a store. The article *Relays* says what happens in it.
  public static func folder(_ path: String, options: RelayOptions = .standard) -> SyncTarget {
    SyncTarget(.folder(path, options))
  }

  /// Another store in this process.
  public static func store(_ other: Store) -> SyncTarget {
    SyncTarget(.store(other.core), owner: other)
  }
}

extension SyncTarget {
  /// What brings a store in sync with this, one round a call, and remembers what it
  /// has found out in rounds before.
  func partner(of core: StoreCore) -> @Sendable () throws(StoreError) -> SyncReport {
    switch kind {
    case .folder(let path, let options):
      let relay = RelayExchange(core: core, path: path, options: options)
      return { () throws(StoreError) in try relay.round() }
    case .store(let other):
      guard other !== core else {
        return { () throws(StoreError) in
          var report = SyncReport()
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
