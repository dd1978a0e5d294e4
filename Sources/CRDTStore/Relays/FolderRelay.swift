public import CRDTKit

/// A shared or synced folder through which stores exchange their changes.
///
///     let relay = store.relay(at: "/Volumes/Shared/notes")
///     let report = try await relay.sync()
///     for peer in try await relay.peers() where isOld(peer) {
///       try await relay.retire(peer.replica)
///     }
///
/// Each store writes files in a subfolder of its own, and reads those of the others. A file
/// never changes. Files may arrive late, in part, more than once and in any order. The
/// article *Relays* describes how it works and what it tolerates.
///
/// A relay remembers which files it has read, so keep one if you sync often.
public final class FolderRelay: Sendable {
  /// The store that the relay syncs.
  public let store: Store
  let exchange: RelayExchange

  init(_ store: Store, _ exchange: RelayExchange) {
    self.store = store
    self.exchange = exchange
  }

  /// The path of the folder.
  public var path: String { exchange.path }

  /// Receives what is new in the folder, and publishes what is new in the store: one round.
  @discardableResult
  public nonisolated(nonsending) func sync() async throws(StoreError) -> Store.SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.round() }
  }

  /// Receives what is new in the folder, publishes what is new in the store, and waits in
  /// place.
  @discardableResult
  public func sync() throws(StoreError) -> Store.SyncReport {
    try exchange.round()
  }

  /// The replicas that have written in the folder, in ascending order.
  public nonisolated(nonsending) func peers() async throws(StoreError) -> [FolderRelay.Peer] {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.peers() }
  }

  /// The replicas that have written in the folder, in ascending order; waits in place.
  public func peers() throws(StoreError) -> [FolderRelay.Peer] {
    try exchange.peers()
  }

  /// Retires a replica, so that no store waits for it any longer, and syncs.
  ///
  /// Stores can then purge deletions that the replica hasn't seen. If the replica comes
  /// back, stores wait for it again, and it loses nothing that it has written. Its changes
  /// to records that were purged meanwhile are listed by ``Store/orphanedRecords(of:)``.
  @discardableResult
  public nonisolated(nonsending) func retire(
    _ replica: ReplicaID
  ) async throws(StoreError) -> Store.SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.retire(replica) }
  }

  /// Retires a replica, syncs, and waits in place.
  @discardableResult
  public func retire(_ replica: ReplicaID) throws(StoreError) -> Store.SyncReport {
    try exchange.retire(replica)
  }

  /// Publishes everything that the store has again, in one file, and syncs.
  ///
  /// Use it if files were damaged or lost and other stores wait for them.
  @discardableResult
  public nonisolated(nonsending) func publishAll() async throws(StoreError) -> Store.SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in
      try exchange.round(publishingAll: true)
    }
  }

  /// Publishes everything that the store has again, syncs, and waits in place.
  @discardableResult
  public func publishAll() throws(StoreError) -> Store.SyncReport {
    try exchange.round(publishingAll: true)
  }
}

extension FolderRelay {
  /// How a store uses a relay's folder.
  public struct Options: Sendable {
    /// The number of its own files that a store keeps before it merges them into one.
    ///
    /// Files that are as large as all later ones together are not merged. So a change is
    /// written again only as often as the folder's contents have doubled.
    public var minimumMergedFiles = 8
    /// The maximum size of a file, in bytes, to write or receive.
    public var maximumFileBytes = 1 << 30
    /// The maximum memory for the contents of one replica's files in a round, together with
    /// the bytes of the file that is being read.
    ///
    /// The store counts the memory as it reads a file. It refuses whatever would exceed the
    /// limit before it allocates memory for it, and reports a finding about that file.
    public var maximumFileMemoryBytes = 1 << 30
    /// How long a store keeps an obsolete file of its own, if not all replicas have said that
    /// they know of the file that replaces it.
    public var gracePeriod: Duration = .seconds(86_400)
    /// The interval at which a store reports its presence, if it has nothing else to publish.
    ///
    /// It should be well below ``Store/Options/peerRetention``, after which others no longer
    /// wait for a replica.
    public var heartbeat: Duration = .seconds(86_400)
    /// Seals and opens the files in the folder, with a key that all users of the folder have;
    /// `nil` if nothing is sealed.
    ///
    /// With a sealing, unsealed files are refused: anybody may have written them.
    public var sealing: (any Sealing)?
    /// Whether a store without a ``sealing`` begins to write in a folder in which a replica
    /// has only sealed files.
    ///
    /// If it is `false` and none of the store's own files is there, the store receives what
    /// it can open, writes nothing, and reports ``StoreError/sealed(path:)``: others may be
    /// sealing what it would publish unsealed. Set it to `true` if somebody has put that file
    /// there who shouldn't have, or remove the file.
    public var publishesBesideSealed = false
    /// The maximum number of replicas in a version.
    public var maximumReplicas = SyncLimits.standard.maximumReplicas

    /// Creates the standard options.
    public init() {}

    /// The standard options.
    public static var standard: FolderRelay.Options { FolderRelay.Options() }
  }

  /// A replica that uses a relay's folder.
  public struct Peer: Hashable, Sendable, Identifiable {
    /// The replica.
    public var replica: ReplicaID
    /// The version that it says it has received.
    public var version: VersionVector
    /// When it last said so, in milliseconds since 1970 by its own clock.
    public var lastSeenMilliseconds: UInt64
    /// Whether it was retired and has not come back since: no store waits for it.
    public var isRetired: Bool

    /// The replica.
    public var id: ReplicaID { replica }
  }
}

/// Runs rounds in a folder one at a time, among all that a store has at work there.
///
/// Two rounds of one store at once would give their files the same number, and remove each
/// other's files.
final class FolderTurns: @unchecked Sendable {
  private let monitor = Monitor()
  // Guarded by the monitor.
  private var taken: Set<UInt64> = []

  /// Runs a body in a folder, by its number, after the round that is under way there.
  func take<Result>(
    _ folder: UInt64, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    monitor.withLock {
      while !taken.insert(folder).inserted { monitor.wait(for: .done) }
    }
    defer {
      monitor.withLock {
        taken.remove(folder)
        monitor.signal(.done)
      }
    }
    return try body()
  }
}
