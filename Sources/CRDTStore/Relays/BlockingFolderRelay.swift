public import CRDTKit

/// A shared or synced folder, for a ``BlockingStore``: as ``FolderRelay``, but calls
/// wait in place.
public final class BlockingFolderRelay: Sendable {
  /// The store.
  public let store: BlockingStore
  let exchange: RelayExchange

  init(_ store: BlockingStore, _ exchange: RelayExchange) {
    self.store = store
    self.exchange = exchange
  }

  /// The folder.
  public var path: String { exchange.path }

  /// Takes in what is new in the folder, and publishes what is new here: one round.
  @discardableResult
  public func sync() throws(StoreError) -> SyncReport {
    try exchange.round()
  }

  /// The replicas that have written in the folder, in ascending order.
  public func peers() throws(StoreError) -> [RelayPeer] {
    try exchange.peers()
  }

  /// Lets nobody wait any longer for a replica, and syncs: see ``FolderRelay/retire(_:)``.
  @discardableResult
  public func retire(_ replica: ReplicaID) throws(StoreError) -> SyncReport {
    try exchange.retire(replica)
  }

  /// Publishes all that the store has once more, and syncs: see
  /// ``FolderRelay/publishAll()``.
  @discardableResult
  public func publishAll() throws(StoreError) -> SyncReport {
    try exchange.round(publishingAll: true)
  }
}
