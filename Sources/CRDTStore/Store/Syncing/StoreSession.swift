public import CRDTKit

/// Keeps a store in sync with one peer over any stream of bytes.
///
/// It is a `PeerSession` on the store's document. What the peer teaches is durable
/// before the peer is told so, and nothing is sent that a crash could take back.
///
///     let session = store.session()
///     try send(await session.connect())
///     for try await bytes in link.incoming {
///       try send(await session.receive(bytes))
///     }
///
/// Call its methods one after another, and send what they return in that order: what
/// is overtaken looks like damage. ``flush()`` is for after commits. Or let
/// ``run(receiving:sending:)`` do all of it.
public final class StoreSession: Sendable {
  /// The store.
  public let store: Store
  let exchange: Exchange
  let limits: SyncLimits

  init(_ store: Store, limits: SyncLimits) {
    self.store = store
    self.limits = limits
    exchange = Exchange(core: store.core, limits: limits)
  }

  /// What is to be done for a session, in the order it says.
  public enum Action: Sendable {
    /// Write these bytes to the stream.
    case send([UInt8])
    /// Nothing further will come of this stream: close it.
    case close(SyncFailure)
  }
}

extension Store {
  /// A session with one peer, over no stream yet.
  public func session(limits: SyncLimits = .standard) -> StoreSession {
    StoreSession(self, limits: limits)
  }
}

extension StoreSession {
  /// The peer's replica, once it has said so.
  public var peerReplica: ReplicaID? { exchange.peerReplica }

  /// Whether both sides are known to hold the same, as of now.
  public var isSynchronized: Bool { exchange.isSynchronized }

  /// Begins on a new stream of bytes, and greets the peer.
  public nonisolated(nonsending) func connect() async throws(StoreError) -> [Action] {
    try await perform(try exchange.connect())
  }

  /// Takes in bytes that came from the peer, cut at any place.
  ///
  /// - Throws: ``StoreError`` where the store can't commit; then nothing may be
  ///   sent, and the stream is to be closed.
  public nonisolated(nonsending) func receive(
    _ bytes: [UInt8]
  ) async throws(StoreError) -> [Action] {
    try await perform(try exchange.receive(bytes))
  }

  /// Sends what the peer is not known to have.
  public nonisolated(nonsending) func flush() async throws(StoreError) -> [Action] {
    try await perform(try exchange.flush(history: nil))
  }

  /// Notes that the stream broke or was closed.
  public func disconnect() {
    exchange.disconnect()
  }

  /// Waits until what a step sends is durable, and reads what it needs from old
  /// segments.
  private nonisolated(nonsending) func perform(
    _ step: Exchange.Step
  ) async throws(StoreError) -> [Action] {
    try store.core.checkOpen()
    var step = step
    if let version = step.historyNeeded {
      let core = store.core
      let history = try await StoreThread.run { () throws(StoreError) in
        try core.removalHistory(since: version)
      }
      let more = try exchange.flush(history: history)
      step.actions += more.actions
      step.commit = more.commit
    }
    if let commit = step.commit { try await store.core.untilDurable(commit) }
    return step.actions
  }
}
