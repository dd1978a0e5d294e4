public import CRDTKit

/// A session of a ``BlockingStore`` with one peer: as ``StoreSession``, but calls wait
/// for the disk in place.
public final class BlockingStoreSession: Sendable {
  /// The store.
  public let store: BlockingStore
  let exchange: Exchange

  init(_ store: BlockingStore, limits: SyncLimits) {
    self.store = store
    exchange = Exchange(core: store.core, limits: limits)
  }

  /// What is to be done for a session, in the order it says.
  public typealias Action = StoreSession.Action

  /// The peer's replica, once it has said so.
  public var peerReplica: ReplicaID? { exchange.peerReplica }

  /// Whether both sides are known to hold the same, as of now.
  public var isSynchronized: Bool { exchange.isSynchronized }

  /// Begins on a new stream of bytes, and greets the peer.
  public func connect() throws(StoreError) -> [Action] {
    try perform(try exchange.connect())
  }

  /// Takes in bytes that came from the peer, cut at any place.
  public func receive(_ bytes: [UInt8]) throws(StoreError) -> [Action] {
    try perform(try exchange.receive(bytes))
  }

  /// Sends what the peer is not known to have.
  public func flush() throws(StoreError) -> [Action] {
    try perform(try exchange.flush(history: nil))
  }

  /// Notes that the stream broke or was closed.
  public func disconnect() {
    exchange.disconnect()
  }

  private func perform(_ step: Exchange.Step) throws(StoreError) -> [Action] {
    try exchange.finish(step)
  }
}

extension BlockingStore {
  /// A session with one peer, over no stream yet.
  public func session(limits: SyncLimits = .standard) -> BlockingStoreSession {
    BlockingStoreSession(self, limits: limits)
  }
}
