public import CRDTKit

/// Keeps a store in sync with one peer over any stream of bytes.
///
/// It is a ``PeerSession`` on the store's document. What the peer teaches is durable
/// before the peer is told so, and nothing is sent that a crash could take back.
///
///     let session = store.session()
///     try send(await session.connect())
///     for try await bytes in link.incoming {
///       try send(await session.receive(bytes))
///     }
///
/// Call its methods one after another. ``flush()`` is for after commits: follow
/// ``Store/changes`` to know of them.
public final class StoreSession: Sendable {
  let core: StoreCore
  let exchange: Exchange

  init(_ core: StoreCore, limits: SyncLimits) {
    self.core = core
    exchange = Exchange(core: core, limits: limits)
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
    StoreSession(core, limits: limits)
  }
}

extension StoreSession {
  /// The peer's replica, once it has said so.
  public var peerReplica: ReplicaID? { exchange.peerReplica }

  /// Whether both sides are known to hold the same, as of now.
  public var isSynchronized: Bool { exchange.isSynchronized }

  /// Begins on a new stream of bytes, and greets the peer.
  public nonisolated(nonsending) func connect() async throws(StoreError) -> [Action] {
    try await perform(exchange.connect())
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
    try await perform(exchange.flush(history: nil))
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
    var step = step
    if let version = step.historyNeeded {
      let core = core
      let history = try await StoreThread.run { () throws(StoreError) in
        try core.removalHistory(since: version)
      }
      let more = exchange.flush(history: history)
      step.actions += more.actions
      step.commit = more.commit
    }
    if let commit = step.commit { try await core.untilDurable(commit) }
    return step.actions
  }
}

extension BlockingStore {
  /// A session with one peer, over no stream yet.
  public func session(limits: SyncLimits = .standard) -> BlockingStoreSession {
    BlockingStoreSession(core, limits: limits)
  }
}
