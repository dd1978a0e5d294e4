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

  /// The replicas that have written in the folder, in ascending order.
  public nonisolated(nonsending) func peers() async throws(StoreError) -> [RelayPeer] {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in try exchange.peers() }
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

  /// Publishes all that the store has once more, in one file, and syncs: for where
  /// files were damaged or lost and others wait for them.
  @discardableResult
  public nonisolated(nonsending) func publishAll() async throws(StoreError) -> SyncReport {
    let exchange = exchange
    return try await StoreThread.run { () throws(StoreError) in
      try exchange.round(publishingAll: true)
    }
  }
}
