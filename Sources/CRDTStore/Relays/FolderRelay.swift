public import CRDTKit

/// A shared or synced folder by which stores exchange what they have.
///
///     let relay = store.relay(at: "/Volumes/Shared/notes")
///     let report = try await relay.sync()
///     for peer in try await relay.peers() where isOld(peer) {
///       try await relay.retire(peer.replica)
///     }
///
/// Each store writes files in a subfolder of its own, which never change, and reads
/// those of others. Files may come late, in part, more than once and in any order.
/// The article *Relays* says how it works and what it bears.
///
/// A relay remembers which files it has looked at, so keep one where rounds are many.
public final class FolderRelay: Sendable {
  /// The store.
  public let store: Store
  let exchange: RelayExchange

  init(_ store: Store, _ exchange: RelayExchange) {
    self.store = store
    self.exchange = exchange
  }

  /// The folder.
  public var path: String { exchange.path }

  /// Takes in what is new in the folder, and publishes what is new here: one round.
  @discardableResult
  public nonisolated(nonsending) func sync() async throws(StoreError) -> SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.round() }
  }

  /// Takes in what is new in the folder, and publishes what is new here, in place.
  @discardableResult
  public func sync() throws(StoreError) -> SyncReport {
    try exchange.round()
  }

  /// The replicas that have written in the folder, in ascending order.
  public nonisolated(nonsending) func peers() async throws(StoreError) -> [RelayPeer] {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.peers() }
  }

  /// The replicas that have written in the folder; reads it in place.
  public func peers() throws(StoreError) -> [RelayPeer] {
    try exchange.peers()
  }

  /// Lets nobody wait any longer for a replica, and syncs.
  ///
  /// Deletions that it hasn't seen can then be purged. If it comes back, it counts
  /// again from then on, and loses nothing that it has written: what it wrote to records
  /// that were purged meanwhile is listed by ``Store/orphanedRecords(of:)``.
  @discardableResult
  public nonisolated(nonsending) func retire(
    _ replica: ReplicaID
  ) async throws(StoreError) -> SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.retire(replica) }
  }

  /// Lets nobody wait any longer for a replica, and syncs in place.
  @discardableResult
  public func retire(_ replica: ReplicaID) throws(StoreError) -> SyncReport {
    try exchange.retire(replica)
  }

  /// Publishes all that the store has once more, in one file, and syncs: for where
  /// files were damaged or lost and others wait for them.
  @discardableResult
  public nonisolated(nonsending) func publishAll() async throws(StoreError) -> SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in
      try exchange.round(publishingAll: true)
    }
  }

  /// Publishes all that the store has once more, and syncs in place.
  @discardableResult
  public func publishAll() throws(StoreError) -> SyncReport {
    try exchange.round(publishingAll: true)
  }
}

/// How a store uses a relay's folder.
public struct RelayOptions: Sendable {
  /// How many files of its own a store lets stand before it makes one of them.
  ///
  /// Files that are as large as all later ones together are left out, so that a
  /// change is written again only as often as the folder's contents have doubled.
  public var filesMergedMin = 8
  /// How many bytes a file has at most, to be written or taken.
  public var fileBytesMax = 1 << 30
  /// How much memory may be taken by what one replica's files bring in a round, with the bytes
  /// of the one that is being read.
  ///
  /// It is counted as a file is read, and what would exceed it is refused before it is
  /// there, as a finding about that file.
  public var fileMemoryBytesMax = 1 << 30
  /// How long a store keeps a file of its own that another one makes needless, where
  /// not all replicas have said that they know of the other one.
  public var gracePeriod: Duration = .seconds(86_400)
  /// After how long a store says again that it is there, if it has nothing else to say.
  ///
  /// It should be well below ``StoreOptions/peerRetention``, after which others don't
  /// wait for a replica any more.
  public var heartbeat: Duration = .seconds(86_400)
  /// Seals what is written in the folder, and opens it, with a key that all who use the
  /// folder have; `nil` where nothing is sealed.
  ///
  /// Files that aren't sealed are not taken then: they may be anybody's.
  public var sealing: (any Sealing)?
  /// Whether a store without a ``sealing`` begins to write in a folder in which a replica has
  /// nothing but sealed files.
  ///
  /// Else, if none of its own files is there, it takes in what it can open, writes nothing, and says
  /// so with ``StoreError/sealed(path:)``: others may seal what it would publish for all to read. Set
  /// it where that file is somebody's who shouldn't have put it there, or remove the file.
  public var publishesBesideSealed = false
  /// How many replicas a version may name.
  public var replicasMax = SyncLimits.standard.replicasMax

  /// Creates the options that are usual.
  public init() {}

  /// The options that are usual.
  public static var standard: RelayOptions { RelayOptions() }
}

/// A replica that uses a relay's folder.
public struct RelayPeer: Hashable, Sendable {
  /// The replica.
  public var replica: ReplicaID
  /// What it says it has taken in.
  public var version: VersionVector
  /// When it last said so, in milliseconds since 1970 by its own clock.
  public var lastSeenMilliseconds: UInt64
  /// Whether it was retired, and has not come back since: nobody waits for it.
  public var isRetired: Bool
}

/// Lets one at a time, of all that a store has at work in a folder, do a round there.
///
/// Two rounds of one store would give their files one number, and tidy each other's away.
final class FolderTurns: @unchecked Sendable {
  private let monitor = Monitor()
  // Guarded by the monitor.
  private var taken: Set<UInt64> = []

  /// Does something in a folder, by its number, after whoever is at it.
  func take<Result>(
    _ folder: UInt64, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    monitor.withLock {
      while !taken.insert(folder).inserted { monitor.wait(for: .done) }
    }
    defer {
      monitor.withLock {
        taken.remove(folder)
        monitor.ring(.done)
      }
    }
    return try body()
  }
}
